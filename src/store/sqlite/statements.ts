import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { readQueries } from '../sql-files.ts'

const queries = readQueries(new URL('./queries/', import.meta.url))

export type Params = Readonly<Record<string, SQLInputValue>>

/** The statements of `queries/`, prepared when first used. Statements belong to one connection. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  static get names(): readonly string[] {
    return [...queries.keys()]
  }

  /** Runs a statement and tells how many rows it changed. */
  run(name: string, params: Params): number {
    return Number(this.prepare(name).run(params).changes)
  }

  all<Row>(name: string, params: Params): readonly Row[] {
    return this.prepare(name).all(params) as unknown as readonly Row[]
  }

  get<Row>(name: string, params: Params): Row | undefined {
    return this.prepare(name).get(params) as Row | undefined
  }

  prepare(name: string): StatementSync {
    const known = this.#prepared.get(name)
    if (known !== undefined) return known
    const sql = queries.get(name)
    if (sql === undefined) throw new Error(`There is no statement ${name}.`)
    const statement = this.#db.prepare(sql)
    this.#prepared.set(name, statement)
    return statement
  }
}
