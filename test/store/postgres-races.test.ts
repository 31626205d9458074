import { randomUUID } from 'node:crypto'
import pg, { type Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { reread, runningParent, submitChildren } from '../support/children.ts'
import { codeOf, submission, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { RunningProgram } from '../support/processes/run-program.ts'
import { allJobs, at, submitMany, times } from '../support/racing.ts'
import { claimOf, claimOne, completion, failure } from '../support/requests.ts'

// A server of its own: a transaction that is held open here would hold back the readers of all other tests on a server.
let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server?.stop())

async function setup() {
  const schema = `t_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const session = async (): Promise<Client> => {
    const client = new pg.Client(server.url)
    // A session that is ended by another one says so, also while nobody asks it anything.
    client.on('error', () => {})
    await client.connect()
    await client.query(`set search_path = ${schema}`)
    onTestFinished(() => client.end().catch(() => {}))
    return client
  }
  const open = async (options = ''): Promise<Store> => {
    const store = await openPostgresStore({ url: `${server.url}${options}`, schema })
    onTestFinished(() => store.close())
    return store
  }
  const store = await open()
  const admin = await session()
  const raw = async (sql: string) => (await admin.query(sql)).rows as readonly Record<string, unknown>[]
  onTestFinished(async () => {
    await raw(`drop schema ${schema} cascade`)
  })
  return { store, open, raw, session, schema }
}

const heldEvent = `insert into events (tx, received_at, occurred_at, namespace, source, event_id, event_type, attributes)
  values (log_position(0), 0, 0, 'test', 'raw', 'held', 'x', '{}')`

it('the end of a child that another needs is written the short way on PostgreSQL', async () => {
  const { store } = await setup()
  const first = await submitOne(store, { submittedBy: 'p:d:n:y-run-1' })
  await submitOne(store, { needs: { list: [{ of: first.job.id, at: '' }] } })
  const completed = await store.complete([{ job: await claimOne(store), result: '7' }])
  expect(completed).toMatchObject({ done: [true], woke: true })
})

describe('a job that begins to wait for another on PostgreSQL', () => {
  it.each([
    ['a job', null],
    ['a child', 'p:d:n:y-run-1'],
  ])('hears of the end of %s, also when that comes between its look and its commit', async (_, submittedBy) => {
    const { store, open, session, raw } = await setup()
    const other = await open()
    const first = await submitOne(store, { submittedBy })
    const running = await claimOne(store)
    // The submission has looked at the job, and stops before it commits.
    const blocker = await session()
    await blocker.query('begin; lock table needs in exclusive mode')
    const needs = { list: [{ of: first.job.id, at: '' }] }
    const submitted = submitOne(store, { needs })
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    while ((await raw(waiting)).length < 1);
    const completed = other.complete([{ job: running, result: '7' }])
    while ((await raw(waiting)).length < 2 && (await isPending(completed)));
    await blocker.query('commit')
    const { job } = await submitted
    // Whoever comes second sees that it is waited for, and leaves the end to those who tell others of it.
    const { done } = await completed
    if (done[0] !== true) expect((await store.apply([completion(running, '7')])).map(codeOf)).toEqual(['ok'])
    expect((await store.find([{ id: job.id }]))[0]).toMatchObject({ params: '7', job: { phase: 'queued' } })
    expect(await verify(store)).toEqual([])
  })
})

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const later = new Promise<boolean>((resolve) => setTimeout(resolve, 5, true))
  return await Promise.race([promise.then(() => false), later])
}

describe('readers of the log on PostgreSQL', () => {
  it.each(['commit', 'rollback'])('do not pass an event whose transaction is still open: %s', async (end) => {
    const { store, session, raw } = await setup()
    const first = await submitOne(store)
    const { cursor, entries } = await store.events({ limit: 10 })
    expect(entries.map(({ jobId }) => jobId)).toEqual([first.job.id])

    const slow = await session()
    await slow.query('begin')
    await slow.query(heldEvent)
    const later = await submitMany(store, 3)
    await store.apply([completion(await claimOne(store))])
    // All of it is committed, and none of it is shown: the slow one would appear behind the reader.
    expect(await store.events({ limit: 10, after: cursor })).toEqual({ entries: [], cursors: [], cursor })
    expect(await store.find(later.map(({ job }) => ({ id: job.id })))).toHaveLength(3)

    await slow.query(end)
    const all = await readAll({ store, raw })
    const rest = (await store.events({ limit: 10, after: cursor })).entries
    expect([...entries, ...rest]).toEqual(all)
    expect(rest.filter(({ source }) => source === 'raw')).toHaveLength(end === 'commit' ? 1 : 0)
    expect(rest.filter(({ source }) => source === null)).toHaveLength(5)
  })

  // Measured, and what follows from how PostgreSQL counts: a transaction has no number before its first write, so one that
  // only reads hides nothing, however long it lasts. One that has written anything anywhere in the cluster, in another
  // schema or database too, holds readers back until it ends. It is for those who run the server to find it.
  it('are not held back by a transaction that only reads', async () => {
    const { store, session, raw } = await setup()
    const reader = await session()
    await reader.query('begin isolation level repeatable read')
    await reader.query('select count(*) from events')
    const { job } = await submitOne(store)
    expect((await readAll({ store, raw })).map(({ jobId }) => jobId)).toEqual([job.id])
    // It becomes a writer later, with a number that is younger than what was read: nothing is behind the reader.
    await reader.query(heldEvent)
    const { cursor } = await store.events({ limit: 10 })
    await reader.query('commit')
    const rest = await store.events({ limit: 10, after: cursor })
    expect(rest.entries.map(({ eventId }) => eventId)).toEqual(['held'])
  })

  it('are held back by whoever has written anything, and lose nothing by it', async () => {
    const { store, session, raw } = await setup()
    const stranger = await session()
    await stranger.query('begin')
    await stranger.query('create temporary table elsewhere (n integer)')
    const { job } = await submitOne(store)
    expect(await store.events({ limit: 10 })).toEqual({ entries: [], cursors: [], cursor: null })
    await stranger.query('rollback')
    expect((await readAll({ store, raw })).map(({ jobId }) => jobId)).toEqual([job.id])
  })
})

describe('claims on PostgreSQL', () => {
  const planners = [
    ['nested loops', ['enable_hashjoin', 'enable_mergejoin', 'enable_material', 'enable_memoize']],
    [
      'nested loops without sorts and bitmaps',
      ['enable_hashjoin', 'enable_mergejoin', 'enable_sort', 'enable_bitmapscan'],
    ],
    ['no index', ['enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan', 'enable_tidscan']],
  ] as const

  it.each(planners)('take no more than they asked for, whatever the planner does: %s', async (_, off) => {
    const { store, open } = await setup()
    const options = `?options=${encodeURIComponent(off.map((setting) => `-c ${setting}=off`).join(' '))}`
    const probe = new pg.Client(`${server.url}${options}`)
    await probe.connect()
    for (const setting of off) expect((await probe.query(`show ${setting}`)).rows).toEqual([{ [setting]: 'off' }])
    await probe.end()

    const delayed = { now: 1_000, scheduledFor: 1_500 }
    await store.submit(
      times(150, (i) => submission({ type: `t${i % 3}`, priority: i % 2, ...(i % 5 === 0 ? delayed : {}) })),
    )
    const stores = await Promise.all(times(4, () => open(options)))
    const types = ['t0', 't1', 't2']
    const kinds = [{}, { paths: ['/test'] }, { fairness: { after: null } }, { paths: ['/test', '/none/x'] }]
    const claims = await Promise.all(
      times(24, (i) => {
        const request = { types, token: `t${i}`, limit: 1 + (i % 4), suspectLimit: 1 }
        return at(stores, i).claim(claimOf({ ...request, ...at(kinds, i) }))
      }),
    )
    for (const [i, claimed] of claims.entries()) expect(claimed.length).toBeLessThanOrEqual(1 + (i % 4))
    const ids = claims.flat().map(({ job }) => job.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(0)
    expect((await allJobs(store)).filter(({ job }) => job.state === 'running')).toHaveLength(ids.length)
    expect(await verify(store)).toEqual([])
  })
})

describe('the index for claims of branches and in turns on PostgreSQL', () => {
  it('is not waited for where somebody is in its way: claims do without it', async () => {
    const { store, session, raw } = await setup()
    await store.submit([submission({ name: '/a/x' }), submission({ name: '/b/y' })])
    const blocker = await session()
    await blocker.query('begin')
    await blocker.query('lock table ready in row exclusive mode')
    expect(await store.claim(claimOf({ paths: ['/b'] }))).toHaveLength(1)
    const index = `select 1 from pg_indexes where schemaname = current_schema() and indexname = 'ready_namespace'`
    expect(await raw(index)).toEqual([])
    expect(await store.claim(claimOf({ fairness: { after: null }, token: 't2' }))).toHaveLength(1)
    await blocker.query('rollback')
  })
})

describe('locks on PostgreSQL', () => {
  /** Tells whether a call waits for a lock or is done. So many others wait already. */
  async function waits(raw: (sql: string) => Promise<readonly unknown[]>, call: Promise<unknown>, others = 0) {
    let done = false
    const watched = call.finally(() => {
      done = true
    })
    watched.catch(() => {})
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    while (!done) if ((await raw(waiting)).length > others) return true
    return false
  }

  it('an attempt ends after what it reported was written, or its report is refused', async () => {
    const { store, session, raw } = await setup()
    await submitOne(store)
    const running = await claimOne(store)
    const report = { jobId: running.job.id, token: 't1', progress: { done: 1, total: 2 } }
    await store.report([report])
    const blocker = await session()
    await blocker.query('begin')
    await blocker.query('select 1 from progress for update')
    const reporting = store.report([{ ...report, progress: { done: 2, total: 2 } }])
    expect(await waits(raw, reporting)).toBe(true)
    const ending = store.apply([completion(running)])
    expect(await waits(raw, ending, 1)).toBe(true)
    await blocker.query('rollback')
    expect(await reporting).toEqual([true])
    expect((await ending).map(codeOf)).toEqual(['ok'])
    expect(await store.report([report])).toEqual([false])
    expect(await store.notes(running.job.id)).toMatchObject({ progress: { done: 2 } })
  })

  it('an endpoint is not taken from an attempt that began and registered it while another waited for it', async () => {
    const { store, session, raw } = await setup()
    const job = await submitOne(store, { type: 'first' })
    await submitOne(store, { type: 'second' })
    const second = await claimOne(store, { types: ['second'], token: 'b' })
    const first = await session()
    await first.query('begin')
    await first.query(`insert into endpoints values ('test', 'x', ${job.guard.pk}, 'a', 'http://first', 0)`)
    const given = { job: second.job.id, token: 'b', name: 'x', url: 'http://second' }
    const registering = store.control('endpoint.register', given).catch(({ code }) => code)
    expect(await waits(raw, registering)).toBe(true)
    await claimOne(store, { types: ['first'], token: 'a' })
    await first.query('commit')
    expect(await registering).toBe('endpoint_taken')
    const found = await store.control('endpoint.resolve', { namespace: 'test', name: 'x' })
    expect(found?.url).toBe('http://first')
  })

  it('the last page of a follow-up waits for whoever ends the last job that its own waits for', async () => {
    const { store, session, raw } = await setup()
    const parent = await runningParent(store)
    await submitChildren(store, parent, 1)
    const child = await claimOne(store)
    await store.apply([failure(parent)])
    expect(await store.followUp({ limit: 1 })).toBe(true)
    const blocker = await session()
    await blocker.query('begin')
    await blocker.query(`select 1 from jobs where id = '${parent.job.id}' for no key update`)
    const following = store.followUp({ limit: 1 })
    expect(await waits(raw, following)).toBe(true)
    const ending = store.apply([completion(child)])
    expect(await waits(raw, ending, 1)).toBe(true)
    await blocker.query('rollback')
    await Promise.all([following, ending])
    expect((await reread(store, [parent]))[0]?.job.phase).toBe('queued')
    expect(await verify(store)).toEqual([])
  })

  it('a branch is resumed after what a claim that has seen its pause parks there, so that nothing stays parked', async () => {
    const { store, session, raw } = await setup()
    const { guard } = await submitOne(store, { name: '/a/x' })
    await store.pause({ path: '/a' })
    // Whoever parks the job has to wait for this row, which is never there.
    const blocker = await session()
    await blocker.query('begin')
    await blocker.query(`insert into gated (gate, lane, priority, position, job, revision, limited, namespace)
      values (0, 0, 0, 0, ${guard.pk}, 1, 0, 'a')`)
    const claiming = store.claim(claimOf())
    expect(await waits(raw, claiming)).toBe(true)
    const resuming = store.resume({ path: '/a' })
    // It waits for the claim, or is done: then it found nobody to let go.
    await waits(raw, resuming, 1)
    await blocker.query('rollback')
    expect([await claiming, await resuming]).toEqual([[], true])
    expect((await store.claim(claimOf({ token: 't2' }))).map(({ job }) => job.name)).toEqual(['/a/x'])
    expect(await verify(store)).toEqual([])
  })

  it('nothing starts below a pause or outside a limit of a path after it was set, also what a claim was about to start', async () => {
    const set = {
      pause: (store: Store) => store.pause({ path: '/a' }),
      limit: (store: Store) => store.setLimit({ key: '/a', concurrency: 1 }),
    }
    for (const [what, done] of Object.entries(set)) {
      const { store, session, raw } = await setup()
      const { guard } = await submitOne(store, { name: '/a/x' })
      await submitOne(store, { name: '/a/y' })
      // The claim has looked at what is in its way when it comes to this row, which is never there.
      const blocker = await session()
      await blocker.query('begin')
      await blocker.query(
        `insert into claims (job, revision, started_at, token, worker_id) values (${guard.pk}, 1, 0, '', '')`,
      )
      const claiming = store.claim(claimOf({ limit: 1 }))
      expect(await waits(raw, claiming)).toBe(true)
      const setting = done(store)
      expect(await waits(raw, setting, 1), what).toBe(true)
      await blocker.query('rollback')
      await setting
      expect((await claiming).map(({ job }) => job.name)).toEqual(['/a/x'])
      expect(await store.claim(claimOf({ token: 't2' }))).toEqual([])
      expect(await verify(store)).toEqual([])
    }
  })

  it('an attempt that ends while a limit of its path is set holds nothing of it', async () => {
    const { store, session, raw } = await setup()
    await submitOne(store, { name: '/a/x' })
    const running = await claimOne(store)
    // The end has freed what the attempt holds when it comes to this row, which is never there.
    const blocker = await session()
    await blocker.query('begin')
    await blocker.query(`insert into runs (job, attempt, status, worker_id, started_at, finished_at)
      values (${running.guard.pk}, 1, 0, '', 0, 0)`)
    const ending = store.complete([{ job: running, result: null }])
    expect(await waits(raw, ending)).toBe(true)
    const setting = store.setLimit({ key: '/a', concurrency: 1 })
    await waits(raw, setting, 1)
    await blocker.query('rollback')
    await Promise.all([setting, ending])
    await submitOne(store, { name: '/a/y' })
    expect((await store.claim(claimOf({ token: 't2' }))).map(({ job }) => job.name)).toEqual(['/a/y'])
    expect(await verify(store)).toEqual([])
  })
})

describe('a connection to PostgreSQL that breaks', () => {
  /** Ends every session of the stores, but for those of the tests, and tells how many there were. */
  const endSessions = (which: string) => `select count(pg_terminate_backend(pid)) as n from pg_stat_activity
    where application_name = 'stint' and ${which}`

  it('rejects the call that was under way, writes nothing of it, and the store goes on', async () => {
    const { store, session, raw } = await setup()
    await submitMany(store, 2)
    const running = await claimOne(store)
    const blocker = await session()
    const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['submit', () => store.submit([submission({ name: '/test/blocked' })])],
      ['claim', () => store.claim(claimOf({ token: 'blocked' }))],
      ['apply', () => store.apply([completion(running)])],
      ['append', () => store.append([{ namespace: 'test', source: 's', id: 'blocked', type: 'x' }])],
    ]
    for (const [name, call] of calls) {
      const before = await allJobs(store)
      await blocker.query('begin')
      await blocker.query('lock table events in exclusive mode')
      const answer = call().then(
        () => `${name} was answered`,
        // At once: the next call must not be given the connection whose end has not been noticed yet.
        () => store.now().then(() => 'rejected'),
      )
      // The call is under way once it waits for the lock.
      let ended = 0
      while (ended === 0) ended = Number((await raw(endSessions(`wait_event_type = 'Lock'`)))[0]?.['n'])
      expect(await answer).toBe('rejected')
      await blocker.query('rollback')
      expect(await allJobs(store)).toEqual(before)
    }
    expect(await raw('select 1 from event_keys')).toEqual([])
    expect((await store.submit([submission({ name: '/test/blocked' })])).map(codeOf)).toEqual(['created'])
    expect((await store.apply([completion(running)])).map(codeOf)).toEqual(['ok'])
    expect(await store.claim(claimOf({ token: 'again' }))).toHaveLength(2)
    expect(await verify(store)).toEqual([])
  })

  it('is replaced when it broke while nobody used it', async () => {
    const { store, raw } = await setup()
    await Promise.all(times(10, () => submitOne(store)))
    for (const round of [0, 1, 2]) {
      await raw(endSessions(`state = 'idle'`))
      // A call may still be given a connection whose end has not come through. Then it fails, and does nothing.
      let failures = 0
      for (;;) {
        const done = await store.submit([submission({ name: `/test/after-${round}` })]).catch(() => null)
        if (done !== null) break
        failures += 1
      }
      expect(failures).toBeLessThanOrEqual(10)
    }
    expect(await allJobs(store)).toHaveLength(13)
    expect(await verify(store)).toEqual([])
  })

  it('loses nothing that was answered when the process is killed', async () => {
    const { store, schema } = await setup()
    const acknowledged: string[] = []
    for (const round of [0, 1, 2]) {
      const database = { url: server.url, schema }
      const program = new RunningProgram('submit-for-ever', { database, name: `r${round}`, count: 1 + 3 * round })
      await program.heard(50)
      await program.kill()
      acknowledged.push(...program.lines)
    }
    const found = await store.find(acknowledged.map((id) => ({ id })))
    expect(found.map((stored) => stored?.job.id)).toEqual(acknowledged)
    expect(await verify(store)).toEqual([])
  })
})
