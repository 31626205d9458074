import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { newId } from '../support/fixture.ts'
import { type HttpFixture, setupHttp } from '../support/http.ts'
import { openSse, type Sse } from '../support/sse.ts'
import { gate, onBothStores, type SetupStint, startWorker, until } from '../support/stint.ts'

const quick = defineJob('x', { run: () => 1 })

async function setupStream(setup?: SetupStint, options: object = {}) {
  const http = await setupHttp(options, setup)
  const stream = (query = '', headers: Readonly<Record<string, string>> = {}) => {
    return openSse(`${http.server.url}/v1/stream${query}`, headers)
  }
  return { ...http, stream }
}

async function submit({ ask }: Pick<HttpFixture, 'ask'>, name: string, fields: object = {}): Promise<string> {
  return (await ask('POST', '/v1/jobs', { body: { type: 'x', name, ...fields } })).json.id
}

const typesOf = ({ events }: Pick<Sse, 'events'>) => events.map(({ data }) => data.eventType)
const idsOf = ({ events }: Pick<Sse, 'events'>) => events.map(({ id }) => id)

onBothStores('the stream of events', (setup) => {
  it('tells of everything once, and hides the tokens of attempts', async () => {
    const http = await setupStream(setup)
    await submit(http, '/a/before')
    const sse = await http.stream('?type=job.*')
    await startWorker(http.stint, { jobs: [quick] })
    const id = await submit(http, '/a/x')
    const own = async () => sse.events.filter(({ data }) => id.endsWith(data.jobId))
    const seen = await until(own, ({ length }) => length >= 3)
    expect(seen.map(({ data }) => data.eventType)).toEqual(['job.created', 'job.run.started', 'job.run.completed'])
    expect(JSON.stringify(seen)).not.toContain('token')
    expect(seen[0]?.data.occurredAt).toMatch(/^\d{4}-.*Z$/)
  })

  it('goes on where another ended, and misses and repeats nothing while many write', async () => {
    const http = await setupStream(setup)
    const others = await Promise.all([http.open(), http.open()])
    await startWorker(http.stint, { jobs: [quick] })
    const whole = await http.stream('?type=job.*')
    let last = whole.lastId() ?? ''
    const writers = Promise.all(
      others.map(async (stint, w) => {
        for (let i = 0; i < 15; i++) {
          const names = [1, 2, 3, 4].map((n) => `/w${w}/i${i}n${n}`)
          await stint.submitMany(names.map((name) => ({ job: quick, options: { name } })))
        }
      }),
    )
    const seen: (string | null)[] = []
    while (seen.length < 2 * 15 * 4 * 3) {
      const part = await http.stream('?type=job.*', { 'last-event-id': last })
      await setTimeout(15)
      part.close()
      await part.ended
      last = part.lastId() ?? last
      seen.push(...idsOf(part))
    }
    await writers
    await whole.count(360)
    expect(seen).toEqual(idsOf(whole))
    expect(new Set(seen).size).toBe(360)
  })
})

