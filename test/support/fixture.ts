import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openSqliteStore, openSqliteStoreHere } from '../../src/store/sqlite/sqlite-store.ts'
import type { ApplyResult, Store, StoredJob, Submission, SubmitResult } from '../../src/store/store.ts'
import { closeKept, isKept, keptStore } from './kept-stores.ts'

/** A database of its own for one test, on either store. */
export interface Fixture {
  readonly store: Store
  /** Another store on the same database, as another process would have it. */
  open(): Promise<Store>
  /** The same for tests to which it does not matter when that process began: where it is there, it is quicker. */
  another?(): Promise<Store>
  /** Runs SQL behind the store's back; tables stand without a schema. */
  raw(sql: string): Promise<readonly Record<string, unknown>[]>
}

/** A new database that nobody has opened yet. */
export interface Database extends Pick<Fixture, 'open' | 'raw'> {
  readonly place: { readonly url: string; readonly schema?: string }
}

export type Setup = () => Promise<Fixture>

export async function setupSqlite(): Promise<Fixture> {
  const { open, raw } = await madeSqlite()
  return { store: await open(), open, raw }
}

/** The same store in the thread of the test: opening it takes a tenth of the time. */
export async function setupSqliteHere(): Promise<Fixture> {
  const { open, raw } = await madeSqlite(openSqliteStoreHere)
  return { store: await open(), open, raw }
}

/** A file as the first who opens one leaves it: a copy takes a quarter of the time that all migrations take. */
export async function madeSqlite(openFile: typeof openSqliteStore = openSqliteStore): Promise<Database> {
  emptyFile ??= makeEmptyFile()
  const empty = await emptyFile
  const database = newSqlite(openFile)
  copyFileSync(empty, fileOf(database.place))
  return database
}

let emptyFile: Promise<string> | undefined

async function makeEmptyFile(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'stint-test-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'empty.db')
  const store = await openSqliteStoreHere({ file })
  await store.close()
  return file
}

export function fileOf({ url }: Database['place']): string {
  return url.slice('sqlite:'.length)
}

export function newSqlite(openFile: typeof openSqliteStore = openSqliteStore): Database {
  const directory = mkdtempSync(join(tmpdir(), 'stint-test-'))
  const file = join(directory, 'stint.db')
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const open = () => opened(openFile({ file }))
  const raw = (sql: string) => {
    const db = new DatabaseSync(file, { timeout: 5_000 })
    try {
      return Promise.resolve(db.prepare(sql).all())
    } catch (error) {
      return Promise.reject(error)
    } finally {
      db.close()
    }
  }
  return { place: { url: `sqlite:${file}` }, open, raw }
}

export async function setupPostgres(): Promise<Fixture> {
  const { place, open, raw } = newPostgres({ fresh: false })
  return { store: await keptStore(place), open, another: () => keptStore(place), raw }
}

/** A schema that nobody had before, or with `fresh: false` perhaps an empty one, in which indexes and statistics may be older. */
export function newPostgres({ fresh = true } = {}): Database {
  const url = inject('postgresUrl')
  const left = fresh ? undefined : emptySchemas.pop()
  const schema = left ?? `t_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  let isChanged = false
  const raw = async (sql: string) => {
    isChanged ||= /\b(alter|create|drop|truncate|migrations)\b/i.test(sql)
    return await inSchema(url, schema, sql)
  }
  // Runs after all that was opened here is closed.
  onTestFinished(async ({ task }) => {
    const isOurs = process.env['STINT_TEST_POSTGRES_URL'] === undefined
    // What a test that failed has begun may go on after it.
    const isQuiet = task.result?.state === 'pass'
    if (isOurs && isQuiet && !isChanged && (await emptied(url, schema))) return void emptySchemas.push(schema)
    await closeKept(schema)
    if (!isOurs) await inSchema(url, schema, `drop schema if exists ${schema} cascade`)
  })
  const open = () => opened(openPostgresStore({ url, schema }))
  return { place: { url, schema }, open, raw }
}

/** Schemas that a test of this process has used and left as they were made: emptying one takes a fifth of making another. */
const emptySchemas: string[] = []

async function inSchema(url: string, schema: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`set search_path = ${schema}`)
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** False when nothing was made in it. Triggers, which keep the log as it is, do not fire for a replica. */
async function emptied(url: string, schema: string): Promise<boolean> {
  const client = await cleaner(url)
  const tables = await client.query('select tablename as name from pg_tables where schemaname = $1', [schema])
  // A store that stays open remembers the numbers of types.
  const isOpen = isKept(schema)
  const kept = new Set(['migrations', 'settings', ...(isOpen ? ['types'] : [])])
  const names = tables.rows.map(({ name }) => String(name)).filter((name) => !kept.has(name))
  if (names.length === 0) return false
  const sequences = `select setval(format('%I.%I', schemaname, sequencename), 1, false) from pg_sequences
    where schemaname = '${schema}' and last_value is not null and not (${isOpen} and sequencename = 'types_id_seq')`
  await client.query([...names.map((name) => `delete from ${schema}.${name}`), sequences].join('; '))
  return true
}

let cleaning: Promise<pg.Client> | undefined

/** One connection for all tests of this process. */
function cleaner(url: string): Promise<pg.Client> {
  cleaning ??= (async () => {
    const client: pg.Client & { unref?(): void } = new pg.Client(url)
    // The server may end before this process, which does not wait for it either.
    client.on('error', () => {})
    await client.connect()
    client.unref?.()
    await client.query('set session_replication_role = replica')
    return client
  })()
  return cleaning
}

async function opened(opening: Promise<Store>): Promise<Store> {
  const store = await opening
  onTestFinished(() => store.close())
  return store
}

let made = 0

/** A submission that nobody else has: a new id, and a name made from it unless one is given. */
export function submission(fields: Partial<Submission> = {}): Submission {
  made += 1
  const id = newId()
  return { id, name: `/test/job-${made}-${id.slice(-6)}`, type: 'work', ...fields }
}

/** Version 7 in form, so that ids come in order; the rest is random. */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

export async function submitOne(store: Store, fields: Partial<Submission> = {}, now?: number): Promise<StoredJob> {
  const [result] = await store.submit([submission(fields)], now === undefined ? {} : { now })
  return accepted(result)
}

export function accepted(result: SubmitResult | undefined): StoredJob {
  if (result === undefined) throw new Error('There is no result.')
  if (result.outcome === 'refused') throw result.error
  return result.stored
}

export function applied(result: ApplyResult | undefined): StoredJob {
  if (result === undefined) throw new Error('There is no result.')
  if (!result.ok) throw result.error
  return result.stored
}

/** The error code of a result, or what it was instead. */
export function codeOf(result: SubmitResult | ApplyResult | undefined): string {
  if (result === undefined) return 'no result'
  if ('error' in result) return result.error.code
  return 'outcome' in result ? result.outcome : 'ok'
}
