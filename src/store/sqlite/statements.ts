import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { positional, readQueries } from '../sql-files.ts'

const queries = readQueries(new URL('./queries/', import.meta.url))

export const statementNames: readonly string[] = [...queries.keys()]

export type Params = Readonly<Record<string, SQLInputValue>>

interface Prepared {
  readonly statement: StatementSync
  readonly params: readonly string[]
}

/**
 * The statements of `queries/`, prepared when first used. Statements belong to one connection. Values are bound by
 * number: finding forty parameters by name for every row costs more than writing the row.
 */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()
  readonly #arrays = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Runs a statement and tells how many rows it changed. */
  run(name: string, params: Params): number {
    const prepared = this.prepare(name)
    return Number(prepared.statement.run(...valuesOf(name, prepared, params)).changes)
  }

  /** Inserts rows, and gives the place of the first of them: the others follow it one by one. */
  insert(name: string, params: Params): number {
    const prepared = this.prepare(name)
    const { changes, lastInsertRowid } = prepared.statement.run(...valuesOf(name, prepared, params))
    return Number(lastInsertRowid) - Number(changes) + 1
  }

  all<Row>(name: string, params: Params): readonly Row[] {
    const prepared = this.prepare(name)
    return prepared.statement.all(...valuesOf(name, prepared, params)) as unknown as readonly Row[]
  }

  get<Row>(name: string, params: Params): Row | undefined {
    const prepared = this.prepare(name)
    return prepared.statement.get(...valuesOf(name, prepared, params)) as Row | undefined
  }

  // What is done for every job of a batch takes its values in the order of the statement, and gives rows as arrays.

  /** Runs a statement with its values in order, and tells how many rows it changed. */
  write(name: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(name).statement.run(...values).changes)
  }

  /** Inserts a row with its values in order, and gives its place. */
  add(name: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(name).statement.run(...values).lastInsertRowid)
  }

  rows(name: string, ...values: SQLInputValue[]): readonly (readonly (string | number | null)[])[] {
    return this.#asArrays(name).all(...values) as never
  }

  row(name: string, ...values: SQLInputValue[]): readonly (string | number | null)[] | null {
    return (this.#asArrays(name).get(...values) as never) ?? null
  }

  #asArrays(name: string): StatementSync {
    const known = this.#arrays.get(name)
    if (known !== undefined) return known
    const { statement } = this.prepare(name)
    statement.setReturnArrays(true)
    this.#arrays.set(name, statement)
    return statement
  }

  prepare(name: string): Prepared {
    const known = this.#prepared.get(name)
    if (known !== undefined) return known
    const sql = queries.get(name)
    if (sql === undefined) throw new Error(`There is no statement ${name}.`)
    const { text, params } = positional(sql, '?')
    const prepared = { statement: this.#db.prepare(withComputedLimits(text)), params }
    this.#prepared.set(name, prepared)
    return prepared
  }
}

/** SQLite plans a statement anew whenever a value is bound that is its limit, which takes longer than most run; not for a sum. */
function withComputedLimits(text: string): string {
  return text.replaceAll(/\b(limit|offset) (?=\?)/g, '$1 +')
}

function valuesOf(name: string, { params: names }: Prepared, params: Params): SQLInputValue[] {
  return names.map((param) => {
    const value = params[param]
    if (value === undefined) throw new Error(`Statement ${name} has no value for ${param}.`)
    return value
  })
}
