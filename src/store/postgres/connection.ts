import { setTimeout as sleep } from 'node:timers/promises'
import pg, { type Client, type ClientBase, type ClientConfig, type Pool } from 'pg'
import { StintError } from '../../core/errors.ts'
import { migrationsToRun } from '../migrations.ts'
import { readMigrations } from '../sql-files.ts'
import { inSchema, quoted, type Statements } from './statements.ts'

const migrations = readMigrations(new URL('./migrations/', import.meta.url))

export interface PostgresOptions {
  readonly url: string
  /** The schema that holds Stint's tables; it is made if it does not exist. Default `stint`. */
  readonly schema?: string
  /** How many connections the store opens at the most. Default 10. */
  readonly connectionMax?: number
}

export function openPool({ url, connectionMax = 10 }: PostgresOptions): Pool {
  const pool = new pg.Pool({ ...connectionTo(url), max: connectionMax, types: { getTypeParser: parserOf } })
  // An idle connection that breaks is replaced by the pool; without a listener its error would end the process.
  pool.on('error', () => {})
  // So would that of one in use. Whoever uses it learns it from the call that fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** How every connection is made, in the pool or outside of it. */
export function connectionTo(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: 'stint',
    // A connection that died without a word is noticed in seconds, not when TCP gives up.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: 10_000,
    // A server that hangs must not hang those who ask it: the call fails, and its connection is given up.
    query_timeout: 60_000,
  }
}

/** Says goodbye, but does not wait for somebody who is not there. */
export async function closeClient(client: Client): Promise<void> {
  const given = new AbortController()
  const patience = sleep(1_000, undefined, { signal: given.signal, ref: false }).catch(() => {})
  await Promise.race([client.end().catch(() => {}), patience])
  given.abort()
}

/** Row keys, positions and times fit into a number; the driver would give text. 20 is the type bigint, 1016 a list of those. */
function parserOf(oid: number, format?: 'text' | 'binary') {
  if (oid === 20) return Number
  return oid === 1016 ? numbersIn : pg.types.getTypeParser(oid, format)
}

/** The driver reads lists letter by letter. Without its braces, a list of numbers is one of JSON. */
function numbersIn(text: string): unknown {
  return JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`)
}

const oldestVersion = 150_000

async function checkServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query(`select current_setting('server_version_num')::integer as number,
    current_setting('server_version') as version, current_setting('server_encoding') as encoding`)
  const { number, version, encoding } = rows[0] as { number: number; version: string; encoding: string }
  if (number < oldestVersion) throw unsupported(`PostgreSQL ${version} is too old: 15 or later is needed.`, { version })
  // Any other encoding would refuse, or change, texts that SQLite holds.
  if (encoding !== 'UTF8') throw unsupported(`The database has the encoding ${encoding}: UTF8 is needed.`, { encoding })
}

function unsupported(message: string, details: Record<string, string>): StintError {
  return new StintError('unsupported_store', message, details)
}

/**
 * Brings the schema up to date and readies it for this cluster. Several processes may try at once: one works while the
 * others wait for its lock, which ends with the transaction, so a process that dies leaves nothing locked.
 */
export async function prepareSchema(pool: Pool, sql: Statements, schema: string): Promise<{ txOffset: number }> {
  const client = await pool.connect()
  try {
    await checkServer(client)
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtextextended('stint ' || $1, 0))`, [schema])
    await migrate(client, schema)
    await sql.store(client)
    const txOffset = await liftTransactions(client, sql)
    await client.query('commit')
    return { txOffset }
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

async function migrate(client: ClientBase, schema: string): Promise<void> {
  const table = `${quoted(schema)}.migrations`
  const { rows: found } = await client.query('select to_regclass($1) as migrations', [table])
  // Asked first: a role that may use the schema but not make one can still start.
  if (found[0]?.migrations === null) {
    await client.query(`create schema if not exists ${quoted(schema)}`)
    await client.query(`create table ${table} (
      version integer primary key, name text not null, checksum text not null, applied_at bigint not null
    )`)
  }
  const { rows: applied } = await client.query(`select version, checksum from ${table} order by version`)
  for (const migration of migrationsToRun(migrations, applied)) {
    await client.query(inSchema(migration.sql, schema))
    await client.query(`insert into ${table} (version, name, checksum, applied_at) values ($1, $2, $3, $4)`, [
      ...[migration.version, migration.name, migration.checksum, Date.now()],
    ])
  }
}

/**
 * After a restore into another cluster, transaction numbers begin again below those in the log, and readers would wait
 * for ever. Then the new ones are lifted above the old.
 */
async function liftTransactions(client: ClientBase, sql: Statements): Promise<number> {
  type Position = { newest: number; next: number; tx_offset: number }
  const [position] = await sql.run<Position>(client, 'txPosition')
  const { newest, next, tx_offset } = position as Position
  if (newest < next + tx_offset) return tx_offset
  const [raised] = await sql.run<{ tx_offset: number }>(client, 'raiseTxOffset', { offset: newest - next + 1 })
  return raised?.tx_offset ?? tx_offset
}

/**
 * Makes the log's partitions for this month and the next. Attaching waits for nobody who writes; if it cannot have its
 * lock soon it leaves the month to the default partition, and the next start tries again.
 */
export async function preparePartitions(pool: Pool, schema: string, now: number): Promise<void> {
  const client = await pool.connect()
  try {
    for (const month of [0, 1]) await preparePartition(client, schema, monthAt(now, month), monthAt(now, month + 1))
  } finally {
    client.release()
  }
}

function monthAt(now: number, ahead: number): Date {
  const date = new Date(now)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead, 1))
}

async function preparePartition(client: ClientBase, schema: string, from: Date, to: Date): Promise<void> {
  const parent = `${quoted(schema)}.events`
  const name = `events_${from.toISOString().slice(0, 7).replace('-', '_')}`
  const partition = `${quoted(schema)}.${name}`
  try {
    await client.query('begin')
    await client.query(`set local lock_timeout = '2s'`)
    await client.query(`select pg_advisory_xact_lock(hashtextextended('stint ' || $1, 0))`, [schema])
    const { rows } = await client.query('select to_regclass($1) as made', [partition])
    if (rows[0]?.made === null) {
      await client.query(
        `create table ${partition} (like ${parent} including defaults including constraints including storage)`,
      )
      await client.query(`alter table ${parent} attach partition ${partition}
        for values from (${from.getTime()}) to (${to.getTime()})`)
      await client.query(`create trigger ${name}_not_truncated before truncate on ${partition}
        for each statement execute function ${quoted(schema)}.refuse_change()`)
    }
    await client.query('commit')
  } catch {
    await client.query('rollback').catch(() => {})
  }
}
