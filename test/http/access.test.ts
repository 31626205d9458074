import { request as rawRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Role, roles } from '../../src/core/access/key.ts'
import { hashOf, newKey } from '../../src/http/access/keyring.ts'
import { RateLimit } from '../../src/http/access/rate-limit.ts'
import { startServer } from '../../src/http/server.ts'
import { newId } from '../support/fixture.ts'
import { type HttpFixture, setupHttp } from '../support/http.ts'
import { codeOf } from '../support/requests.ts'
import { setupStint, until } from '../support/stint.ts'
import {
  askOnce,
  minimal,
  missing,
  type Operation,
  operations,
  pathOf,
  type Samples,
  samplesFor,
  samplesIn,
  withText,
} from './surface.ts'

/** Keys are looked up anew for every request. */
const fresh = { requireKeys: true, keysFreshMs: -1 }

const nothing = missing({ job: `stint::a:${newId()}` } as Samples, newId())

/** Ids that every request makes anew, whole or as the end of a name. */
const madeUp = /[0-9a-f]{8}-[0-9a-f-]{27}|[-/][0-9a-z]{15}\b/g

const bodyOf = ({ body }: Operation) => (body === null ? {} : { body: minimal(body) })

/** Every route with something in the place of its params. */
function send({ server }: HttpFixture, operation: Operation, key?: string, samples: Samples = nothing) {
  const asked = { ...bodyOf(operation), ...(key === undefined ? {} : { key }) }
  return askOnce(server.url, operation.method, pathOf(operation, samples), asked)
}

/** A path that nothing has yet, in place of the one that the smallest body has: what was made a moment ago is in the way of nobody. */
function atNewPath(body: unknown): unknown {
  const isSmallest = typeof body === 'object' && body !== null && 'path' in body && body.path === 'x'
  return isSmallest ? { ...body, path: `x-${newId()}` } : body
}

describe('every route', () => {
  it('asks for a key, and for one of its role or more', async () => {
    const http = await setupHttp(fresh)
    const { stint, key } = http
    const samples = missing(await samplesIn(stint, 'a'), newId())
    const keys = new Map<Role, string>()
    for (const role of roles) keys.set(role, await key(role))
    for (const operation of operations) {
      const statuses: Record<string, number> = {}
      const needed = roles.indexOf(operation.role as Role)
      expect(needed, `x-role of ${operation.id}`).toBeGreaterThanOrEqual(0)
      const none = await send(http, operation, undefined, samples)
      expect([none.status, none.json?.code], operation.id).toEqual([401, 'unauthorized'])
      for (const [role, made] of keys) statuses[role] = (await send(http, operation, made, samples)).status
      const refused = roles.slice(0, needed).map((role) => statuses[role])
      const allowed = roles.slice(needed).map((role) => statuses[role])
      expect(refused, operation.id).toEqual(refused.map(() => 403))
      for (const status of allowed) expect([401, 403], `${operation.id}: ${status}`).not.toContain(status)
    }
  })

  it('answers what is of another namespace like what is not there, wherever it is named', async () => {
    const http = await setupHttp({ requireKeys: true })
    const key = await http.key('admin', '/own')
    const foreign = await samplesIn(http.stint, 'foreign')
    const unknown = missing(foreign, newId())
    // Why a job waits is not only its own affair: what others do may say so.
    const theirs = async () =>
      (await http.stint.jobs.list({ branch: '/foreign' })).items.map((job) => ({ ...job, reason: null }))
    const before = await theirs()
    const told = async (operation: Operation, path: string, body: unknown, of: Samples) => {
      const { status, text } = await askOnce(http.server.url, operation.method, path, {
        ...(operation.body === null ? {} : { body: atNewPath(body) }),
        key,
      })
      const ids = [...new Set([...Object.values(of), ...Object.values(unknown)])].sort((a, b) => b.length - a.length)
      const shown = ids.reduce((so, id) => so.replaceAll(id, '<id>'), text).replaceAll(madeUp, '<made up>')
      // What was done is another thing each time; it must only tell nothing of the others.
      return status < 400 ? [status, shown.includes('foreign')] : [status, shown]
    }
    for (const operation of operations) {
      const same = async (what: string, make: (of: Samples) => readonly [string, unknown]) => {
        const [given, expected] = [
          await told(operation, ...make(foreign), foreign),
          await told(operation, ...make(unknown), unknown),
        ]
        expect(given, `${operation.id}: ${what}`).toEqual(expected)
      }
      const base = operation.body === null ? undefined : minimal(operation.body)
      if (operation.params.length > 0) await same('params', (of) => [pathOf(operation, of), base])
      const own = pathOf(operation, unknown)
      for (const name of Object.keys(operation.query)) {
        for (const sample of samplesFor(name)) {
          await same(`${name}=${sample}`, (of) => [`${own}?${name}=${encodeURIComponent(of[sample])}`, base])
        }
      }
      const places = [...withText(operation.body ?? {}, '')].map(([place]) => place)
      for (const [i, place] of operation.body === null ? [] : places.entries()) {
        for (const sample of samplesFor(place)) {
          await same(`${place}: ${sample}`, (of) => [own, [...withText(operation.body ?? {}, of[sample])][i]?.[1]])
        }
      }
    }
    expect(await theirs()).toEqual(before)
    expect((await http.stint.verify()).differences).toEqual([])
  })
})

