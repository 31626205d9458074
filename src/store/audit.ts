import type { Group } from '../core/group/group.ts'
import type { JobEvent } from '../core/job/events.ts'
import type { ShardCounts } from '../core/shard/sharded.ts'
import { type EventRow, jobEvent, logEntry } from './event-row.ts'
import { type JobRow, storedJob } from './job-row.ts'
import { type RecordRow, recordOfRow, type StoredRecord } from './records.ts'
import { type RunRow, runOfRow } from './run-row.ts'
import type { AuditedGroup, AuditedJob, AuditedShards, AuditPage, LogEntry, SeatRow, StraySeat } from './store.ts'

export interface SeatRowOfJob extends SeatRow {
  readonly job: number
}

/** A group's record with what is counted of its members. */
export interface AuditedGroupRow extends RecordRow {
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly skipped: number
  readonly waiting: number
  readonly is_followed_up: number | boolean
}

/** The counts of a sharded job with what is counted of its tasks. */
export interface AuditedShardedRow extends ShardCounts {
  readonly job: number
  readonly tasks_opened: number
  readonly tasks_done: number
  readonly tasks_failed: number
}

/** The rows of a page of jobs and groups, read at one instant. */
export interface AuditRows {
  readonly pks: readonly number[]
  readonly jobs: readonly JobRow[]
  readonly groups: readonly AuditedGroupRow[]
  readonly sharded: readonly AuditedShardedRow[]
  readonly events: readonly EventRow[]
  readonly runs: readonly RunRow[]
  readonly seats: readonly SeatRowOfJob[]
  readonly waits: readonly { readonly job: number; readonly on_job: number }[]
  readonly deadlines: readonly { readonly job: number; readonly at: number }[]
  readonly handles: readonly { readonly job: number; readonly handle: 'name' | 'key' }[]
  readonly strays: readonly StraySeat[]
}

export function auditPage(rows: AuditRows, limit: number): AuditPage {
  const events = Map.groupBy(rows.events, ({ job }) => job)
  const runs = Map.groupBy(rows.runs, ({ job }) => job)
  const seats = Map.groupBy(rows.seats, ({ job }) => job)
  const waits = Map.groupBy(rows.waits, ({ job }) => job)
  const deadlines = Map.groupBy(rows.deadlines, ({ job }) => job)
  const handles = Map.groupBy(rows.handles, ({ job }) => job)
  const sharded = new Map(rows.sharded.map((row) => [row.job, auditedShards(row)]))
  const jobs = rows.jobs.map((row): AuditedJob => {
    const entries: readonly LogEntry[] = (events.get(row.pk) ?? []).map(logEntry)
    const own: readonly JobEvent[] = entries.filter(({ version }) => version !== null).map(jobEvent)
    return {
      stored: storedJob(row),
      shards: sharded.get(row.pk) ?? null,
      own,
      outside: entries.filter(({ version }) => version === null).sort((a, b) => a.logId - b.logId),
      runs: (runs.get(row.pk) ?? []).map((run) => runOfRow(row.id, run)),
      seats: (seats.get(row.pk) ?? []).map(({ seat, revision, lane }) => ({ seat, revision, lane })),
      waitsFor: (waits.get(row.pk) ?? []).map(({ on_job }) => on_job),
      deadlines: (deadlines.get(row.pk) ?? []).map(({ at }) => at),
      handles: (handles.get(row.pk) ?? []).map(({ handle }) => handle),
    }
  })
  const next = rows.pks.length < limit ? null : (rows.pks.at(-1) ?? null)
  return { jobs, groups: rows.groups.map(auditedGroup), strays: rows.strays, next }
}

function auditedShards({ total, adopted, opened, done, failed, ...row }: AuditedShardedRow): AuditedShards {
  const tasks = { opened: row.tasks_opened, done: row.tasks_done, failed: row.tasks_failed }
  return { total, adopted, opened, done, failed, tasks }
}

function auditedGroup(row: AuditedGroupRow): AuditedGroup {
  const { total, completed, failed, cancelled, skipped, waiting, is_followed_up } = row
  const { id, released, body } = recordOfRow(row) as StoredRecord<Group>
  const counts = { total, completed, failed, cancelled, skipped }
  return { id, group: body, released, counts, waiting, isFollowedUp: Boolean(is_followed_up) }
}
