import { describe, expect, it } from 'vitest'
import { overriding } from '../../src/engine/observed-store.ts'
import type { LogEntry } from '../../src/http/log.ts'
import { newId } from '../support/fixture.ts'
import { type Asked, refusal, setupHttp } from '../support/http.ts'

const friend = 'http://friend.example'

describe('a request', () => {
  it('is told which field holds a name or an id that is none, wherever it stands', async () => {
    const { ask } = await setupHttp()
    const { json } = await ask('POST', '/v1/jobs', { body: { type: 'x' } })
    const body = (fields: object) => ({ body: { type: 'x', ...fields } })
    expect(refusal(await ask('GET', '/v1/jobs/nope'))).toEqual([400, 'invalid_id', 'job'])
    expect(refusal(await ask('GET', '/v1/jobs?branch=nope'))).toEqual([400, 'invalid_name', 'branch'])
    expect(refusal(await ask('POST', '/v1/jobs', body({ name: '/a//b' })))).toEqual([400, 'invalid_name', 'name'])
    expect(refusal(await ask('POST', '/v1/jobs', body({ after: ['nope'] })))).toEqual([400, 'invalid_id', 'after[0]'])
    const move = await ask('POST', `/v1/jobs/${json.id}/move`, { body: { to: { before: 'nope' } } })
    expect(refusal(move)).toEqual([400, 'invalid_id', 'to.before'])
    const batch = await ask('POST', '/v1/jobs/batch', { body: { jobs: [{ type: 'x', name: '/a//b' }] } })
    expect(batch.json.results[0].problem).toMatchObject({ code: 'invalid_name', field: 'name' })
  })

  it('is told of its own fields, in its own words', async () => {
    const { ask } = await setupHttp()
    expect(refusal(await ask('GET', '/v1/events?cursor=nope'))).toEqual([400, 'invalid_argument', 'cursor'])
    const early = await ask('POST', '/v1/jobs', { body: { type: 'x', scheduledFor: '1066-10-14T00:00:00Z' } })
    expect([early.json.field, early.json.rule]).toEqual(['scheduledFor', 'must not be before 1970'])
    const cloud = { specversion: '1.0', id: '1', source: '/x', type: 'y', data_base64: 'aGk=' }
    const binary = await ask('POST', '/v1/events', { body: cloud })
    expect([binary.json.field, binary.json.rule]).toEqual(['data_base64', 'must be absent'])
  })

  it('that needs to say nothing may have no body', async () => {
    const { ask } = await setupHttp()
    const { json } = await ask('POST', '/v1/jobs', { body: { type: 'x' } })
    expect((await ask('POST', `/v1/jobs/${json.id}/cancel`)).json.status).toBe('CANCELLED')
    expect(refusal(await ask('POST', '/v1/jobs'))).toEqual([400, 'invalid_argument', 'type'])
  })

  it('for what is not there is answered with 404, or with the methods that are', async () => {
    const { ask } = await setupHttp()
    for (const of of ['', '/runs', '/runs/1/log', '/events', '/notes', '/graph', '/shards']) {
      expect((await ask('GET', `/v1/jobs/${newId()}${of}`)).status, of).toBe(404)
    }
    expect((await ask('GET', '/v1/jobs/')).status).toBe(404)
    const { headers, ...wrong } = await ask('PUT', '/v1/jobs')
    expect([wrong.status, headers.get('allow'), wrong.json.field]).toEqual([405, 'POST, GET', 'method'])
  })

  it('is answered so that no browser guesses what it is or keeps it, whatever is asked for', async () => {
    const { ask } = await setupHttp({ allowedOrigins: [friend] })
    const { json } = await ask('POST', '/v1/jobs', { body: { type: 'x' } })
    const body = { type: 'x' }
    const once = { headers: { 'idempotency-key': 'a' }, body }
    const pages = ['/v1/openapi.json', '/metrics', '/reference', '/errors', '/healthz', '/readyz']
    const asked: readonly (readonly [asked: string, status: number, more?: Asked])[] = [
      ['POST /v1/jobs', 201, { body }],
      ['POST /v1/jobs', 201, once],
      ['POST /v1/jobs', 201, once],
      ['POST /v1/jobs', 400, { body: { type: 5 } }],
      [`GET /v1/jobs/${json.id}`, 200],
      ['PUT /v1/retention', 200, { body: { path: '/a', jobsMs: 5 } }],
      ['DELETE /v1/retention?path=/a', 204],
      ['GET /v1/nothing', 404],
      ...pages.map((path) => [`GET ${path}`, 200] as const),
      ['OPTIONS /v1/jobs', 204, { headers: { origin: friend, 'access-control-request-method': 'POST' } }],
      ['GET /v1/jobs', 403, { headers: { origin: 'http://foe.example' } }],
    ]
    for (const [what, status, more] of asked) {
      const [method = '', path = ''] = what.split(' ')
      const reply = await ask(method, path, more)
      const said = ['x-content-type-options', 'cache-control'].map((name) => reply.headers.get(name))
      expect([what, reply.status, ...said]).toEqual([what, status, 'nosniff', 'no-store'])
    }
  })

  it('of a page that is allowed is answered so that its browser shows the answer, and no other', async () => {
    const { ask, key } = await setupHttp({ requireKeys: true, allowedOrigins: [friend] })
    const asks = { origin: friend, 'access-control-request-method': 'POST' }
    const before = await ask('OPTIONS', '/v1/jobs', { headers: asks })
    expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([204, friend])
    expect(before.headers.get('access-control-allow-headers')).toContain('authorization')
    const asked = { key: await key('read'), headers: { origin: friend } }
    expect((await ask('GET', '/v1/jobs', asked)).headers.get('access-control-allow-origin')).toBe(friend)
    // Without a key there is still nothing to see.
    expect((await ask('GET', '/v1/jobs', { headers: { origin: friend } })).status).toBe(401)
    const evil = await ask('OPTIONS', '/v1/jobs', { headers: { ...asks, origin: 'http://evil.example' } })
    expect([evil.status, evil.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })

  it('stands in the log with who sent it, and what went wrong with why, also where it is done once', async () => {
    const entries: LogEntry[] = []
    const wrap = (store: Parameters<typeof overriding>[0]) => {
      return overriding(store, { submit: () => Promise.reject(new TypeError('boom')) })
    }
    const http = await setupHttp({ requireKeys: true, log: (entry) => entries.push(entry) }, undefined, { wrap })
    const asked = { key: await http.key('submit', '/a'), body: { type: 'x', params: { secret: 'canary' } } }
    const once = { ...asked, headers: { 'idempotency-key': 'k' } }
    expect((await http.ask('POST', '/v1/jobs?x=canary', asked)).status).toBe(400)
    for (const each of [asked, once]) expect((await http.ask('POST', '/v1/jobs', each)).status).toBe(500)
    const [refused, ...failed] = entries
    expect(refused).toMatchObject({ level: 'info', call: 'submitJob', status: 400, actor: 'key submit of /a' })
    expect(failed.map(({ level, status, error }) => [level, status, String(error)])).toEqual([
      ...['error', 'info', 'error', 'info'].map((level) => {
        return level === 'info' ? [level, 500, 'undefined'] : [level, undefined, 'TypeError: boom']
      }),
    ])
    expect(JSON.stringify(entries)).not.toContain('canary')
  })
})
