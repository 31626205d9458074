import { isPath } from '../../core/gates/limit.ts'
import { checkRef } from '../control/record-steps.ts'
import type { EventRow } from '../event-row.ts'
import { recordEventRow } from '../record-event.ts'
import {
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
import type { Statements } from './statements.ts'

/** Records on SQLite, whose transactions are alone: nothing has to be held. */
export class SqliteRecords implements Records {
  readonly #sql: Statements
  readonly #now: number

  constructor(sql: Statements, now: number) {
    this.#sql = sql
    this.#now = now
  }

  find(kind: RecordKind, refs: readonly string[]): readonly StoredRecord[] {
    const ids = JSON.stringify(refs.filter((ref) => !isPath(ref)))
    const paths = JSON.stringify(refs.filter(isPath))
    const rows = [
      ...this.#sql.all<RecordRow>('recordsById', { kind: recordKinds[kind], ids }),
      ...this.#sql.all<RecordRow>('recordsByPath', { kind: recordKinds[kind], paths }),
    ]
    return rows.map(recordOfRow)
  }

  byKey(kind: RecordKind, pks: readonly number[]): readonly StoredRecord[] {
    const params = { kind: recordKinds[kind], pks: JSON.stringify(pks) }
    return this.#sql.all<RecordRow>('recordsByKey', params).map(recordOfRow)
  }

  insert(record: StoredRecord): boolean {
    return this.#sql.run('insertRecord', { ...recordRow(record) }) === 1
  }

  save(records: readonly StoredRecord[]): void {
    for (const record of records) {
      const { pk, released, version, due_at, updated_at, body } = recordRow(record)
      this.#sql.run('saveRecord', { pk, released, version, due_at, updated_at, body })
    }
  }

  due(kind: RecordKind, skip: number): StoredRecord | null {
    const row = this.#sql.get<RecordRow>('dueRecord', { kind: recordKinds[kind], now: this.#now, skip })
    return row === undefined ? null : recordOfRow(row)
  }

  nextDue(kind: RecordKind): number | null {
    return (
      this.#sql.get<{ due_at: number | null }>('nextDueRecord', { kind: recordKinds[kind], now: this.#now })?.due_at ??
      null
    )
  }

  page({ kind, path, withReleased, before, limit }: RecordPage): readonly StoredRecord[] {
    const params = { kind: recordKinds[kind], path, with_released: withReleased ? 1 : 0, before, limit }
    return this.#sql.all<RecordRow>('recordPage', params).map(recordOfRow)
  }

  log(entries: readonly RecordEntry[]): void {
    for (const entry of entries) this.#sql.run('insertRecordEvent', { ...recordEventRow(entry) })
  }
}

/** A page of the entries of a record, or of all that have a path. */
export function eventsOfRecord(
  sql: Statements,
  ref: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly EventRow[] {
  const kinds = JSON.stringify(Object.values(recordKinds))
  const keys = sql.all<{ pk: number }>('recordKeys', { kinds, ref: checkRef('record', ref) })
  const rows = keys.flatMap(({ pk }) => sql.all<EventRow>('eventsOfRecordAfter', { record: pk, after, limit }))
  return rows.sort((a, b) => a.log_id - b.log_id).slice(0, limit)
}
