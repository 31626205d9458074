import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { Statements } from '../../src/store/postgres/statements.ts'
import { planSettings } from '../../src/store/postgres/stored-statements.ts'
import { newPostgres } from '../support/fixture.ts'
import { mostRead } from '../support/plans.ts'
import { claimOf } from '../support/requests.ts'

const many = 60_000

/** So many ready jobs, each below one name. */
const fill = (namespace: string, path: string, count: number) => `
  with given as (select nextval('pks') as pk from generate_series(1, ${count})),
  made as (
    insert into jobs (pk, id, revision, released, name, namespace, type, version, state, phase, priority, position, attempt,
      charged, cancelled, scheduled_for, created_at, updated_at)
    select pk, gen_random_uuid(), 1, 0, '${path}/j' || pk, '${namespace}', 1, 1, 0, 1, 0, 100 * pk, 0, 0, 0, 1, 1, 1 from given
  ),
  named as (insert into names (name, job) select '${path}/j' || pk, pk from given)
  insert into ready (lane, priority, position, job, revision, namespace, since)
  select 2, 0, 100 * pk, pk, 1, '${namespace}', 1 from given`

it('claims on PostgreSQL read no more than they take, also far behind others, whatever the statistics say', async () => {
  const { open, raw, place } = newPostgres()
  const store = await open()
  // What the statistics say is said below, and by nobody else in between.
  await raw(`do $$ declare name text; begin
    for name in select oid::regclass from pg_class where relnamespace = '${place.schema}'::regnamespace and relkind = 'r' loop
      execute format('alter table %s set (autovacuum_enabled = off)', name);
    end loop;
  end $$`)
  await raw(`insert into types (name) values ('work')`)
  await raw(fill('big', '/big', many))
  await raw(fill('big', '/big/deep', 20))
  await raw(fill('small', '/small', 10))
  expect(await store.claim(claimOf({ fairness: { after: null }, limit: 2, now: 2 }))).toHaveLength(2)
  const client = new pg.Client(place.url)
  await client.connect()
  onTestFinished(() => client.end())
  const sql = new Statements(place.schema ?? '')
  const read = async (name: string, given: Readonly<Record<string, unknown>>) => {
    const { text, params } = sql.prepare(name)
    const all: Readonly<Record<string, unknown>> = { ...claim, ...given }
    await client.query('begin')
    const { rows } = await client.query(
      `explain (analyze, format json) ${text}`,
      params.map((param) => all[param] ?? null),
    )
    await client.query('rollback')
    return mostRead(rows[0]['QUERY PLAN'][0].Plan)
  }
  await raw(
    `insert into sharded (job, spec, total, adopted, opened, done, failed) values (1, '{}', ${many}, 0, 20, 0, 0)`,
  )
  await raw(`insert into shards (job, idx, state, adopted) select 1, i, '1', 0 from generate_series(20, ${many}) as i`)
  const texts = ['options_before', 'options_after', 'json_name_before', 'attributes_before', 'attributes_after']
  const tasks = {
    ...Object.fromEntries([...texts, 'namespace', 'task_cause'].map((name) => [name, ''])),
    ...{ parent: 1, parent_attempt: 1, type: 1, priority: 0, count: 50, name_before: '/big/whole/' },
    ...{ id_before: '00000000-0000-8000-8000-', id_after: '0000000', from: 0, last: 49 },
  }
  const claim = {
    lanes: [2, 3],
    now: 2,
    limit: 50,
    suspect_limit: 1,
    few: 1_000,
    token: 't',
    worker_id: 'w',
    tx_offset: 0,
  }
  const branches = (paths: readonly (string | null)[]) => ({
    share: [0, 1],
    namespace: ['small', 'big'],
    path: paths,
    count: [50, 50],
  })
  /** As a function of the database runs it: by a plan that was made before anybody knew with which values. */
  const readStored = async (name: string, given: Readonly<Record<string, unknown>>) => {
    const { text, params } = sql.prepare(name)
    const all: Readonly<Record<string, unknown>> = { ...claim, ...given }
    await client.query('begin')
    for (const setting of planSettings(text)) await client.query(`set local ${setting}`)
    await client.query(`prepare stored as ${text}`)
    const values = params.map((param) => literal(all[param] ?? null)).join(', ')
    const { rows } = await client.query(`explain (analyze, format json) execute stored(${values})`)
    await client.query('rollback')
    await client.query('deallocate stored')
    return mostRead(rows[0]['QUERY PLAN'][0].Plan)
  }
  /** What a call of a program reads, of all tables together: there is no plan of the whole of it to look at. */
  const readByProgram = async () => {
    const stored = new Statements(place.schema ?? '')
    await stored.store(client)
    const rowsRead = async () => {
      const { rows } = await client.query(`select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as read
        from pg_stat_xact_user_tables where schemaname = '${place.schema}'`)
      return Number(rows[0].read)
    }
    await client.query('begin')
    const before = await rowsRead()
    const absent = { only: null, actor: null, cause: null, execution_id: null, trace_id: null, span_id: null }
    const program = { ...claim, ...absent, plain_lanes: [2], suspect_lanes: [3], barrier: 1 }
    expect(await stored.run(client, 'claimFirstJobs', program)).toHaveLength(50)
    const read = (await rowsRead()) - before
    await client.query('rollback')
    return read
  }
  const places = (await raw('select ctid from ready order by job desc limit 50')).map(({ ctid }) => ctid)
  const held = await store.claim(claimOf({ limit: 50, now: 2 }))
  const claimed = held.map(({ guard }) => guard.pk)
  const names = held.map(({ job }) => job.name)
  const allStored = async () => ({
    program: await readByProgram(),
    plainStored: await readStored('claimJobs', { only: null }),
    heldStored: await readStored('claimJobs', { only: places, suspect_limit: 50 }),
    gated: await readStored('firstSeats', {}),
    namespaces: await readStored('readyNamespaces', { after: '' }),
    among: await readStored('readyAmongNamespaces', { namespaces: ['big', 'none', 'small', 'zebra'] }),
    turns: await readStored('seatsOfBranches', branches([null, null])),
    paths: await readStored('seatsOfBranches', branches(['/small/none', '/big/deep'])),
    completed: await readStored('completeJobs', { pk: claimed, guard: claimed.map(() => 2) }),
    completedPlain: await readStored('completePlainJobs', { pk: claimed, guard: claimed.map(() => 2), name: names }),
    opened: await readStored('openTasks', tasks),
    states: await readStored('taskStates', tasks),
  })
  const statistics = {
    none: [],
    fresh: ['analyze'],
    // They know of one namespace only.
    old: [`delete from ready where namespace = 'small'`, 'analyze', fill('small', '/small/more', 10)],
  }
  for (const [which, statements] of Object.entries(statistics)) {
    for (const statement of statements) await raw(statement)
    const counts = {
      ...(await allStored()),
      plain: await read('claimJobs', { only: null }),
      held: await read('claimJobs', { only: places, suspect_limit: 50 }),
    }
    expect(
      Object.entries(counts).filter(([, count]) => count > 120),
      which,
    ).toEqual([])
  }
  // As if they had been gathered before the first job was there, while many were being inserted: autovacuum does that.
  await raw(`update pg_class set reltuples = 0, relpages = 1
    where relnamespace = '${place.schema}'::regnamespace and relkind in ('r', 'i')`)
  expect(Object.entries(await allStored()).filter(([, count]) => count > 120)).toEqual([])
})

function literal(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `'{${value.map((each) => JSON.stringify(each)).join(',')}}'`
  return `'${value}'`
}
