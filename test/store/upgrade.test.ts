import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { inSchema } from '../../src/store/postgres/statements.ts'
import { type Migration, readMigrations } from '../../src/store/sql-files.ts'
import { verify } from '../../src/store/verify.ts'
import { type Database, newId, newPostgres, newSqlite, submission } from '../support/fixture.ts'
import { claimOf, completion } from '../support/requests.ts'

/** Makes a database as an earlier Stint left it, with some of its migrations and rows. */
type MakeOld = (database: Database, count: number, rows: readonly string[]) => Promise<void>

const migrationsOf = (store: 'sqlite' | 'postgres') => {
  return readMigrations(new URL(`../../src/store/${store}/migrations/`, import.meta.url))
}

function recorded({ version, name, checksum }: Migration): string {
  return `insert into migrations (version, name, checksum, applied_at) values (${version}, '${name}', '${checksum}', 0)`
}

const oldSqlite: MakeOld = ({ place }, count, rows) => {
  const db = new DatabaseSync(place.url.slice('sqlite:'.length))
  db.exec('create table migrations (version integer primary key, name text, checksum text, applied_at integer) strict')
  for (const migration of migrationsOf('sqlite').slice(0, count)) db.exec(`${migration.sql};${recorded(migration)}`)
  for (const row of rows) db.exec(row)
  db.exec('update counters set last_pk = 100')
  db.close()
  return Promise.resolve()
}

const oldPostgres: MakeOld = async ({ place: { url, schema = '' } }, count, rows) => {
  const client = new pg.Client(url)
  await client.connect()
  // An earlier test of this file may have left it, made anew.
  await client.query(`drop schema if exists ${schema} cascade; create schema ${schema}; set search_path = ${schema}`)
  await client.query(
    'create table migrations (version integer primary key, name text, checksum text, applied_at bigint)',
  )
  for (const migration of migrationsOf('postgres').slice(0, count)) {
    await client.query(inSchema(migration.sql, schema))
    await client.query(recorded(migration))
  }
  for (const row of rows) await client.query(row)
  await client.query(`select setval('pks', 100)`)
  await client.end()
}

function oldJob(fields: Readonly<Record<string, string | number | null>>): string {
  const row = {
    ...{ revision: 1, released: 0, namespace: 'old', type: 1, key: null, version: 1, state: 0, phase: 1, priority: 0 },
    ...{ attempt: 0, charged: 0, cancelled: 0, scheduled_for: 1, created_at: 1, updated_at: 1, ...fields },
  }
  const value = (cell: string | number | null) => (typeof cell === 'string' ? `'${cell}'` : String(cell))
  return `insert into jobs (${Object.keys(row).join(', ')}) values (${Object.values(row).map(value).join(', ')})`
}

describe.each([
  ['SQLite', newSqlite, oldSqlite],
  ['PostgreSQL', newPostgres, oldPostgres],
] as const)('a database on %s from before names had a table', (_, make, makeOld) => {
  it('keeps who holds which name and key, and who is ready', async () => {
    const database = make()
    const [live, ended] = [newId(), newId()]
    await makeOld(database, 2, [
      `insert into types (name) values ('work')`,
      oldJob({
        pk: 1,
        id: ended,
        name: '/old/a',
        released: 1,
        state: 3,
        phase: 4,
        position: 100,
        outcome: 0,
        key: 'k',
      }),
      oldJob({ pk: 2, id: live, name: '/old/a', position: 200, key: 'k' }),
      oldJob({ pk: 3, id: newId(), name: '/old/b', position: 300, priority: 7 }),
      'insert into ready (lane, priority, position, job, revision) values (2, 0, 200, 2, 1), (2, 7, 300, 3, 1)',
    ])
    const store = await database.open()
    const [byName, byKey] = await store.find([{ name: '/old/a' }, { namespace: 'old', type: 'work', key: 'k' }])
    expect([byName?.job.id, byKey?.job.id]).toEqual([live, live])
    const results = await store.submit([
      submission({ name: '/old/a' }),
      submission({ name: '/old/c', key: 'k' }),
      submission({ name: '/old/c' }),
    ])
    expect(results).toMatchObject([
      { outcome: 'refused', error: { code: 'name_taken' } },
      { outcome: 'refused', error: { code: 'key_taken' } },
      { outcome: 'created' },
    ])
    const claimed = await store.claim(claimOf())
    expect(claimed.map(({ job }) => job.name)).toEqual(['/old/b', '/old/a', '/old/c'])
  })
})

