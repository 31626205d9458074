import { describe, expect, it } from 'vitest'
import { refusal, setupHttp } from '../support/http.ts'

describe('limits over HTTP', () => {
  it('are set, shown and removed', async () => {
    const { ask, key } = await setupHttp()
    const set = await ask('PUT', '/v1/limits', { body: { key: '/a/b', concurrency: 2, rate: '5/min' } })
    const shown = { key: '/a/b', concurrency: 2, rate: { count: 5, perMs: 60_000 }, held: 0, started: 0, waiting: 0 }
    expect(set.json).toEqual(shown)
    const changed = await ask('PUT', '/v1/limits', { body: { key: '/a/b', rate: null } })
    expect(changed.json).toEqual({ ...shown, rate: null })
    await ask('PUT', '/v1/limits', { body: { key: 'db', concurrency: 0 } })
    const keys = async (asked = {}) => {
      return (await ask('GET', '/v1/limits', asked)).json.items.map((each: { key: string }) => each.key)
    }
    expect((await keys()).sort()).toEqual(['/a/b', 'db'])
    const scoped = await key('admin', '/a')
    expect(await keys({ key: scoped })).toEqual(['/a/b'])
    const shared = await ask('PUT', '/v1/limits', { body: { key: 'db', concurrency: 9 }, key: scoped })
    expect([shared.status, shared.json.code]).toEqual([403, 'forbidden'])
    expect((await ask('DELETE', '/v1/limits?key=db', { key: scoped })).status).toBe(404)
    expect((await ask('DELETE', '/v1/limits?key=%2Fa%2Fb')).status).toBe(204)
    expect(await keys()).toEqual(['db'])
  })

  it('refuse what breaks a rule', async () => {
    const { ask } = await setupHttp()
    const wrong = [
      [{}, 'key'],
      [{ key: 'x', concurrency: -1 }, 'concurrency'],
      [{ key: 'x', rate: 'often' }, 'rate'],
      [{ key: 'x', rate: 5 }, 'rate'],
      [{ key: 'x', width: 5 }, 'width'],
    ] as const
    for (const [body, field] of wrong) {
      expect([body, ...refusal(await ask('PUT', '/v1/limits', { body }))]).toEqual([
        ...[body, 400, 'invalid_argument', field],
      ])
    }
    expect(refusal(await ask('DELETE', '/v1/limits'))).toEqual([400, 'invalid_argument', 'key'])
    expect(refusal(await ask('DELETE', '/v1/limits?key=x'))).toEqual([404, 'not_found', undefined])
  })
})

describe('pauses over HTTP', () => {
  it('hold a branch or a type until it is resumed', async () => {
    const { ask, key } = await setupHttp()
    const scoped = await key('admin', '/a')
    const branch = await ask('POST', '/v1/pauses', { body: { path: 'b', reason: 'moving' }, key: scoped })
    expect(branch.json).toMatchObject({ path: '/a/b', type: null, reason: 'moving' })
    const job = await ask('POST', '/v1/jobs', { body: { type: 'x', name: '/a/b/job' } })
    expect(job.status).toBe(201)
    const type = await ask('POST', '/v1/pauses', { body: { type: 'x' } })
    expect(type.json).toMatchObject({ path: null, type: 'x', reason: null })
    expect((await ask('GET', '/v1/pauses')).json.items).toHaveLength(2)
    expect((await ask('GET', '/v1/pauses', { key: scoped })).json.items).toEqual([branch.json])
    expect((await ask('DELETE', '/v1/pauses?type=x', { key: scoped })).status).toBe(404)
    expect((await ask('DELETE', '/v1/pauses?type=x')).status).toBe(204)
    expect((await ask('DELETE', '/v1/pauses?path=b', { key: scoped })).status).toBe(204)
    expect((await ask('GET', '/v1/pauses')).json.items).toEqual([])
  })

  it('refuse what breaks a rule', async () => {
    const { ask, key } = await setupHttp()
    const wrong = [
      [{}, 'path'],
      [{ path: '/a', type: 'x' }, 'path'],
      [{ type: 'no type' }, 'type'],
      [{ type: 'x', reason: 7 }, 'reason'],
    ] as const
    for (const [body, field] of wrong) {
      expect([body, ...refusal(await ask('POST', '/v1/pauses', { body }))]).toEqual([
        ...[body, 400, 'invalid_argument', field],
      ])
    }
    expect(refusal(await ask('DELETE', '/v1/pauses'))).toEqual([400, 'invalid_argument', 'path'])
    expect(refusal(await ask('DELETE', '/v1/pauses?path=/a'))).toEqual([404, 'not_found', undefined])
    const elsewhere = await ask('POST', '/v1/pauses', { body: { path: '/b' }, key: await key('admin', '/a') })
    expect(refusal(elsewhere)).toEqual([403, 'forbidden', 'path'])
  })
})
