import { hash } from 'node:crypto'
import type { ClientBase } from 'pg'
import { type Positional, positional, readQueries } from '../sql-files.ts'
import type { QueryClient } from '../store.ts'
import { isProgram, type StoredStatement, store, storedStatement } from './stored-statements.ts'

const queries = readQueries(new URL('./queries/', import.meta.url))

const programNames = [...queries.keys()].filter((name) => isProgram(queries.get(name) ?? ''))
const textNames = [...queries.keys()].filter((name) => !programNames.includes(name))

/** Those that can be sent as text. */
export const statementNames: readonly string[] = textNames

const fewRows = 32

export type Params = Readonly<Record<string, unknown>>

/** The statements of `queries/`. The files say `stint.` where the schema of the user's choice stands. */
export class Statements {
  readonly schema: string
  /** What claims, and those who shut them out, lock: a number for each schema. */
  readonly barrier: number
  readonly #prepared = new Map<string, Positional>()
  /** How those are called that the database has as functions. */
  readonly #calls = new Map<string, Positional>()

  constructor(schema: string) {
    this.schema = schema
    this.barrier = hash('sha256', schema, 'buffer').readInt32BE()
  }

  /** Makes functions of the statements of the hot path, if they are not there yet. */
  async store(client: ClientBase): Promise<void> {
    const stored = new Map<string, StoredStatement>()
    // Programs come last: they call the others.
    for (const name of [...textNames, ...programNames]) {
      const statement = storedStatement(this.#sqlOf(name), quoted(this.schema), (called) => stored.get(called))
      if (statement !== null) stored.set(name, statement)
    }
    if (!(await store(client, this.schema, [...stored.values()]))) return
    for (const [name, { call }] of stored) this.#calls.set(name, call)
  }

  /** Whether the database has a statement as a function. A program can be run nowhere else. */
  isStored(name: string): boolean {
    return this.#calls.has(name)
  }

  /**
   * Runs a statement. It goes to the server unnamed, so it is planned for the values it has: a plan made on empty tables
   * is never used on full ones, and poolers that move transactions between connections do no harm.
   */
  async run<Row>(client: QueryClient, name: string, params: Params = {}): Promise<readonly Row[]> {
    const { rows } = await client.query(this.#callOf(name).text, this.#valuesOf(name, params))
    return rows as readonly Row[]
  }

  /**
   * Runs a statement that joins its parts with each other. Row by row, as functions do it, that is best for a few rows; for many
   * it is better to plan it anew.
   */
  async runFor<Row>(client: QueryClient, rowCount: number, name: string, params: Params): Promise<readonly Row[]> {
    if (rowCount <= fewRows) return await this.run<Row>(client, name, params)
    const { rows } = await client.query(this.prepare(name).text, this.#valuesOf(name, params))
    return rows as readonly Row[]
  }

  /** The same with rows as arrays, which cost less than objects where there are many. */
  async arrays<Row extends readonly unknown[]>(
    client: ClientBase,
    name: string,
    params: Params,
  ): Promise<readonly Row[]> {
    const query = { text: this.#callOf(name).text, values: this.#valuesOf(name, params), rowMode: 'array' } as const
    return (await client.query(query)).rows as unknown as readonly Row[]
  }

  #valuesOf(name: string, params: Params): unknown[] {
    return this.#callOf(name).params.map((param) => {
      if (params[param] === undefined) throw new Error(`Statement ${name} has no value for ${param}.`)
      return params[param]
    })
  }

  #callOf(name: string): Positional {
    return this.#calls.get(name) ?? this.prepare(name)
  }

  /** The text of a statement, as it is sent where it is no function. */
  prepare(name: string): Positional {
    const known = this.#prepared.get(name)
    if (known !== undefined) return known
    const prepared = positional(this.#sqlOf(name), '$')
    this.#prepared.set(name, prepared)
    return prepared
  }

  #sqlOf(name: string): string {
    const sql = queries.get(name)
    if (sql === undefined) throw new Error(`There is no statement ${name}.`)
    return inSchema(sql, this.schema)
  }
}

export function inSchema(sql: string, schema: string): string {
  return sql.replaceAll(/\bstint\./g, () => `${quoted(schema)}.`)
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
