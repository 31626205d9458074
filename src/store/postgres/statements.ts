import type { ClientBase } from 'pg'
import { type Positional, positional, readQueries } from '../sql-files.ts'
import type { QueryClient } from '../store.ts'

const queries = readQueries(new URL('./queries/', import.meta.url))

export const statementNames: readonly string[] = [...queries.keys()]

export type Params = Readonly<Record<string, unknown>>

/** The statements of `queries/`. The files say `stint.` where the schema of the user's choice stands. */
export class Statements {
  readonly schema: string
  readonly #prepared = new Map<string, Positional>()

  constructor(schema: string) {
    this.schema = schema
  }

  /**
   * Runs a statement. It goes to the server unnamed, so it is planned for the values it has: a plan made on empty tables
   * is never used on full ones, and poolers that move transactions between connections do no harm.
   */
  async run<Row>(client: QueryClient, name: string, params: Params = {}): Promise<readonly Row[]> {
    const { rows } = await client.query(this.prepare(name).text, this.#valuesOf(name, params))
    return rows as readonly Row[]
  }

  /** The same with rows as arrays, which cost less than objects where there are many. */
  async arrays<Row extends readonly unknown[]>(
    client: ClientBase,
    name: string,
    params: Params,
  ): Promise<readonly Row[]> {
    const query = { text: this.prepare(name).text, values: this.#valuesOf(name, params), rowMode: 'array' } as const
    return (await client.query(query)).rows as unknown as readonly Row[]
  }

  #valuesOf(name: string, params: Params): unknown[] {
    return this.prepare(name).params.map((param) => {
      if (params[param] === undefined) throw new Error(`Statement ${name} has no value for ${param}.`)
      return params[param]
    })
  }

  prepare(name: string): Positional {
    const known = this.#prepared.get(name)
    if (known !== undefined) return known
    const sql = queries.get(name)
    if (sql === undefined) throw new Error(`There is no statement ${name}.`)
    const prepared = positional(inSchema(sql, this.schema), '$')
    this.#prepared.set(name, prepared)
    return prepared
  }
}

export function inSchema(sql: string, schema: string): string {
  return sql.replaceAll(/\bstint\./g, () => `${quoted(schema)}.`)
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