describe.each([
  ['SQLite', newSqlite, oldSqlite],
  ['PostgreSQL', newPostgres, oldPostgres],
] as const)('a database on %s from before seats had a namespace', (_, make, makeOld) => {
  it('gives its jobs to workers that are bound or take turns, wherever they stood', async () => {
    const database = make()
    const names = ['/old/a', '/other/b', '/old/c', '/other/late', '/old/late', '/old/shut/d', '/third/e']
    const jobs = names.flatMap((name, i) => {
      const [namespace = '', pk] = [name.split('/')[1], i + 1]
      const scheduled_for = name.endsWith('late') ? 5_000 : 1
      return [
        oldJob({ pk, id: newId(), name, namespace, position: 100 * pk, scheduled_for }),
        `insert into names (name, job) values ('${name}', ${pk})`,
      ]
    })
    const seat = 'lane, priority, position, job, revision'
    await makeOld(database, 4, [
      `insert into types (name) values ('work')`,
      ...jobs,
      `insert into pauses (path, since) values ('/old/shut', 1)`,
      `insert into ready (${seat}) values (2, 0, 100, 1, 1), (2, 0, 200, 2, 1), (2, 0, 300, 3, 1), (2, 0, 700, 7, 1)`,
      `insert into delayed (${seat}, due_at) values (2, 0, 400, 4, 1, 5000), (2, 0, 500, 5, 1, 5000)`,
      `insert into gated (${seat}, gate, limited) values (2, 0, 600, 6, 1, -1, 0)`,
      `insert into workers (id, name, started_at, seen_at, lease_until) values ('w', 'old', 1, 1, 1)`,
    ])
    const store = await database.open()
    expect(await store.workers()).toMatchObject([{ id: 'w', paths: null }])
    const take = async (fields: object) => {
      return (await store.claim(claimOf({ now: 6_000, ...fields }))).map(({ job }) => job.name)
    }
    expect(await take({ paths: ['/third', '/old/c'] })).toEqual(['/old/c', '/third/e'])
    expect(await take({ fairness: { after: null } })).toEqual(['/old/a', '/other/b', '/old/late', '/other/late'])
    await store.resume({ path: '/old/shut' })
    expect(await take({ paths: ['/old'], fairness: { after: 'old' } })).toEqual(['/old/shut/d'])
    for (const table of ['ready', 'delayed', 'gated']) {
      expect(await database.raw(`select 1 from ${table} where namespace = ''`), table).toEqual([])
    }
  })
})

describe('a database on SQLite from before claims and runs led to entries of the log', () => {
  it('finds all entries of its jobs, and goes on with those that run', async () => {
    const database = newSqlite()
    const jobs = ['/old/over', '/old/running', '/old/queued'].map((name, i) => ({ pk: i + 1, id: newId(), name }))
    const columns = 'job, version, code, occurred_at, received_at, namespace, attributes'
    const event = (pk: number, version: number, code: number, at: number, data: object) => {
      return `insert into events (${columns}) values (${pk}, ${version}, ${code}, ${at}, ${at}, 'old', '${JSON.stringify(data)}')`
    }
    const started = (pk: number) =>
      event(pk, 2, 4, 2, { attempt: 1, token: 't', workerId: 'w', attemptDeadlineAt: null })
    await oldSqlite(database, 13, [
      `insert into types (name) values ('work')`,
      ...jobs.map(({ pk, ...job }) => oldJob({ ...job, pk, position: 100 * pk, queued_at: 1 })),
      ...jobs.map(({ pk, name }) => event(pk, 1, 1, 1, { name, type: 'work' })),
      `insert into names (name, job) values ('/old/running', 2), ('/old/queued', 3)`,
      `insert into ready (lane, priority, position, job, revision, namespace) values (2, 0, 300, 3, 1, 'old')`,
      ...[started(1), started(2), event(1, 3, 6, 3, { attempt: 1, resultDigest: null })],
      `insert into claims (job, revision, started_at, token, worker_id) values (2, 2, 2, 't', 'w')`,
      `insert into runs (job, attempt, status, worker_id, started_at, finished_at, ends, token)
       values (1, 1, 0, 'w', 2, 3, 1, 't')`,
    ])
    const store = await database.open()
    expect(await verify(store)).toEqual([])
    const [over, running] = await store.find(jobs.map(({ id }) => ({ id })))
    expect(over?.job).toMatchObject({ outcome: 'COMPLETED', finishedAt: 3 })
    expect(await store.runs(jobs[0]?.id ?? '')).toMatchObject([{ attempt: 1, startedAt: 2, finishedAt: 3 }])
    if (running == null) throw new Error('It was there.')
    // Its claim does not lead to its start, so its end is written the long way.
    expect((await store.complete([{ job: running, result: null }], { now: 4 })).done).toEqual([false])
    expect(await store.apply([completion(running)], { now: 4 })).toMatchObject([{ ok: true }])
    const [next] = await store.claim(claimOf({ now: 5 }))
    expect((await store.complete(next === undefined ? [] : [{ job: next, result: '1' }], { now: 6 })).done).toEqual([
      true,
    ])
    for (const { id } of jobs) {
      const { entries } = await store.events({ jobId: id, limit: 10 })
      expect(entries.map(({ version }) => version)).toEqual([1, 2, 3])
    }
    expect(await verify(store)).toEqual([])
    await expect(database.raw('update runs set attempt = 2')).rejects.toThrow(/written once/)
  })
})
