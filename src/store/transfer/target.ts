import pg from 'pg'
import { closeClient, connectionTo } from '../postgres/connection.ts'
import { quoted } from '../postgres/statements.ts'
import type { Row } from './source.ts'

/** The tables of a PostgreSQL store, in one transaction: all of it is there, or nothing. */
export class Target {
  readonly #client: pg.Client
  readonly #schema: string

  private constructor(client: pg.Client, schema: string) {
    this.#client = client
    this.#schema = schema
  }

  static async open(url: string, schema: string): Promise<Target> {
    const client = new pg.Client(connectionTo(url))
    await client.connect()
    const target = new Target(client, schema)
    await client.query('begin')
    // Who wants to write meanwhile waits, and then finds what was moved.
    await client.query(`lock table ${target.#name('jobs')}, ${target.#name('records')} in exclusive mode`)
    return target
  }

  #name(table: string): string {
    return `${quoted(this.#schema)}.${quoted(table)}`
  }

  /** Whether nobody has used it: a worker that was there once has left at least the types of its jobs. */
  async isEmpty(): Promise<boolean> {
    const used = ['jobs', 'records', 'events', 'types', 'limits', 'pauses']
    const { rows } = await this.#client.query(
      `select ${used.map((table) => `exists (select from ${this.#name(table)})`).join(' or ')} as used`,
    )
    return rows[0]?.used === false
  }

  /** A number of a transaction that has ended for everybody, the newest of them. */
  async endedTransaction(): Promise<number> {
    const { rows } = await this.#client.query(
      `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1 as tx from ${this.#name('settings')}`,
    )
    return Number(rows[0]?.tx)
  }

  /** Tables and their columns. The parts of the log are not tables of their own here. */
  async columns(): Promise<ReadonlyMap<string, readonly string[]>> {
    const { rows } = await this.#client.query<{ table: string; column: string }>(
      `select c.relname as table, a.attname as column
      from pg_class as c
      join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      order by c.relname, a.attnum`,
      [quoted(this.#schema)],
    )
    const byTable = Map.groupBy(rows, ({ table }) => table)
    return new Map([...byTable].map(([table, found]) => [table, found.map(({ column }) => column)]))
  }

  /** Inserts rows. JSON carries them: each column of the table reads its value by its own type. */
  async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    const list = columns.map(quoted).join(', ')
    await this.#client.query(
      `insert into ${this.#name(table)} (${list}) overriding system value
      select ${list} from json_populate_recordset(null::${this.#name(table)}, $1::json)`,
      [JSON.stringify(rows)],
    )
  }

  /** New keys come after those that were ever given. */
  async continueKeys({ pk, logId }: { readonly pk: number; readonly logId: number }): Promise<void> {
    const set = `select setval($1::regclass, greatest($2::bigint, 1), $2::bigint > 0)`
    await this.#client.query(set, [this.#name('pks'), pk])
    await this.#client.query(set, [this.#name('log_ids'), logId])
    const { rows } = await this.#client.query<{ table: string; column: string }>(
      `select c.relname as table, a.attname as column from pg_class as c
      join pg_attribute as a on a.attrelid = c.oid and a.attidentity <> ''
      where c.relnamespace = $1::regnamespace and c.relkind = 'r'`,
      [quoted(this.#schema)],
    )
    for (const { table, column } of rows) {
      await this.#client.query(
        `select setval(pg_get_serial_sequence($1, $2), greatest(newest, 1), newest > 0)
        from (select coalesce(max(${quoted(column)}), 0) as newest from ${this.#name(table)}) as given`,
        [this.#name(table), column],
      )
    }
  }

  async commit(): Promise<void> {
    await this.#client.query('commit')
    // Plans are made for what is there: nobody should wait for the next analysis by itself.
    await this.#client.query('analyze')
  }

  /** What was not committed is gone. */
  async close(): Promise<void> {
    await closeClient(this.#client)
  }
}
