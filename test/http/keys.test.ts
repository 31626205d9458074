import { expect, it } from 'vitest'
import { newId } from '../support/fixture.ts'
import { refusal, setupHttp } from '../support/http.ts'

it('a key that was just made opens at once, whenever keys were read before', async () => {
  const { ask, key } = await setupHttp({ requireKeys: true })
  expect((await ask('GET', '/v1/keys')).status).toBe(401)
  const admin = await key('admin')
  for (const label of ['one', 'two']) {
    const { json } = await ask('POST', '/v1/keys', { body: { label, role: 'read' }, key: admin })
    expect((await ask('GET', '/v1/keys', { key: json.key })).status).toBe(200)
  }
})

it('keys open what they say, and show what they are only once', async () => {
  const { ask, store } = await setupHttp()
  const body = { label: 'ci', role: 'submit', path: 'builds', expiresAt: '2099-01-01T00:00:00.000Z' }
  const made = await ask('POST', '/v1/keys', { body })
  expect(made.json).toMatchObject({ ...body, path: '/default/builds', revokedAt: null })
  const { key, ...about } = made.json
  expect((await ask('POST', '/v1/jobs', { body: { type: 'x' }, key })).json.name).toMatch(/^\/default\/builds\//)
  expect((await ask('POST', '/v1/keys', { body, key })).status).toBe(403)
  expect((await ask('GET', `/v1/keys/${about.id}`)).json).toEqual(about)
  expect((await ask('GET', '/v1/keys')).json).toEqual({ items: [about], cursor: null })
  const revoked = await ask('DELETE', `/v1/keys/${about.id}`)
  expect([revoked.status, revoked.json.revokedAt]).toEqual([200, expect.any(String)])
  expect((await ask('DELETE', `/v1/keys/${about.id}`)).json).toEqual(revoked.json)
  expect((await ask('GET', '/v1/keys')).json.items).toEqual([])
  expect((await ask('GET', '/v1/keys?all=true')).json.items).toEqual([revoked.json])
  expect(await store.control('key.inForce', {})).toEqual([])
})

it('nobody gives away more than they have', async () => {
  const { ask, key } = await setupHttp()
  const scoped = { key: await key('admin', '/a') }
  const make = (body: object) => ask('POST', '/v1/keys', { body: { label: 'x', role: 'admin', ...body }, ...scoped })
  expect((await make({})).json.path).toBe('/a')
  expect((await make({ path: 'b' })).json.path).toBe('/a/b')
  expect(refusal(await make({ path: '/b' }))).toEqual([403, 'forbidden', 'path'])
  expect(refusal(await make({ path: '/ab' }))).toEqual([403, 'forbidden', 'path'])
  const other = await ask('POST', '/v1/keys', { body: { label: 'all', role: 'read' } })
  expect(other.json.path).toBeNull()
  for (const id of [newId(), other.json.id]) {
    for (const method of ['GET', 'DELETE']) {
      const { status, json } = await ask(method, `/v1/keys/${id}`, scoped)
      expect([status, json.detail]).toEqual([404, `There is no key "${id}".`])
    }
  }
  const paths = (await ask('GET', '/v1/keys', scoped)).json.items.map(({ path }: { path: string }) => path)
  expect(paths).toEqual(['/a/b', '/a', '/a'])
})

it('keys that break a rule are not made', async () => {
  const { ask } = await setupHttp()
  const wrong = [
    [{}, 'label'],
    [{ label: 'x' }, 'role'],
    [{ label: 'x', role: 'root' }, 'role'],
    [{ label: '', role: 'read' }, 'label'],
    [{ label: 'x', role: 'read', expiresAt: 'never' }, 'expiresAt'],
    [{ label: 'x', role: 'read', hash: 'x' }, 'hash'],
  ] as const
  for (const [body, field] of wrong) {
    expect([body, ...refusal(await ask('POST', '/v1/keys', { body }))]).toEqual([
      ...[body, 400, 'invalid_argument', field],
    ])
  }
  expect(refusal(await ask('GET', '/v1/keys/x'))).toEqual([400, 'invalid_argument', 'key'])
  expect(refusal(await ask('GET', '/v1/keys?path=/a'))).toEqual([400, 'invalid_argument', 'path'])
})
