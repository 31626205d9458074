import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { Statements } from '../../src/store/postgres/statements.ts'
import type { Completion, Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { split } from '../contract/shards.ts'
import { accepted, codeOf, newPostgres, submission, submitOne } from '../support/fixture.ts'
import { claimOf } from '../support/requests.ts'

/** A submission and a claim that comes before it is sent, as that of an idle worker does. */
async function together(store: Store, given: Submission | readonly Submission[], limit = 100) {
  const submitted = store.submit([given].flat())
  for (let i = 0; i < 10; i++) await Promise.resolve()
  return { submitted, claimed: store.claim(claimOf({ token: 'next', limit })) }
}

/** The same with the ends of tasks. */
async function endTogether(store: Store, completions: readonly Completion[], limit = 100) {
  const completed = store.complete(completions)
  for (let i = 0; i < 10; i++) await Promise.resolve()
  return { completed, claimed: store.claim(claimOf({ token: 'next', limit })) }
}

/** Whatever becomes ready fails. */
const noSeats = `create function no_seat() returns trigger language plpgsql as $$ begin raise exception 'a seat'; end $$;
  create trigger no_seat before insert on ready for each row execute function no_seat()`

const ends = (tasks: readonly StoredJob[]): readonly Completion[] => tasks.map((job) => ({ job, result: '"done"' }))
const namesOf = (jobs: readonly StoredJob[]) => jobs.map(({ job }) => job.name)

/** Where somebody has claimed before, as a worker does when it starts. */
async function opened() {
  const database = newPostgres()
  const store = await database.open()
  expect(await store.claim(claimOf())).toEqual([])
  return { ...database, store }
}

async function session(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

it('a claim that comes with a submission takes what it makes, in the same transaction', async () => {
  const { store, raw } = await opened()
  await submitOne(store)
  await store.claim(claimOf())
  const { submitted, claimed } = await together(store, submission({ params: '{"a":1}', timeoutMs: 5_000 }))
  const { job } = accepted((await submitted)[0])
  const [started] = await claimed
  expect(started).toMatchObject({ job: { id: job.id, phase: 'running', attempt: 1 }, params: '{"a":1}' })
  const [found] = await store.find([{ id: job.id }])
  expect(found).toEqual(started)
  const [written] = await raw(
    `select jobs.xmin::text, claims.xmin::text as claimed from jobs join claims on job = pk where id = '${job.id}'`,
  )
  expect(written?.['claimed']).toBe(written?.['xmin'])
  expect(await verify(store)).toEqual([])
})

it('what is submitted stands where it belongs in the queue, also when a claim comes with it', async () => {
  const { store } = await opened()
  const first = await submitOne(store)
  const { submitted, claimed } = await together(store, submission())
  const second = accepted((await submitted)[0])
  expect((await claimed).map(({ job }) => job.id)).toEqual([first.job.id, second.job.id])
})

it('what is submitted for a worker that waits begins as a claim would have let it, without ever having been ready', async () => {
  const { store, raw } = await opened()
  await submitOne(store)
  await store.claim(claimOf())
  await raw(noSeats)
  const given = [
    submission({ params: '{"a":1}', priority: 3, context: { actor: 'somebody', cause: 'a test' } }),
    submission({ retry: { maxAttempts: 2 } }),
    submission(),
  ]
  const { submitted, claimed } = await together(store, given)
  expect((await submitted).map(codeOf)).toEqual(['created', 'created', 'created'])
  const jobs = await claimed
  expect(namesOf(jobs)).toEqual(given.map(({ name }) => name))
  expect(await store.find(jobs.map(({ job: { id } }) => ({ id })))).toEqual(jobs)
  const { entries } = await store.events({ limit: 100, jobId: jobs[0]?.job.id ?? '' })
  expect(entries.map(({ eventType, actor }) => [eventType, actor])).toEqual([
    ['job.created', 'somebody'],
    ['job.run.started', null],
  ])
  expect(entries[1]?.attributes).toMatchObject({ attempt: 1, token: 'next', workerId: 'w1' })
  await raw('drop trigger no_seat on ready')
  expect((await store.complete(ends(jobs))).done).toEqual([true, true, true])
  expect(await verify(store)).toEqual([])
})

const toldApart: readonly (readonly [string, Partial<Submission>])[] = [
  ['labels', { labels: { a: 'b' } }],
  ['a timeout', { timeoutMs: 5_000 }],
  ['a trace', { trace: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` }],
]

it.each(toldApart)('a job with %s is claimed as any other when a claim comes with it', async (_, fields) => {
  const { store } = await opened()
  await submitOne(store)
  await store.claim(claimOf())
  const { submitted, claimed } = await together(store, [submission(), submission(fields)])
  const ids = (await submitted).map((result) => accepted(result).job.id)
  const jobs = await claimed
  expect(jobs.map(({ job }) => job.id)).toEqual(ids)
  expect(await store.find(ids.map((id) => ({ id })))).toEqual(jobs)
  expect(await verify(store)).toEqual([])
})

it('of more than a claim asks for it takes the first', async () => {
  const { store } = await opened()
  await submitOne(store)
  await store.claim(claimOf())
  const given = [submission(), submission({ priority: 1 }), submission()]
  const { claimed } = await together(store, given, 2)
  expect(namesOf(await claimed)).toEqual([given[1]?.name, given[0]?.name])
  expect(await verify(store)).toEqual([])
})

it('of types that the worker does not know it takes none', async () => {
  const { store } = await opened()
  await submitOne(store)
  await store.claim(claimOf())
  await submitOne(store, { type: 'other' })
  const given = [submission(), submission({ type: 'other' })]
  const { claimed } = await together(store, given)
  expect(namesOf(await claimed)).toEqual([given[0]?.name])
  expect(await verify(store)).toEqual([])
})

it('a submission whose name is taken is refused, and the claim that came with it takes what is there', async () => {
  const { store } = await opened()
  const first = await submitOne(store, { name: '/a/b' })
  const { submitted, claimed } = await together(store, submission({ name: '/a/b' }))
  expect((await submitted).map(codeOf)).toEqual(['name_taken'])
  expect((await claimed).map(({ job }) => job.id)).toEqual([first.job.id])
  expect(await verify(store)).toEqual([])
})

it('a claim does not wait for a name that somebody else is about to take', async () => {
  const { store, place } = await opened()
  const first = await submitOne(store)
  const other = await session(place.url)
  await other.query(`begin; insert into ${place.schema}.names (name, job) values ('/a/b', 0)`)
  const { submitted, claimed } = await together(store, submission({ name: '/a/b' }))
  expect((await claimed).map(({ job }) => job.id)).toEqual([first.job.id])
  await other.query('rollback')
  expect((await submitted).map(codeOf)).toEqual(['created'])
})

it('a claim that comes with the ends of tasks takes the next ones, in the same transaction', async () => {
  const { store, raw } = await opened()
  await split(store, 9)
  const tasks = await store.claim(claimOf({ token: 'a' }))
  const { completed, claimed } = await endTogether(store, ends(tasks))
  expect(await completed).toMatchObject({ done: [true, true, true], isTaken: true })
  const next = await claimed
  expect(namesOf(next)).toEqual(['/m/whole/3', '/m/whole/4', '/m/whole/5'])
  expect(next[0]).toMatchObject({ params: '{"at":3}', job: { phase: 'running', attempt: 1, token: 'next' } })
  const writtenBy = await raw(
    'select xmin::text from claims union select xmin::text from runs where job in (select pk from jobs where parent is not null)',
  )
  expect(writtenBy).toHaveLength(1)
  expect(await verify(store)).toEqual([])
})

it('the next tasks begin as a claim would have let them, without ever having been ready', async () => {
  const { store, raw } = await opened()
  await split(store, 20, { width: 4 })
  const tasks = await store.claim(claimOf({ token: 'a' }))
  await raw(noSeats)
  const { completed, claimed } = await endTogether(store, ends(tasks))
  await completed
  const next = await claimed
  expect(await store.find(next.map(({ job: { id } }) => ({ id })))).toEqual(next)
  const { entries } = await store.events({ limit: 100, jobId: next[0]?.job.id ?? '' })
  expect(entries.map(({ eventType }) => eventType)).toEqual(['job.created', 'job.run.started'])
  expect(entries[1]?.attributes).toMatchObject({ attempt: 1, token: 'next', workerId: 'w1' })
  await raw('drop trigger no_seat on ready')
  expect((await store.complete(ends(next))).done).toEqual([true, true, true, true])
  expect(await verify(store)).toEqual([])
})

const inTheWay: readonly (readonly [string, taken: number, (store: Store) => Promise<unknown>])[] = [
  ['a job that comes before them', 0, (store) => submitOne(store, { priority: 1 })],
  ['a pause of their branch', 0, (store) => store.pause({ path: '/m' })],
  ['a pause of their type', 0, (store) => store.pause({ type: 'work' })],
  ['a limit of any branch', 1, (store) => store.setLimit({ key: '/other', concurrency: 1 })],
]

it.each(inTheWay)('the next tasks do not begin past %s', async (_, taken, put) => {
  const { store } = await opened()
  await split(store, 9)
  const tasks = await store.claim(claimOf({ token: 'a' }))
  await put(store)
  const { completed, claimed } = await endTogether(store, ends(tasks), 1)
  expect((await completed).done).toEqual([true, true, true])
  expect(namesOf(await claimed).filter((name) => name.startsWith('/m'))).toHaveLength(taken)
  expect(await verify(store)).toEqual([])
})

it.each(inTheWay)('what is submitted for a worker that waits does not begin past %s', async (_, taken, put) => {
  const { store } = await opened()
  await submitOne(store)
  await store.claim(claimOf())
  await put(store)
  const { submitted, claimed } = await together(store, submission({ name: '/m/new' }), 1)
  expect((await submitted).map(codeOf)).toEqual(['created'])
  expect(namesOf(await claimed).filter((name) => name.startsWith('/m'))).toHaveLength(taken)
  expect(await verify(store)).toEqual([])
})

it('a worker that was found lost gets none of the next tasks', async () => {
  const { store } = await opened()
  await split(store, 9)
  const tasks = await store.claim(claimOf({ token: 'a' }))
  await store.register({ id: 'w1', name: 'w1', leaseMs: 1_000 }, { now: 1 })
  await store.buryLost({ now: 5_000 })
  const { completed, claimed } = await endTogether(store, ends(tasks))
  expect((await completed).done).toEqual([true, true, true])
  expect(await claimed).toEqual([])
  expect(await verify(store)).toEqual([])
})

it('a worker that was found lost gets nothing of what is submitted', async () => {
  const { store } = await opened()
  await submitOne(store)
  await store.claim(claimOf())
  await store.register({ id: 'w1', name: 'w1', leaseMs: 1_000 }, { now: 1 })
  await store.buryLost({ now: 5_000 })
  const { submitted, claimed } = await together(store, submission())
  expect((await submitted).map(codeOf)).toEqual(['created'])
  expect(await claimed).toEqual([])
  expect(await verify(store)).toEqual([])
})

it('ends of tasks say that something is left when the claim that came with them took as much as it asked for', async () => {
  const { store } = await opened()
  await split(store, 9)
  const { completed, claimed } = await endTogether(store, ends(await store.claim(claimOf({ token: 'a' }))), 2)
  expect((await completed).isTaken).not.toBe(true)
  expect(namesOf(await claimed)).toEqual(['/m/whole/3', '/m/whole/4'])
})

it('the last tasks end without the claim that came with them, which finds what is there', async () => {
  const { store } = await opened()
  await split(store, 3)
  const tasks = await store.claim(claimOf({ token: 'a' }))
  const other = await submitOne(store)
  const { completed, claimed } = await endTogether(store, ends(tasks))
  expect((await completed).done).toEqual([true, true, true])
  expect(namesOf(await claimed)).toContain(other.job.name)
  expect(await verify(store)).toEqual([])
})

it('a claim does not wait for the name of a task that somebody else is about to take', async () => {
  const { store, place } = await opened()
  await split(store, 9)
  const tasks = await store.claim(claimOf({ token: 'a' }))
  const { job } = await submitOne(store)
  const other = await session(place.url)
  await other.query(`begin; insert into ${place.schema}.names (name, job) values ('/m/whole/3', 0)`)
  const { completed, claimed } = await endTogether(store, ends(tasks))
  expect(namesOf(await claimed)).toEqual([job.name])
  await other.query('rollback')
  expect((await completed).done).toEqual([true, true, true])
  expect(namesOf(await store.claim(claimOf({ token: 'b' })))).toEqual(['/m/whole/3', '/m/whole/4', '/m/whole/5'])
  expect(await verify(store)).toEqual([])
})

it('what is written waits for the disk, a claim that finds nothing does not', async () => {
  const { store, place } = await opened()
  await submitOne(store)
  await store.claim(claimOf())
  const client = await session(place.url)
  const sql = new Statements(place.schema ?? '')
  await sql.store(client)
  const absent = { only: null, actor: null, cause: null, execution_id: null, trace_id: null, span_id: null }
  const claim = {
    lanes: [8],
    plain_lanes: [8],
    suspect_lanes: [9],
    limit: 1,
    suspect_limit: 1,
    token: 't',
    worker_id: 'w',
  }
  const stamp = { now: 1, tx_offset: 0 }
  const by = ['worker_actor', 'worker_cause', 'worker_execution', 'worker_trace', 'worker_span']
  const columns = [
    'id',
    'name',
    'namespace',
    'labels',
    'options',
    'params_digest',
    'params',
    'trace_parent',
    'actor',
    'cause',
  ]
  const job = {
    ...Object.fromEntries([...columns, 'execution_id', 'trace_id', 'span_id'].map((name) => [name, '{}'])),
    ...{ id: ['00000000-0000-4000-8000-000000000001'], name: ['/a/b'], namespace: ['a'], type: [1], priority: [0] },
    ...{ attributes: ['{}'], timeout_ms: '{}', is_batch: false },
  }
  const settingAfter = async (name: string, params: Readonly<Record<string, unknown>>) => {
    await client.query('begin')
    const rows = await sql.run(client, name, params)
    const { rows: setting } = await client.query('show synchronous_commit')
    await client.query('rollback')
    return [rows.length, setting[0].synchronous_commit]
  }
  expect(await settingAfter('claimFirstJobs', { ...claim, ...absent, ...stamp, barrier: sql.barrier })).toEqual([
    0,
    'off',
  ])
  const both = {
    ...claim,
    ...Object.fromEntries(by.map((name) => [name, null])),
    ...job,
    ...stamp,
    only: null,
    barrier: sql.barrier,
  }
  expect(await settingAfter('insertAndClaim', both)).toEqual([1, 'on'])
})
