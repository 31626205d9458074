/** Jobs that were never submitted: rows as they are left behind, written straight into a database, as fast as it can. */
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { StoreKind } from './contestants.ts'

/** So many of everything that is rare, however many jobs there are. */
export const rare = 50

const kinds = [
  'failed',
  'skipped',
  'cancelled',
  'held',
  'awaiting',
  'queued',
  'keyed',
  'labelled',
  'typed',
  'apart',
] as const

/** Which jobs are of a kind: each `every`-th, so that they are spread over all of them. */
type Is = (kind: (typeof kinds)[number]) => string

/** How one database says what both can do. */
interface Dialect {
  readonly series: (count: number) => string
  readonly id: string
  readonly lastKey: (count: number) => string
}

const dialects: Readonly<Record<'sqlite' | 'postgres', Dialect>> = {
  sqlite: {
    series: (count) => `with recursive s (pk) as (select 1 union all select pk + 1 from s where pk < ${count})`,
    id: `printf('00000000-0000-4000-8000-%012d', pk)`,
    lastKey: (count) => `update counters set last_pk = ${count}`,
  },
  postgres: {
    series: (count) => `with s (pk) as (select generate_series(1, ${count}))`,
    id: `('00000000-0000-4000-8000-' || lpad(pk::text, 12, '0'))::uuid`,
    lastKey: (count) => `select setval('pks', ${count})`,
  },
}

/** The statements that fill an empty, migrated database with jobs, nearly all of which have completed. */
export function bulkOf(store: 'sqlite' | 'postgres', count: number): readonly string[] {
  const { series, id, lastKey } = dialects[store]
  const every = count / rare
  const is: Is = (kind) => `pk % ${every} = ${kinds.indexOf(kind) + 1}`
  const over = `(${is('failed')} or ${is('skipped')} or ${is('cancelled')})`
  const live = `(${is('held')} or ${is('awaiting')} or ${is('queued')})`
  const name = `(case when ${is('apart')} then '/rare/j' else '/load/g' || (pk % 100) || '/j' end || pk)`
  const namespace = `case when ${is('apart')} then 'rare' else 'load' end`
  return [
    `insert into types (name) values ('usual'), ('unusual')`,
    `insert into jobs (pk, id, revision, released, name, namespace, type, key, version, state, phase, priority, position,
       attempt, charged, cancelled, outcome, scheduled_for, created_at, queued_at, updated_at, labels, params)
     ${series(count)} select pk, ${id}, 1, case when ${over} then pk else 0 end, ${name}, ${namespace},
       case when ${is('typed')} then 2 else 1 end, case when ${is('keyed')} then 'the key' end, 1,
       case when ${over} then 3 when ${is('awaiting')} then 1 else 0 end,
       case when ${over} then 4 when ${is('awaiting')} then 3 else 1 end, 0, 100 * pk, 0, 0,
       case when ${is('cancelled')} then 1 else 0 end,
       case when ${is('failed')} then 1 when ${is('skipped')} then 2 end, pk, pk, pk, pk,
       case when ${is('labelled')} then '{"team":"few"}' when pk % 2 = 0 then '{"team":"many"}' end, '{"n":' || pk || '}'
     from s`,
    `insert into runs (job, attempt, status, worker_id, started_at, finished_at, ends, token, result)
     ${series(count)} select pk, 1, 0, 'w', pk, pk, 1, 't', 'null' from s where not (${over} or ${live})`,
    `insert into names (name, job) ${series(count)} select ${name}, pk from s where ${live}`,
    `insert into ready (lane, priority, position, job, revision, namespace)
     ${series(count)} select 2, 0, 100 * pk, pk, 1, 'load' from s where ${is('queued')}`,
    `insert into claims (job, revision, started_at, token, worker_id)
     ${series(count)} select pk, 2, pk, 't', 'w' from s where ${is('held')}`,
    lastKey(count),
  ]
}

/** Fills a database that Stint has opened before. */
export async function fill(store: StoreKind, url: string, count: number): Promise<void> {
  if (store === 'sqlite') return fillFile(url.slice('sqlite:'.length), bulkOf('sqlite', count))
  const client = new pg.Client({ connectionString: url, options: '-c search_path=stint' })
  await client.connect()
  try {
    for (const statement of bulkOf('postgres', count)) await client.query(statement)
  } finally {
    await client.end()
  }
}

function fillFile(file: string, inserts: readonly string[]): void {
  const db = new DatabaseSync(file)
  try {
    for (const statement of inserts) db.exec(statement)
  } finally {
    db.close()
  }
}
