import { describe, expect, it } from 'vitest'
import { setupHttp } from '../support/http.ts'

async function setup() {
  const fixture = await setupHttp()
  const names = ['/a/b/x', '/a/b/y-1', '/a/b/y/z', '/a/c', '/other/x']
  await fixture.ask('POST', '/v1/jobs/batch', { body: { jobs: names.map((name) => ({ type: 'work', name })) } })
  const paths = async (query: string, key?: string) => {
    const { status, json } = await fixture.ask('GET', `/v1/tree${query}`, key === undefined ? {} : { key })
    expect(status).toBe(200)
    return json.items.map(({ path }: { path: string }) => path)
  }
  return { ...fixture, paths }
}

describe('the tree over HTTP', () => {
  it('is shown from the roots down, page by page', async () => {
    const { ask, paths } = await setup()
    const { json } = await ask('GET', '/v1/tree')
    expect(json).toEqual({
      items: [
        {
          ...{ path: '/a', job: false, branch: true },
          ...{ live: { count: 4, more: false }, finished: { count: 0, more: false } },
        },
        {
          ...{ path: '/other', job: false, branch: true },
          ...{ live: { count: 1, more: false }, finished: { count: 0, more: false } },
        },
      ],
      cursor: null,
    })
    expect(await paths('?path=/a/b')).toEqual(['/a/b/x', '/a/b/y', '/a/b/y-1'])
    const first = await ask('GET', '/v1/tree?path=/a/b&limit=2')
    expect(await paths(`?path=/a/b&limit=2&cursor=${first.json.cursor}`)).toEqual(['/a/b/y-1'])
    expect((await ask('GET', '/v1/tree?path=/a//b')).json.code).toBe('invalid_name')
  })

  it('is for a key of a branch what is below that', async () => {
    const { paths, key } = await setup()
    const read = await key('read', '/a/b')
    const own = ['/a/b/x', '/a/b/y', '/a/b/y-1']
    expect(await paths('', read)).toEqual(own)
    expect(await paths('?path=/a', read)).toEqual(own)
    expect(await paths('?path=y', read)).toEqual(['/a/b/y/z'])
    expect(await paths('?path=/other', read)).toEqual([])
    expect(await paths('?path=/a/c', read)).toEqual([])
  })
})

describe('depths over HTTP', () => {
  it('are shown by namespace and type, to keys of a whole namespace or of everything', async () => {
    const { ask, key } = await setup()
    const keys = await Promise.all([null, '/a', '/a/b', '/nobody'].map((path) => key('read', path)))
    const [json, ...scoped] = await Promise.all(
      keys.map(async (each) => (await ask('GET', '/v1/depths', { key: each })).json),
    )
    const depth = { type: 'work', delayed: 0, gated: 0, running: 0, oldestReadyAt: expect.any(String) }
    expect(json.items).toEqual([
      { ...depth, namespace: 'a', ready: 4 },
      { ...depth, namespace: 'other', ready: 1 },
    ])
    const seen = scoped.map(({ items }) => items.map(({ namespace }: { namespace: string }) => namespace))
    expect(seen).toEqual([['a'], [], []])
  })
})
