import type { ClientBase } from 'pg'
import { readQueries } from '../sql-files.ts'

const queries = readQueries(new URL('./queries/', import.meta.url))

export const statementNames: readonly string[] = [...queries.keys()]

/** A statement for the driver: named parameters have become numbers, the schema is the user's. */
interface Prepared {
  readonly text: string
  readonly params: readonly string[]
}

export type Params = Readonly<Record<string, unknown>>

/** The statements of `queries/`. The files say `stint.` where the schema of the user's choice stands. */
export class Statements {
  readonly #schema: string
  readonly #prepared = new Map<string, Prepared>()

  constructor(schema: string) {
    this.#schema = schema
  }

  /**
   * Runs a statement. It goes to the server unnamed, so it is planned for the values it has: a plan made on empty tables
   * is never used on full ones, and poolers that move transactions between connections do no harm.
   */
  async run<Row>(client: ClientBase, name: string, params: Params = {}): Promise<readonly Row[]> {
    const prepared = this.prepare(name)
    const values = prepared.params.map((param) => {
      if (params[param] === undefined) throw new Error(`Statement ${name} has no value for ${param}.`)
      return params[param]
    })
    const { rows } = await client.query<Row & object>(prepared.text, values)
    return rows
  }

  prepare(name: string): Prepared {
    const known = this.#prepared.get(name)
    if (known !== undefined) return known
    const sql = queries.get(name)
    if (sql === undefined) throw new Error(`There is no statement ${name}.`)
    const prepared = positional(inSchema(sql, this.#schema))
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

/** `:name` becomes `$n`; `::type` is a cast and stays. Text and comments of our statements hold neither. */
function positional(sql: string): Prepared {
  const params: string[] = []
  const text = sql.replaceAll(/(?<!:):([a-z_]+)/g, (_, param: string) => {
    const known = params.indexOf(param)
    return `$${known === -1 ? params.push(param) : known + 1}`
  })
  return { text, params }
}
