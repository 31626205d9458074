import type { DatabaseSync } from 'node:sqlite'
import { begin, connect } from '../sqlite/connection.ts'

/** How much text one statement carries, about. */
const lengthMax = 4_000_000

export type Row = Readonly<Record<string, string | number | null>>

/** The rows of an SQLite store. While it is open nobody else can write. */
export class Source {
  readonly #db: DatabaseSync

  private constructor(db: DatabaseSync) {
    this.#db = db
  }

  static async open(file: string): Promise<Source> {
    const db = await connect(file)
    await begin(db)
    return new Source(db)
  }

  /** The columns of a table; none when there is no such table. */
  columns(table: string): readonly string[] {
    return this.#db
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map((row) => String(row['name']))
  }

  /** All rows of a table, some at a time: few where they are large. */
  *pages(table: string, columns: readonly string[], size: number): Generator<readonly Row[]> {
    let [page, length]: [Row[], number] = [[], 0]
    const list = columns.map((name) => `"${name}"`).join(', ')
    for (const row of this.#db.prepare(`select ${list} from "${table}"`).iterate()) {
      page.push(row as Row)
      length += lengthOf(row as Row)
      if (page.length < size && length < lengthMax) continue
      yield page
      ;[page, length] = [[], 0]
    }
    if (page.length > 0) yield page
  }

  /** What a job's state does not say, by row key: the number of its type, and the attempt that submitted it. */
  origins(
    first: number,
    last: number,
  ): ReadonlyMap<number, { type: number; parent: number | null; attempt: number | null }> {
    const rows = this.#db
      .prepare('select pk, type, parent, parent_attempt from jobs where pk between ? and ?')
      .all(first, last)
    return new Map(
      rows.map((row) => {
        const { pk, type, parent, parent_attempt: attempt } = row as Record<string, number | null>
        return [Number(pk), { type: Number(type), parent: parent ?? null, attempt: attempt ?? null }]
      }),
    )
  }

  /** The last row key and the last id of the log that were ever given. */
  lastKeys(): { readonly pk: number; readonly logId: number } {
    const found = this.#db
      .prepare(
        `select (select last_pk from counters) as pk,
          max(coalesce((select max(log_id) from events), 0), coalesce((select max(last_id) from segments), 0)) as log_id`,
      )
      .get()
    return { pk: Number(found?.['pk'] ?? 0), logId: Number(found?.['log_id'] ?? 0) }
  }

  close(): void {
    this.#db.exec('rollback')
    this.#db.close()
  }
}

function lengthOf(row: Row): number {
  return Object.values(row).reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 8), 0)
}