describe('a key', () => {
  const path = '/v1/jobs'

  it('is not taken once it is revoked, also by what waits with it', async () => {
    const { ask, key, store } = await setupHttp(fresh)
    const made = await key('submit', '/a')
    const job = await ask('POST', path, { key: made, body: { type: 'x' } })
    expect(job.status).toBe(201)
    const waiting = ask('GET', `${path}/${job.json.id}?waitMs=60000`, { key: made })
    const { items } = await store.control('key.list', { limit: 10 })
    await store.control('key.revoke', { key: items[0]?.id ?? '' })
    expect((await ask('GET', path, { key: made })).json).toMatchObject({ status: 401, code: 'unauthorized' })
    expect((await waiting).json).toMatchObject({ status: 401, code: 'unauthorized' })
  })

  it('is not taken any more a short time after it was revoked on another server', async () => {
    const { ask, key, store } = await setupHttp({ requireKeys: true, keysFreshMs: 50 })
    const made = await key('read')
    expect((await ask('GET', path, { key: made })).status).toBe(200)
    const { items } = await store.control('key.list', { limit: 10 })
    await store.control('key.revoke', { key: items[0]?.id ?? '' })
    await until(
      () => ask('GET', path, { key: made }),
      ({ status }) => status === 401,
    )
  })

  it('is not taken after its time', async () => {
    const { ask, store } = await setupHttp(fresh)
    const [made, over] = [newKey(), newKey()]
    const about = { label: 'x', scope: null, role: 'read' } as const
    await store.control('key.create', { ...about, id: newId(), hash: hashOf(made), expiresAt: Date.now() + 3_600_000 })
    await store.control('key.create', { ...about, id: newId(), hash: hashOf(over), expiresAt: Date.now() - 1 })
    expect((await ask('GET', path, { key: made })).status).toBe(200)
    expect((await ask('GET', path, { key: over })).status).toBe(401)
  })

  it('is taken from its header, as it is, and from nowhere else', async () => {
    const { ask, key } = await setupHttp(fresh)
    const made = await key('admin')
    const status = async (query: string, headers: Record<string, string>) =>
      (await ask('GET', `${path}${query}`, { headers })).status
    expect(await status('', { authorization: `Bearer ${made}` })).toBe(200)
    for (const name of ['key', 'token', 'access_token', 'authorization', 'api_key']) {
      expect(await status(`?${name}=${made}`, {})).toBe(401)
      expect(await status('', { cookie: `${name}=${made}` })).toBe(401)
    }
    for (const authorization of [
      made,
      `Basic ${made}`,
      `Bearer ${made}x`,
      `Bearer ${made.slice(0, -1)}`,
      'Bearer',
      `Bearer ${made} x`,
    ]) {
      expect(await status('', { authorization }), authorization).toBe(401)
    }
    expect(await status('', { 'x-api-key': made })).toBe(401)
  })

  it('that is wrong is not taken by an open server either', async () => {
    const { ask } = await setupHttp()
    expect((await ask('GET', path)).status).toBe(200)
    expect((await ask('GET', path, { key: newKey() })).status).toBe(401)
  })

  it('with the longest label can write', async () => {
    const { ask, store } = await setupHttp(fresh)
    const made = newKey()
    const about = { id: newId(), label: 'é'.repeat(100), scope: null, role: 'submit', expiresAt: null } as const
    await store.control('key.create', { ...about, hash: hashOf(made) })
    expect((await ask('POST', path, { key: made, body: { type: 'x' } })).status).toBe(201)
  })

  it('makes so many requests and no more, whatever others do', async () => {
    const { ask, key } = await setupHttp({ ...fresh, requestsPerSecond: 1 })
    // The same label: it is not what is counted by.
    const [one, other] = [await key('read'), await key('read')]
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask('GET', path, { key: one })))
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(refused[0]?.json).toMatchObject({ code: 'too_many_requests', retryable: true, rule: expect.any(String) })
    expect((await ask('GET', path, { key: other })).status).toBe(200)
  })

  it('has its requests back with time', () => {
    const limit = new RateLimit(2)
    const take = (now: number) => {
      try {
        limit.take('x', now)
        return true
      } catch {
        return false
      }
    }
    expect([0, 0, 0, 499, 500, 500, 5_000, 5_000, 5_000].map(take)).toEqual([
      ...[true, true, false, false, true, false, true, true, false],
    ])
  })
})

