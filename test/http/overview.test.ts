import { describe, expect, it } from 'vitest'
import { defineJob, defineShardedJob, type FailureGroup, type JobContext } from '../../src/index.ts'
import { setupHttp } from '../support/http.ts'
import { startWorker, until } from '../support/stint.ts'

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

describe('throughput over HTTP', () => {
  it('tells of what was before and of what comes, to those who see it', async () => {
    const { ask, key, stint } = await setup()
    const totals = async (given?: string) => {
      const { json } = await ask('GET', '/v1/throughput', given === undefined ? {} : { key: given })
      const sum = (kind: string) =>
        json.items.reduce((n: number, point: Record<string, number>) => n + (point[kind] ?? 0), 0)
      return [json.items.length, sum('submitted'), sum('completed'), sum('failed'), sum('cancelled')]
    }
    expect(await totals()).toEqual([360, 5, 0, 0, 0])
    const work = defineJob('work', { run: () => null })
    const broken = defineJob('broken', {
      retry: { maxAttempts: 2, baseMs: 0 },
      run: () => {
        throw new Error('no luck')
      },
    })
    await stint.submit(broken, undefined, { name: '/a/broken' })
    await stint.jobs.cancel('/other/x')
    const sharded = defineShardedJob('sharded', {
      plan: () => [1, 2, 3],
      slice: ({ state }) => ({ state, done: true }),
    })
    await stint.submit(sharded, undefined, { name: '/other/sharded' })
    await startWorker(stint, { jobs: [work, broken, sharded] })
    await until(totals, ([, , completed, failed]) => completed === 5 && failed === 1)
    expect(await totals()).toEqual([360, 7, 5, 1, 1])
    expect(await totals(await key('read', '/a'))).toEqual([360, 5, 4, 1, 0])
    expect(await totals(await key('read', '/a/b'))).toEqual([0, 0, 0, 0, 0])
  })
})

describe('failures over HTTP', () => {
  it('are shown by cause, the newest first', async () => {
    const { ask, key, stint } = await setup()
    const broken = defineJob('broken', {
      retry: { maxAttempts: 1 },
      run: ({ params }: JobContext<{ error: string }>) => {
        throw new Error(params.error)
      },
    })
    await startWorker(stint, { jobs: [broken] })
    for (const [name, error] of [
      ['/a/1', 'timeout after 10 s'],
      ['/a/2', 'timeout after 20 s'],
      ['/b/3', 'no disk'],
    ] as const) {
      await expect((await stint.submit(broken, { error }, { name: `${name}-x` })).result()).rejects.toThrow()
    }
    const { json } = await ask('GET', '/v1/failures')
    expect(json.items.map((group: FailureGroup) => [group.fingerprint, group.count, group.error])).toEqual([
      ['no disk', 1, 'no disk'],
      ['timeout after <n> s', 2, 'timeout after 20 s'],
    ])
    expect([json.looked, json.more]).toEqual([3, false])
    const scoped = await ask('GET', '/v1/failures', { key: await key('read', '/a') })
    expect(scoped.json.items).toHaveLength(1)
    expect((await ask('GET', '/v1/failures?branch=/b')).json.items[0].jobs[0].name).toBe('/b/3-x')
  })
})