describe('the stream of events', () => {
  it('is filtered by job, type and path', async () => {
    const http = await setupStream()
    const id = await submit(http, '/a/mine')
    const streams = await Promise.all(
      [
        `?job=${id}&after=beginning`,
        '?type=job.cancelled,job.run.*&after=beginning',
        '?path=/a/b,/c&after=beginning',
        '?path=/a&type=job.created&after=beginning',
      ].map((query) => http.stream(query)),
    )
    for (const name of ['/a/b/x', '/a/bx', '/c/x', '/d/x']) await submit(http, name)
    await http.ask('POST', `/v1/jobs/${id}/cancel`, { body: {} })
    const names = async (i: number, n: number) => (await streams[i]?.count(n))?.map(({ data }) => data.attributes.name)
    expect(await names(0, 2)).toEqual(['/a/mine', undefined])
    expect(typesOf(streams[0] as Sse)).toEqual(['job.created', 'job.cancelled'])
    expect(await names(3, 3)).toEqual(['/a/mine', '/a/b/x', '/a/bx'])
    await streams[1]?.count(1)
    expect(typesOf(streams[1] as Sse)).toEqual(['job.cancelled'])
    expect(await names(2, 2)).toEqual(['/a/b/x', '/c/x'])
    // A name that is only known to the store: the stream has not seen the job begin.
    const late = await http.stream('?path=/a/mine')
    await http.ask('POST', `/v1/jobs/${id}/retry`)
    expect((await late.count(1))[0]?.data.attributes.retryOf).toBe(id)
  })

  it('shows a key only its own branch', async () => {
    const http = await setupStream(undefined, { requireKeys: true })
    const [admin, key] = [await http.key('admin'), await http.key('read', '/a/b')]
    const headers = { authorization: `Bearer ${key}` }
    const make = (name: string) => http.ask('POST', '/v1/jobs', { body: { type: 'x', name }, key: admin })
    const foreign = (await make('/a/c')).json.id
    const sse = await http.stream('?after=beginning', headers)
    await make('/a/bx')
    await make('/b/x')
    await make('/a/b/x')
    expect((await sse.count(1)).map(({ data }) => data.attributes.name)).toEqual(['/a/b/x'])
    expect((await http.stream('?path=/a', headers)).status).toBe(403)
    expect((await http.stream(`?job=${foreign}`, headers)).status).toBe(404)
    expect((await http.stream(`?job=${newId()}`, headers)).status).toBe(404)
    expect((await http.stream()).status).toBe(401)
  })

  it('ends when its key is revoked, or the server closes', async () => {
    const http = await setupStream(undefined, { requireKeys: true, heartbeatMs: 20, keysFreshMs: 20 })
    const [key, otherKey] = [await http.key('read'), await http.key('read')]
    const sse = await http.stream('', { authorization: `Bearer ${key}` })
    const other = await http.stream('', { authorization: `Bearer ${otherKey}` })
    await until(
      () => sse.comments(),
      (n) => n > 1,
    )
    const { items } = await http.store.control('key.list', { before: null, limit: 10 })
    const [, row] = items.toReversed()
    await http.store.control('key.revoke', { key: row?.id ?? '' })
    await sse.ended
    await until(
      () => other.comments(),
      (n) => n > other.events.length + 2,
    )
    await Promise.all([http.server.close(), other.ended])
  })

  it('ends soon after its key is revoked, though it seldom says that it is alive', async () => {
    const http = await setupStream(undefined, { requireKeys: true, heartbeatMs: 600_000, keysFreshMs: 20 })
    const sse = await http.stream('', { authorization: `Bearer ${await http.key('read')}` })
    const { items } = await http.store.control('key.list', { before: null, limit: 10 })
    for (const { id } of items) await http.store.control('key.revoke', { key: id })
    await sse.ended
  })

  it('is not begun for who asks only whether there is one', async () => {
    const { server } = await setupHttp({ streamMax: 1 })
    for (let i = 0; i < 3; i++) expect((await fetch(`${server.url}/v1/stream`, { method: 'HEAD' })).status).toBe(200)
    const leaves = new AbortController()
    expect((await fetch(`${server.url}/v1/stream`, { signal: leaves.signal })).status).toBe(200)
    leaves.abort()
  })

  it('is refused when too many listen already, until one of them leaves', async () => {
    const { ask, server } = await setupHttp({ streamMax: 1 })
    const leaves = new AbortController()
    const first = await fetch(`${server.url}/v1/stream`, { signal: leaves.signal })
    expect(first.status).toBe(200)
    const refused = await ask('GET', '/v1/stream')
    expect([refused.status, refused.json.code, refused.headers.get('retry-after')]).toEqual([
      ...[429, 'too_many_requests', '1'],
    ])
    leaves.abort()
    const next = new AbortController()
    await until(
      async () => (await fetch(`${server.url}/v1/stream`, { signal: next.signal })).status,
      (status) => status === 200,
    )
    next.abort()
  })

  it('tells in its heartbeats from where to go on', async () => {
    const http = await setupStream(undefined, { heartbeatMs: 10 })
    const sse = await http.stream('?type=nothing')
    const begin = sse.lastId()
    await submit(http, '/a/x')
    await until(
      () => sse.lastId(),
      (id) => id !== begin,
    )
    expect(await http.stream('?after=nonsense').then(({ status }) => status)).toBe(400)
  })

  it('waits for a client that does not read, and then gives it all that it missed', async () => {
    const http = await setupStream()
    const whole = await http.stream('?type=big')
    const socket = connect(http.server.port, '127.0.0.1').setEncoding('utf8')
    onTestFinished(() => void socket.destroy())
    socket.write(`GET /v1/stream?type=big HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (text.length < 1_000) socket.pause()
    })
    await until(
      () => text,
      (seen) => seen.includes('retry'),
    )
    // More than the buffers on both sides of the connection hold.
    const append = (i: number) => ({ type: 'big', id: String(i), attributes: { text: 'x'.repeat(200_000) } })
    for (let i = 0; i < 100; i += 10) {
      await http.stint.events.appendMany(Array.from({ length: 10 }, (_, n) => append(i + n)))
    }
    await whole.count(100)
    socket.resume()
    const got = () => [...text.matchAll(/^id: (\S+)\ndata: /gm)].map(([, id]) => id)
    await until(got, ({ length }) => length >= 100)
    expect(got()).toEqual(idsOf(whole))
  })
})

describe('the log of an attempt', () => {
  it('is followed line by line until the attempt is over', async () => {
    const http = await setupStream()
    const more = gate()
    const talk = defineJob('talk', {
      run: async (ctx) => {
        ctx.log('one')
        await more.promise
        ctx.log('two')
      },
    })
    await startWorker(http.stint, { jobs: [talk] })
    const { id } = await http.stint.submit(talk)
    await until(
      async () => (await http.stint.jobs.get(id))?.status,
      (status) => status === 'RUNNING',
    )
    const path = `${http.server.url}/v1/jobs/${id}/runs/1/log/stream`
    const sse = await openSse(path)
    expect((await sse.count(1))[0]?.data).toMatchObject({ seq: 1, line: 'one' })
    more.resolve()
    await sse.ended
    expect(sse.events.map(({ event, data }) => [event, data.line])).toEqual([
      ['message', 'one'],
      ['message', 'two'],
      ['end', undefined],
    ])
    const again = await openSse(path, { 'last-event-id': '1' })
    await again.ended
    expect(again.events.map(({ event, data }) => [event, data.line])).toEqual([
      ['message', 'two'],
      ['end', undefined],
    ])
    expect((await openSse(path.replace('/runs/1/', '/runs/2/'))).status).toBe(404)
  })
})
