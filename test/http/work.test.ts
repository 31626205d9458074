import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { overriding } from '../../src/engine/observed-store.ts'
import { verify } from '../../src/store/verify.ts'
import { type HttpFixture, type Reply, setupHttp } from '../support/http.ts'
import { onBothStores, setupStint, startWorker, until } from '../support/stint.ts'

/** One attempt as a claim gives it. */
interface Claimed {
  readonly job: { readonly id: string; readonly name: string; readonly params: unknown }
  readonly token: string
  readonly attempt: number
  readonly checkpoint: unknown
}

type Ask = HttpFixture['ask']

const work = (ask: Ask, call: string, body: object, key?: string): Promise<Reply> =>
  ask('POST', `/v1/work/${call}`, { body, ...(key === undefined ? {} : { key }) })

async function claim(ask: Ask, body: object = {}, key?: string): Promise<readonly Claimed[]> {
  const reply = await work(ask, 'claim', { types: ['x'], limit: 10, ...body }, key)
  expect(reply.status, reply.text).toBe(200)
  return reply.json.jobs
}

async function claimOne(ask: Ask, body: object = {}): Promise<Claimed> {
  const [first] = await claim(ask, { limit: 1, ...body })
  if (first === undefined) throw new Error('A job was expected.')
  return first
}

const attemptOf = ({ job, token }: Claimed) => ({ jobId: job.id, token })

async function submit(ask: Ask, fields: object = {}): Promise<string> {
  return (await ask('POST', '/v1/jobs', { body: { type: 'x', ...fields } })).json.id
}

