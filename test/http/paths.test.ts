import { expect, it } from 'vitest'
import { refusal, setupHttp } from '../support/http.ts'

it('defaults of paths are set, listed and removed over HTTP', async () => {
  const { ask, key } = await setupHttp()
  const settings = { priority: 3, labels: { team: 'a' }, retry: { maxAttempts: 1 }, timeoutMs: null }
  const set = await ask('PUT', '/v1/defaults', { body: { path: '/a', settings: { ...settings, limits: ['db'] } } })
  expect(set.json).toMatchObject({ path: '/a', settings: { ...settings, limits: [{ key: 'db' }] } })
  expect((await ask('POST', '/v1/jobs', { body: { type: 'x', name: '/a/b/c' } })).json.priority).toBe(3)
  const scoped = await key('admin', '/b')
  await ask('PUT', '/v1/defaults', { body: { path: 'low', settings: { priority: -1 } }, key: scoped })
  const paths = async (query = '') => {
    return (await ask('GET', `/v1/defaults${query}`)).json.items.map((each: { path: string }) => each.path)
  }
  expect(await paths()).toEqual(['/b/low', '/a'])
  expect(await paths('?path=/a')).toEqual(['/a'])
  expect((await ask('GET', '/v1/defaults', { key: scoped })).json.items).toHaveLength(1)
  expect((await ask('DELETE', '/v1/defaults?path=/a')).status).toBe(204)
  expect(refusal(await ask('DELETE', '/v1/defaults?path=/a'))).toEqual([404, 'not_found', undefined])
  expect(refusal(await ask('DELETE', '/v1/defaults'))).toEqual([400, 'invalid_argument', 'path'])
  const wrong = [
    [{ path: '/a' }, 'settings'],
    [{ settings: {} }, 'path'],
    [{ path: '/a', settings: { params: {} } }, 'settings.params'],
    [{ path: '/a', settings: { priority: 1e9 } }, 'priority'],
    [{ path: '/a', settings: { expiresInMs: -1 } }, 'settings.expiresInMs'],
  ] as const
  for (const [body, field] of wrong) {
    expect([body, ...refusal(await ask('PUT', '/v1/defaults', { body }))]).toEqual([
      ...[body, 400, 'invalid_argument', field],
    ])
  }
  const elsewhere = await ask('PUT', '/v1/defaults', { body: { path: '/a', settings: {} }, key: scoped })
  expect(refusal(elsewhere)).toEqual([403, 'forbidden', 'path'])
})

it('how long things are kept is set, listed and removed over HTTP', async () => {
  const { ask, key } = await setupHttp()
  const set = await ask('PUT', '/v1/retention', { body: { path: '/a', policy: { jobsMs: 1_000, runsMs: null } } })
  expect(set.json).toMatchObject({ path: '/a', policy: { jobsMs: 1_000, runsMs: null } })
  const effective = await ask('GET', '/v1/retention/effective?path=/a/b')
  expect(effective.json).toEqual({ jobsMs: 1_000, runsMs: null, eventsMs: null })
  const scoped = await key('admin', '/b')
  expect((await ask('GET', '/v1/retention/effective?path=x', { key: scoped })).json.jobsMs).toBe(30 * 86_400_000)
  expect(refusal(await ask('GET', '/v1/retention/effective?path=/a', { key: scoped }))).toEqual([
    ...[403, 'forbidden', 'path'],
  ])
  expect((await ask('GET', '/v1/retention')).json.items).toEqual([set.json])
  expect((await ask('GET', '/v1/retention', { key: scoped })).json.items).toEqual([])
  expect((await ask('DELETE', '/v1/retention?path=/a')).status).toBe(204)
  expect(refusal(await ask('DELETE', '/v1/retention?path=/a'))).toEqual([404, 'not_found', undefined])
  const wrong = [
    [{ path: '/a' }, 'policy'],
    [{ path: '/a', policy: { jobsMs: -1 } }, 'policy.jobsMs'],
    [{ path: '/a', policy: { jobsMs: 1e15 } }, 'policy.jobsMs'],
    [{ path: '/a', policy: { logsMs: 1 } }, 'policy.logsMs'],
  ] as const
  for (const [body, field] of wrong) {
    expect([body, ...refusal(await ask('PUT', '/v1/retention', { body }))]).toEqual([
      ...[body, 400, 'invalid_argument', field],
    ])
  }
  expect(refusal(await ask('GET', '/v1/retention/effective'))).toEqual([400, 'invalid_argument', 'path'])
})
