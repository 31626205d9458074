import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, inject, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { openSqliteStore, openSqliteStoreHere } from '../../src/store/sqlite/sqlite-store.ts'
import type { ApplyResult, Store, StoredJob, Submission, SubmitResult } from '../../src/store/store.ts'

/** A database of its own for one test, on either store. */
export interface Fixture {
  readonly store: Store
  /** Another store on the same database, as another process would have it. */
  open(): Promise<Store>
  /** Runs SQL behind the store's back; tables stand without a schema. */
  raw(sql: string): Promise<readonly Record<string, unknown>[]>
}

/** A new database that nobody has opened yet. */
export interface Database extends Pick<Fixture, 'open' | 'raw'> {
  readonly place: { readonly url: string; readonly schema?: string }
}

export type Setup = () => Promise<Fixture>

export async function setupSqlite(): Promise<Fixture> {
  const { open, raw } = newSqlite()
  return { store: await open(), open, raw }
}

/** The same store in the thread of the test: opening it takes a tenth of the time. */
export async function setupSqliteHere(): Promise<Fixture> {
  const { open, raw } = newSqlite(openSqliteStoreHere)
  return { store: await open(), open, raw }
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
  const { place, open, raw } = newPostgres()
  return { store: await keptStore(place), open, raw }
}

/** Stores by their schema that stay open from test to test: their connections have planned all statements already. */
const keptStores = new Map<string, Store>()
afterAll(async () => {
  for (const store of keptStores.values()) await store.close()
})

async function keptStore({ url, schema = '' }: Database['place']): Promise<Store> {
  const kept = keptStores.get(schema)
  if (kept !== undefined) return kept
  const store = await openPostgresStore({ url, schema })
  const close = store.close.bind(store)
  // A test may close it: then the next that has this schema opens another.
  store.close = () => {
    keptStores.delete(schema)
    return close()
  }
  keptStores.set(schema, store)
  return store
}

export function newPostgres(): Database {
  const url = inject('postgresUrl')
  const schema = emptySchemas.pop() ?? `t_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  let isChanged = false
  const raw = async (sql: string) => {
    isChanged ||= /\b(alter|create|drop|truncate|migrations)\b/i.test(sql)
    return await inSchema(url, schema, sql)
  }
  // Runs after all that was opened here is closed.
  onTestFinished(async () => {
    const isOurs = process.env['STINT_TEST_POSTGRES_URL'] === undefined
    if (!isOurs) await inSchema(url, schema, `drop schema if exists ${schema} cascade`)
    else if (!isChanged && (await emptied(url, schema))) emptySchemas.push(schema)
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
  const tables = await inSchema(url, schema, `select tablename from pg_tables where schemaname = '${schema}'`)
  // A store that stays open remembers the numbers of types.
  const isOpen = keptStores.has(schema)
  const kept = new Set(['migrations', 'settings', ...(isOpen ? ['types'] : [])])
  const names = tables.map(({ tablename }) => String(tablename)).filter((name) => !kept.has(name))
  if (names.length === 0) return false
  const sequences = `select setval(format('%I.%I', schemaname, sequencename), 1, false) from pg_sequences
    where schemaname = '${schema}' and not (${isOpen} and sequencename = 'types_id_seq')`
  const deletes = names.map((name) => `delete from ${name}`)
  await inSchema(url, schema, ['set session_replication_role = replica', ...deletes, sequences].join('; '))
  return true
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