onBothStores('a worker over HTTP', (setup) => {
  it('claims, reports, completes, and may repeat what it said', async () => {
    const { ask, stint, store } = await setupHttp({}, setup)
    const id = await submit(ask, { name: '/a/x', params: { n: 1 } })
    const first = await work(ask, 'claim', { types: ['x'], name: 'py' })
    expect(first.json).toMatchObject({ leaseMs: 30_000, workerId: expect.any(String), leaseUntil: expect.any(String) })
    const [claimed] = first.json.jobs
    expect(claimed).toMatchObject({ attempt: 1, checkpoint: null, runId: `${id}-run-1`, job: { id, params: { n: 1 } } })
    const told = [
      await work(ask, 'progress', { ...attemptOf(claimed), done: 1, total: 2, checkpoint: { row: 7 } }),
      await work(ask, 'logs', {
        ...attemptOf(claimed),
        from: 1,
        lines: ['one', { at: '2026-01-01T00:00:00Z', line: 'two' }],
      }),
      await work(ask, 'logs', { ...attemptOf(claimed), from: 2, lines: ['two again', 'three'] }),
      await work(ask, 'complete', { ...attemptOf(claimed), result: [42], exitCode: 0 }),
      await work(ask, 'complete', { ...attemptOf(claimed), result: [42], exitCode: 0 }),
    ]
    expect(told.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
    const { json } = await ask('GET', `/v1/jobs/${id}`)
    expect([json.outcome, json.result]).toEqual(['COMPLETED', [42]])
    const log = await ask('GET', `/v1/jobs/${id}/runs/1/log`)
    expect(log.json.items.map(({ seq, line }: { seq: number; line: string }) => [seq, line])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ])
    expect((await stint.workers.list()).items).toContainEqual(expect.objectContaining({ name: 'py', types: ['x'] }))
    expect(await verify(store)).toEqual([])
  })

  it('ends an attempt with whatever error it has', async () => {
    const { ask, stint } = await setupHttp({}, setup)
    await submit(ask, { maxAttempts: 1, name: '/a/long' })
    const error = `\0\ud800${'x'.repeat(100_000)}`
    expect((await work(ask, 'fail', { ...attemptOf(await claimOne(ask)), error })).status).toBe(204)
    expect((await stint.jobs.get('/a/long'))?.error).toMatch(/^\ufffd\ufffdx{65534}… \(cut, 100002 characters\)$/)
  })

  it('is refused with a token that holds nothing any more', async () => {
    const { ask } = await setupHttp({}, setup)
    await submit(ask, { retry: { baseMs: 0 } })
    const old = attemptOf(await claimOne(ask))
    expect((await work(ask, 'fail', { ...old, error: 'no' })).status).toBe(204)
    const anew = await claimOne(ask, { waitMs: 10_000 })
    expect(anew.attempt).toBe(2)
    const refused = await Promise.all([
      work(ask, 'complete', { ...old, result: 1 }),
      work(ask, 'fail', { ...old, error: 'other' }),
      work(ask, 'release', old),
      work(ask, 'progress', { ...old, done: 1 }),
      work(ask, 'logs', { ...old, from: 1, lines: ['x'] }),
      work(ask, 'snooze', { ...old, delayMs: 1 }),
      work(ask, 'later', old),
    ])
    expect(refused.map(({ status, json }) => [status, json?.code])).toEqual(refused.map(() => [409, 'stale_token']))
    const unknown = await work(ask, 'complete', { ...old, jobId: randomUUID() })
    expect([unknown.status, unknown.json.code]).toEqual([404, 'not_found'])
    expect((await work(ask, 'complete', attemptOf(anew))).status).toBe(204)
  })

  it('ends many attempts at once, each with its own fate', async () => {
    const { ask, stint, store } = await setupHttp({}, setup)
    await ask('POST', '/v1/jobs/batch', { body: { jobs: Array.from({ length: 60 }, () => ({ type: 'x' })) } })
    const claimed = await claim(ask, { limit: 100 })
    expect(claimed).toHaveLength(60)
    const replies = await Promise.all(
      claimed.flatMap((each, i) => {
        const attempt = attemptOf(each)
        if (i % 3 === 0) return [work(ask, 'fail', { ...attempt, error: 'no', terminal: true })]
        if (i % 3 === 1) return [work(ask, 'complete', { ...attempt, token: randomUUID() })]
        return [work(ask, 'complete', { ...attempt, result: i }), work(ask, 'complete', { ...attempt, result: i })]
      }),
    )
    const counts = Map.groupBy(replies, ({ status }) => status)
    expect([counts.get(204)?.length, counts.get(409)?.length]).toEqual([60, 20])
    const { items } = await stint.jobs.list({ limit: 100 })
    const ends = Map.groupBy(items, ({ outcome }) => outcome)
    expect([...ends].map(([outcome, jobs]) => [String(outcome), jobs.length]).sort()).toEqual([
      ['COMPLETED', 20],
      ['FAILED', 20],
      ['null', 20],
    ])
    expect(await verify(store)).toEqual([])
  })

  it('waits for work, and gets what is submitted meanwhile, here or by another process', async () => {
    const { ask, open } = await setupHttp({}, setup)
    const other = await open()
    for (const make of [() => submit(ask), async () => (await other.submit('x')).id]) {
      const waiting = claim(ask, { waitMs: 60_000 })
      const id = await make()
      expect((await waiting).map(({ job }) => job.id)).toEqual([id])
    }
  })

  it('learns of what is to stop, and of what it has lost', async () => {
    const { ask } = await setupHttp({}, setup)
    const workerId = randomUUID()
    const ids = [await submit(ask), await submit(ask)]
    const claimed = await claim(ask, { workerId })
    const attempts = claimed.map(attemptOf)
    const renew = async () => (await work(ask, 'renew', { workerId, attempts })).json
    expect(await renew()).toEqual({ alive: true, cancel: [], lost: [] })
    await ask('POST', `/v1/jobs/${ids[0]}/cancel`, { body: {} })
    expect(await renew()).toEqual({ alive: true, cancel: [attempts[0]], lost: [] })
    await work(ask, 'complete', attempts[1] ?? {})
    expect(await renew()).toEqual({ alive: true, cancel: [attempts[0]], lost: [attempts[1]] })
    await work(ask, 'fail', { ...attempts[0], error: 'stopped' })
    expect((await ask('GET', `/v1/jobs/${ids[0]}`)).json.status).toBe('CANCELLED')
    expect((await work(ask, 'renew', { workerId: randomUUID(), attempts })).json).toEqual({
      alive: false,
      cancel: [],
      lost: attempts,
    })
  })

  it('is found lost without a sign of life, and goes on under a new id', async () => {
    const { ask, stint } = await setupHttp({}, setup)
    // Any worker looks after those that are lost, also that of the server, but not as often.
    await startWorker(stint, { jobs: [], leaseMs: 250 })
    await submit(ask, { retry: { baseMs: 0 } })
    const workerId = randomUUID()
    const first = await claimOne(ask, { workerId, leaseMs: 100 })
    const second = await claimOne(ask, { waitMs: 60_000 })
    expect([second.job.id, second.attempt]).toEqual([first.job.id, 2])
    const late = await work(ask, 'claim', { types: ['x'], workerId })
    expect([late.status, late.json.code]).toEqual([409, 'worker_lost'])
    expect((await work(ask, 'renew', { workerId })).json.alive).toBe(false)
    expect((await work(ask, 'complete', attemptOf(first))).json.code).toBe('stale_token')
  })

  it('claims once, however often it asks with the same token', async () => {
    const { ask } = await setupHttp({}, setup)
    await submit(ask)
    await submit(ask)
    const asked = { workerId: randomUUID(), token: randomUUID(), limit: 1 }
    const first = await claim(ask, asked)
    expect(await claim(ask, asked)).toEqual(first)
    expect(first).toMatchObject([{ token: asked.token }])
    const [next] = await claim(ask, { ...asked, token: randomUUID() })
    expect(next?.job.id).not.toBe(first[0]?.job.id)
  })
})

