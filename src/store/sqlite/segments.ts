import type { Segment } from '../controls.ts'
import {
  type AgedEntry,
  type AgedEntryRow,
  agedEntryOfRow,
  type Removed,
  type RemovedRow,
  type SegmentRow,
  type Segments,
  segmentOfRow,
  segmentPage,
  segmentRow,
} from '../retention/segments.ts'
import type { Stretch } from '../retention/walks.ts'
import type { Statements } from './statements.ts'

/** Segments on SQLite. A position in the log is the id of an entry. */
export class SqliteSegments implements Segments {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  end(): string {
    return this.#sql.get<{ cursor: string }>('endOfLog', {})?.cursor ?? '0'
  }

  entriesAfter(position: string, limit: number): readonly { position: string; receivedAt: number; bytes: number }[] {
    return this.#sql.all('entriesToWalkOver', { after: Number(position), limit })
  }

  entriesWithin(stretch: Stretch): readonly AgedEntry[] {
    return this.#sql.all<AgedEntryRow>('entriesWithin', boundsOf(stretch)).map(agedEntryOfRow)
  }

  removeEntries(stretch: Stretch, logIds: readonly number[]): readonly Removed[] {
    this.#sql.run('allowRemovals', { log_ids: JSON.stringify(logIds) })
    const rows = this.#sql.all<RemovedRow>('removeEntries', boundsOf(stretch))
    this.#sql.run('forbidRemovals', {})
    this.#sql.run('forgetRows', { rows: JSON.stringify(rows.map(({ log_id, job }) => [job, log_id])) })
    const jobs = [...new Set(rows.flatMap(({ job }) => job ?? []))]
    this.#sql.run('removePastJobs', { pks: JSON.stringify(jobs) })
    return rows.map(({ log_id: logId, received_at: receivedAt }) => ({ logId, receivedAt }))
  }

  add(segment: Segment): void {
    this.#sql.run('insertSegment', { ...segmentRow(segment) })
  }

  find(file: string): Segment | null {
    const row = this.#sql.get<SegmentRow>('segmentOfFile', { file })
    return row === undefined ? null : segmentOfRow(row)
  }

  page(before: number | null, limit: number) {
    return segmentPage(this.#sql.all<SegmentRow>('segmentPage', { before, limit }), limit)
  }
}

function boundsOf({ after, upto }: Stretch) {
  return { after: Number(after), upto: Number(upto) }
}
