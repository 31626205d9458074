import { isPath } from '../../core/gates/limit.ts'
import { checkRef } from '../control/record-steps.ts'
import type { EventRow } from '../event-row.ts'
import { recordEventRow } from '../record-event.ts'
import {
  type Hold,
  type RecordEntry,
  type RecordKind,
  type RecordPage,
  type RecordRow,
  type Records,
  recordKinds,
  recordOfRow,
  recordRow,
  type StoredRecord,
} from '../records.ts'
import type { QueryClient } from '../store.ts'
import { columns } from './columns.ts'
import type { Statements } from './statements.ts'

const finding = { read: 'recordsRead', keep: 'recordsKept', change: 'recordsHeld' } as const satisfies Record<
  Hold,
  string
>

const findingByKey = {
  read: 'recordsReadByKey',
  keep: 'recordsKeptByKey',
  change: 'recordsHeldByKey',
} as const satisfies Record<Hold, string>

const savedColumns = ['pk', 'released', 'version', 'due_at', 'updated_at', 'body'] as const

const eventColumns = [
  ...(['job', 'version', 'code', 'occurred_at', 'namespace', 'actor', 'cause', 'execution_id'] as const),
  ...(['trace_id', 'span_id', 'event_id', 'attributes'] as const),
] as const

/** Records on PostgreSQL. */
export class PostgresRecords implements Records {
  readonly #client: QueryClient
  readonly #sql: Statements
  readonly #txOffset: number
  readonly #now: number

  constructor(client: QueryClient, sql: Statements, txOffset: number, now: number) {
    this.#client = client
    this.#sql = sql
    this.#txOffset = txOffset
    this.#now = now
  }

  async find(kind: RecordKind, refs: readonly string[], hold: Hold): Promise<readonly StoredRecord[]> {
    const params = {
      kind: recordKinds[kind],
      ids: refs.filter((ref) => !isPath(ref)),
      paths: refs.filter(isPath),
    }
    return (await this.#sql.run<RecordRow>(this.#client, finding[hold], params)).map(recordOfRow)
  }

  async byKey(kind: RecordKind, pks: readonly number[], hold: Hold): Promise<readonly StoredRecord[]> {
    const params = { kind: recordKinds[kind], pks }
    return (await this.#sql.run<RecordRow>(this.#client, findingByKey[hold], params)).map(recordOfRow)
  }

  async insert(record: StoredRecord): Promise<boolean> {
    return (await this.#sql.run(this.#client, 'insertRecord', { ...recordRow(record) })).length === 1
  }

  async save(records: readonly StoredRecord[]): Promise<void> {
    await this.#sql.run(this.#client, 'saveRecords', columns('', savedColumns, records.map(recordRow)))
  }

  async due(kind: RecordKind, skip: number): Promise<StoredRecord | null> {
    const params = { kind: recordKinds[kind], now: this.#now, skip }
    const [row] = await this.#sql.run<RecordRow>(this.#client, 'dueRecord', params)
    return row === undefined ? null : recordOfRow(row)
  }

  async nextDue(kind: RecordKind): Promise<number | null> {
    const params = { kind: recordKinds[kind], now: this.#now }
    const [row] = await this.#sql.run<{ due_at: number | null }>(this.#client, 'nextDueRecord', params)
    return row?.due_at ?? null
  }

  async page({ kind, path, withReleased, before, limit }: RecordPage): Promise<readonly StoredRecord[]> {
    const params = { kind: recordKinds[kind], path, with_released: withReleased, before, limit }
    return (await this.#sql.run<RecordRow>(this.#client, 'recordPage', params)).map(recordOfRow)
  }

  async log(entries: readonly RecordEntry[]): Promise<void> {
    const rows = entries.map(recordEventRow)
    const params = { ...columns('', eventColumns, rows), tx_offset: this.#txOffset }
    await this.#sql.run(this.#client, 'insertRecordEvents', params)
  }
}

/** An entry with its place in the log. */
export type PlacedRow = EventRow & { readonly tx: number }

export interface LogPosition {
  readonly after_tx: number
  readonly after_log_id: number
  readonly limit: number
}

/** A page of the entries of a record, or of all that have a path. */
export async function eventsOfRecord(
  client: QueryClient,
  sql: Statements,
  given: string,
  { after_tx, after_log_id, limit }: LogPosition,
): Promise<readonly PlacedRow[]> {
  const ref = checkRef('record', given)
  const refs = isPath(ref) ? { ids: [], paths: [ref] } : { ids: [ref], paths: [] }
  const keys = await sql.run<{ pk: number }>(client, 'recordKeys', { ...refs, kinds: Object.values(recordKinds) })
  const rows: PlacedRow[] = []
  for (const { pk } of keys) {
    const page = { record: pk, after_tx, after_log_id, limit }
    rows.push(...(await sql.run<PlacedRow>(client, 'eventsOfRecordAfter', page)))
  }
  return rows.sort((a, b) => a.tx - b.tx || a.log_id - b.log_id).slice(0, limit)
}