describe('work over HTTP', () => {
  it('goes on where the attempt before has saved, and may be given back, put off or left open', async () => {
    const { ask } = await setupHttp()
    const id = await submit(ask, { retry: { baseMs: 0 }, key: 'k' })
    const first = await claimOne(ask)
    await work(ask, 'progress', { ...attemptOf(first), checkpoint: { row: 7 } })
    await work(ask, 'release', attemptOf(first))
    const second = await claimOne(ask)
    expect([second.attempt, second.checkpoint]).toEqual([2, { row: 7 }])
    await work(ask, 'snooze', { ...attemptOf(second), delayMs: 0 })
    const third = await claimOne(ask, { waitMs: 60_000 })
    await work(ask, 'later', { ...attemptOf(third), events: [{ eventType: 'paid' }], timeoutMs: 3_600_000 })
    const { json } = await ask('GET', `/v1/jobs/${id}`)
    expect([json.status, json.charged]).toEqual(['RUNNING', 0])
  })

  it('gives back what was claimed for somebody who is gone', async () => {
    const { ask, store } = await setupHttp()
    const workerId = randomUUID()
    const gone = new AbortController()
    const body = { types: ['x'], workerId, waitMs: 60_000 }
    const waiting = ask('POST', '/v1/work/claim', { body, signal: gone.signal }).catch(() => null)
    await until(
      () => store.workers(),
      (workers) => workers.some(({ name }) => name === 'http'),
    )
    gone.abort()
    await waiting
    const id = await submit(ask)
    const [next] = await claim(ask, { waitMs: 60_000 })
    expect(next?.job.id).toBe(id)
    expect(await store.held(workerId)).toEqual([])
  })

  it('gives back what was claimed at the moment when its worker left', async () => {
    const gone = new AbortController()
    const workerId = randomUUID()
    const { ask, store, server } = await setupHttp({}, setupStint, {
      wrap: (inner) => {
        return overriding(inner, {
          claim: async (claim) => {
            const jobs = await inner.claim(claim)
            if (claim.workerId === workerId) gone.abort()
            return jobs
          },
        })
      },
    })
    const id = await submit(ask)
    const request = new Request(`${server.url}/v1/work/claim`, {
      method: 'POST',
      headers: { host: '127.0.0.1', 'content-type': 'application/json' },
      body: JSON.stringify({ types: ['x'], workerId }),
      signal: gone.signal,
    })
    expect((await server.app.fetch(request)).status).toBe(200)
    expect(await store.held(workerId)).toEqual([])
    expect(await claimOne(ask)).toMatchObject({ job: { id, charged: 0 }, attempt: 2 })
  })

  it('ends its waiting when the server closes', async () => {
    const { ask, server, store } = await setupHttp()
    const waiting = claim(ask, { waitMs: 60_000 })
    await until(
      () => store.workers(),
      (workers) => workers.some(({ name }) => name === 'http'),
    )
    await Promise.all([server.close(), waiting])
    expect(await waiting).toEqual([])
  })

  it('retires a worker with all that it holds', async () => {
    const { ask, store } = await setupHttp()
    const workerId = randomUUID()
    const id = await submit(ask)
    await claim(ask, { workerId })
    expect((await work(ask, 'retire', { workerId })).status).toBe(204)
    expect((await store.workers()).map(({ id }) => id)).not.toContain(workerId)
    expect((await claim(ask)).map(({ job }) => job.id)).toEqual([id])
  })

  it('submits children in the name of an attempt, for as long as it holds its job', async () => {
    const { ask, stint } = await setupHttp()
    await startWorker(stint, { jobs: [] })
    const id = await submit(ask, { name: '/a/parent' })
    const claimed = await claimOne(ask)
    const parent = attemptOf(claimed)
    const child = await ask('POST', '/v1/jobs', { body: { type: 'y', name: 'child', parent } })
    expect([child.json.name, child.json.submittedBy]).toEqual(['/a/parent/child', `${id}-run-1`])
    await work(ask, 'fail', { ...parent, error: 'no', terminal: true })
    await until(
      async () => (await ask('GET', `/v1/jobs/${child.json.id}`)).json.status,
      (status) => status === 'CANCELLED',
    )
    const late = await ask('POST', '/v1/jobs', { body: { type: 'y', parent } })
    expect([late.status, late.json.code]).toEqual([409, 'stale_token'])
  })

  it('is bound to the path of the key', async () => {
    const { ask, key } = await setupHttp()
    const [a, b, submitter] = [await key('work', '/a'), await key('work', '/b'), await key('submit')]
    const inB = await submit(ask, { name: '/b/x' })
    expect(await claim(ask, {}, a)).toEqual([])
    const elsewhere = await work(ask, 'claim', { types: ['x'], paths: ['/b'] }, a)
    expect([elsewhere.status, elsewhere.json.code]).toEqual([403, 'forbidden'])
    const workerId = randomUUID()
    const [claimed] = await claim(ask, { workerId, name: 'b' }, b)
    if (claimed === undefined) throw new Error('A job was expected.')
    expect(claimed.job.id).toBe(inB)
    const foreign = await Promise.all([
      work(ask, 'complete', attemptOf(claimed), a),
      work(ask, 'progress', { ...attemptOf(claimed), done: 1 }, a),
      work(ask, 'claim', { types: ['x'], workerId, name: 'b' }, a),
    ])
    expect(foreign.map(({ json }) => json?.code)).toEqual(['not_found', 'stale_token', 'worker_lost'])
    expect((await work(ask, 'renew', { workerId }, a)).json.alive).toBe(false)
    await work(ask, 'retire', { workerId }, a)
    expect((await work(ask, 'renew', { workerId }, b)).json.alive).toBe(true)
    expect((await work(ask, 'complete', attemptOf(claimed), b)).status).toBe(204)
    expect((await work(ask, 'claim', { types: ['x'] }, submitter)).status).toBe(403)
  })

  it('is told what is wrong with a call', async () => {
    const { ask } = await setupHttp()
    await submit(ask)
    const attempt = attemptOf(await claimOne(ask))
    const wrong: readonly (readonly [string, object, string])[] = [
      ['claim', {}, 'types'],
      ['claim', { types: [] }, 'types'],
      ['claim', { types: ['x'], workerId: 'me' }, 'workerId'],
      ['claim', { types: ['x'], waitMs: 60_001 }, 'waitMs'],
      ['complete', { ...attempt, result: 1, more: 1 }, 'more'],
      ['progress', { ...attempt, total: 3 }, 'done'],
      ['logs', { ...attempt, lines: ['x'] }, 'from'],
    ]
    for (const [call, body, field] of wrong) {
      const { status, json } = await work(ask, call, body)
      expect([call, status, json.field]).toEqual([call, 400, field])
    }
    const huge = await work(ask, 'complete', { ...attempt, result: 'x'.repeat(1_048_577) })
    expect([huge.status, huge.json.code]).toEqual([413, 'payload_too_large'])
    expect((await work(ask, 'complete', attempt)).status).toBe(204)
  })
})
