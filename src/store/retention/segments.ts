import type { Awaitable } from '../awaitable.ts'
import type { Segment } from '../controls.ts'
import { type EventRow, logEntry } from '../event-row.ts'
import type { LogEntry } from '../log-entry.ts'
import type { Stretch } from './walks.ts'

/** An entry of the log as retention looks at it. */
export interface AgedEntry {
  readonly entry: LogEntry
  /** The name of the job that it belongs to, which may have been pruned; null when it belongs to none. */
  readonly jobName: string | null
  /** It belongs to a job that is there, which is derived from it. */
  readonly isOfJob: boolean
}

export interface Removed {
  readonly logId: number
  readonly receivedAt: number
}

/** Entries that leave the log, and the files they leave it for, inside one transaction. */
export interface Segments {
  /** A cursor behind all that readers have seen so far: who begins there gets what comes from now on. */
  end(): Awaitable<string>
  /** Positions after one, in log order, but for that of the newest entry, which never leaves. */
  entriesAfter(
    position: string,
    limit: number,
  ): Awaitable<readonly { readonly position: string; readonly receivedAt: number; readonly bytes: number }[]>
  /** In log order. */
  entriesWithin(stretch: Stretch): Awaitable<readonly AgedEntry[]>
  /**
   * Removes entries of a stretch, but for those of jobs that are there, and tells which. Past jobs of which nothing is left leave
   * with them.
   */
  removeEntries(stretch: Stretch, logIds: readonly number[]): Awaitable<readonly Removed[]>
  add(segment: Segment): Awaitable<void>
  find(file: string): Awaitable<Segment | null>
  /** The newest first, before a row key. */
  page(before: number | null, limit: number): Awaitable<{ items: readonly Segment[]; next: number | null }>
}

/** The same columns on both stores. */
export interface SegmentRow {
  readonly pk: number
  readonly file: string
  readonly checksum: string
  readonly count: number
  readonly first_id: number
  readonly last_id: number
  readonly first_at: number
  readonly last_at: number
  readonly archived_at: number
}

export interface AgedEntryRow extends EventRow {
  readonly job_name: string | null
  readonly is_of_job: number | boolean
}

export interface RemovedRow {
  readonly log_id: number
  readonly job: number | null
  readonly received_at: number
}

export function agedEntryOfRow(row: AgedEntryRow): AgedEntry {
  return { entry: logEntry(row), jobName: row.job_name, isOfJob: Boolean(row.is_of_job) }
}

export function segmentRow(segment: Segment): Omit<SegmentRow, 'pk'> {
  const { file, checksum, count, firstId, lastId, firstAt, lastAt, archivedAt } = segment
  const range = { first_id: firstId, last_id: lastId, first_at: firstAt, last_at: lastAt }
  return { file, checksum, count, ...range, archived_at: archivedAt }
}

export function segmentOfRow({ file, checksum, count, ...row }: SegmentRow): Segment {
  const range = { firstId: row.first_id, lastId: row.last_id, firstAt: row.first_at, lastAt: row.last_at }
  return { file, checksum, count, ...range, archivedAt: row.archived_at }
}

export function segmentPage(rows: readonly SegmentRow[], limit: number) {
  return { items: rows.map(segmentOfRow), next: rows.length < limit ? null : (rows.at(-1)?.pk ?? null) }
}