/** With headers that fetch does not let anybody set. */
function statusWith(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = rawRequest(`${url}/v1/jobs`, { headers, setHost: headers['host'] === undefined }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.on('error', reject)
    asked.end()
  })
}

describe('an open server', () => {
  it('is reached by names of its own machine only, and by pages of its own', async () => {
    const { server } = await setupHttp({ allowedHosts: ['box.lan'], allowedOrigins: ['http://friend.example'] })
    const { port } = server
    const own = [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'box.lan', `box.lan:${port}`]
    for (const host of own) expect(await statusWith(server.url, { host }), host).toBe(200)
    const foreign = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      'xbox.lan',
      '10.0.0.7',
    ]
    for (const host of foreign) expect(await statusWith(server.url, { host }), host).toBe(403)
    const host = `localhost:${port}`
    for (const origin of [`http://${host}`, 'http://friend.example']) {
      expect(await statusWith(server.url, { host, origin }), origin).toBe(200)
    }
    const pages = [
      'http://evil.example',
      'null',
      'http://localhost',
      `http://${host}.evil.example`,
      'http://friend.example.evil',
      'garbage',
    ]
    for (const origin of pages) expect(await statusWith(server.url, { host, origin }), origin).toBe(403)
  })

  it('guards what is no route in the same way', async () => {
    const { server } = await setupHttp()
    for (const path of ['/v1/openapi.json', '/reference', '/healthz', '/readyz', '/nothing']) {
      const { status } = await askOnce(server.url, 'GET', path, { headers: { origin: 'http://evil.example' } })
      expect(status, path).toBe(403)
    }
  })

  it.each(['0.0.0.0', '::', '10.0.0.7', 'box.lan', ''])('does not start on %j', async (host) => {
    const { stint } = await setupStint()
    expect(await codeOf(startServer({ stint, host, port: 0, requireKeys: false }))).toBe('invalid_argument')
  })
})

describe('a server that asks for keys', () => {
  it('does not start while there is none in force', async () => {
    const { stint, store } = await setupStint()
    expect(await codeOf(startServer({ stint, host: '0.0.0.0', port: 0 }))).toBe('unauthorized')
    const over = { id: newId(), label: 'x', hash: hashOf(newKey()), scope: null, role: 'admin' } as const
    await store.control('key.create', { ...over, expiresAt: 1 })
    expect(await codeOf(startServer({ stint, host: '127.0.0.1', requireKeys: true, port: 0 }))).toBe('unauthorized')
  })

  it('is reached under any name, and not by pages of others', async () => {
    const { server, key } = await setupHttp({ requireKeys: true })
    const authorization = `Bearer ${await key('read')}`
    expect(await statusWith(server.url, { host: 'stint.example', authorization })).toBe(200)
    expect(await statusWith(server.url, { host: 'stint.example', authorization, origin: 'http://evil.example' })).toBe(
      403,
    )
  })

  it('tells who has no key nothing but that it is there', async () => {
    const { server, stint } = await setupHttp({ requireKeys: true })
    await stint.submit('canary-type', {}, { name: '/canary/x' })
    for (const path of ['/v1/openapi.json', '/reference', '/healthz', '/readyz', '/metrics', '/v1/nothing']) {
      const { status, text } = await askOnce(server.url, 'GET', path)
      expect(status, path).toBeLessThan(500)
      expect(text, path).not.toContain('canary')
    }
  })
})
