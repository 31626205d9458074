import { StintError } from '../../core/errors.ts'
import type { PausedPath } from '../../core/gates/gatekeeper.ts'
import { laneOf } from '../change.ts'
import { isStorable, isUuid } from '../check-input.ts'
import { checkReport, type LogsParams, lostShownMs, type OverdueParams } from '../check-work.ts'
import { openState } from '../claimed-row.ts'
import { pathOver } from '../gates.ts'
import { type JobRow, storedJob } from '../job-row.ts'
import { type LimitColumns, limitOfRow, shownLimits, type WaitingColumns } from '../limit-row.ts'
import { type PastJob, type PastRow, pastOfRow } from '../retention/pasts.ts'
import type {
  HeldAttempt,
  LimitRow,
  LogLine,
  Notes,
  OrphansPage,
  OverduePage,
  PastRef,
  QueueRequest,
  Report,
  ShutGate,
  StoredJob,
  WorkerRow,
} from '../store.ts'
import { type WorkerColumns, workerOfRow } from '../worker-row.ts'
import type { Statements } from './statements.ts'

/** What workers and upkeep ask for, within a transaction or a read. */

export function buryLost(sql: Statements, now: number): readonly string[] {
  sql.run('forgetLost', { before: now - lostShownMs })
  return sql.all<{ id: string }>('buryLost', { now }).map(({ id }) => id)
}

export function workers(sql: Statements): readonly WorkerRow[] {
  return sql.all<WorkerColumns>('allWorkers', {}).map(workerOfRow)
}

export function held(sql: Statements, workerId: string): readonly HeldAttempt[] {
  const rows = sql.all<{ id: string; token: string; cancel_asked: number }>('heldBy', { worker_id: workerId })
  return rows.map(({ id, token, cancel_asked }) => ({ jobId: id, token, cancelAsked: cancel_asked === 1 }))
}

export function orphans(sql: Statements, { after, limit }: { after: number; limit: number }): OrphansPage {
  type Row = { job: number; id: string; token: string; lost_with: number | null }
  const rows = sql.all<Row>('orphans', { after, limit })
  // Of a worker that was never found lost nobody counted what it held, so nobody can be blamed.
  const attempts = rows.map(({ id, token, lost_with }) => ({ jobId: id, token, alone: lost_with === 1 }))
  return { attempts, next: rows.length < limit ? null : (rows.at(-1)?.job ?? null) }
}

export function overdue(sql: Statements, params: OverdueParams): OverduePage {
  const rows = sql.all<{ at: number; job: number; id: string }>('overdueJobs', {
    ...params,
    now: params.now ?? Date.now(),
  })
  const last = rows.at(-1)
  const next = last === undefined || rows.length < params.limit ? null : { at: last.at, job: last.job }
  return { jobIds: rows.map(({ id }) => id), next }
}

export function report(sql: Statements, reports: readonly Report[], now: number): readonly boolean[] {
  return reports.map((given) => {
    const checked = checkReport(given)
    return !(checked instanceof StintError) && reportOne(sql, checked, now)
  })
}

function reportOne(sql: Statements, { jobId, token, progress, checkpoint, lines = [] }: Report, now: number): boolean {
  type Row = { job: number; attempt: number; phase: number; state: number }
  const found = sql.get<Row>('holdsAttempt', { id: jobId, token })
  if (found === undefined) return false
  const { job } = found
  // The row of a job that was claimed still tells of the attempt before.
  const attempt = found.attempt + (found.phase === 1 && found.state !== openState ? 1 : 0)
  if (progress !== undefined) sql.run('saveProgress', { job, ...progress, now })
  if (checkpoint !== undefined) sql.run('saveCheckpoint', { job, attempt, value: checkpoint, now })
  for (const { seq, at, line } of lines) sql.run('insertLogLine', { job, attempt, seq, at, line })
  return true
}

export function notes(sql: Statements, id: string): Notes {
  if (!isUuid(id)) return { progress: null, checkpoint: null }
  const progress = sql.get<{ done: number; total: number | null }>('progressOf', { id })
  const checkpoint = sql.get<{ value: string }>('checkpointOf', { id })
  return {
    progress: progress === undefined ? null : { done: progress.done, total: progress.total },
    checkpoint: checkpoint?.value ?? null,
  }
}

export function logLines(sql: Statements, params: LogsParams): readonly LogLine[] {
  const { id, ...page } = params
  const job = anyKeyOf(sql, id)
  if (job === null) return []
  return sql.all<LogLine>('logLines', { ...page, job }).map(({ seq, at, line }) => ({ seq, at, line }))
}

/** The row key of a job, or of one that was pruned. */
export function anyKeyOf(sql: Statements, id: string): number | null {
  return isUuid(id) ? (sql.get<{ pk: number | null }>('anyKeyOfId', { id })?.pk ?? null) : null
}

export function past(sql: Statements, ref: PastRef): PastJob | null {
  const { pk } = pastKeyOf(sql, ref) ?? { pk: null }
  const [row] = pk === null ? [] : sql.all<PastRow>('pastJobsByKey', { pks: JSON.stringify([pk]) })
  return row === undefined ? null : pastOfRow(row)
}

function pastKeyOf(sql: Statements, ref: PastRef): { readonly pk: number | null } | undefined {
  if ('id' in ref) return isUuid(ref.id) ? sql.get('pastKeyOfId', { id: ref.id }) : undefined
  return isStorable(ref.name) ? sql.get('pastKeyOfName', { name: ref.name }) : undefined
}

const holdersShown = 3

export function limits(sql: Statements): readonly LimitRow[] {
  const rows = sql.all<LimitColumns>('limitStates', { keys: null, ids: null })
  return shownLimits(rows, sql.all<WaitingColumns>('waitingAt', {}))
}

/** What keeps a queued job from being claimed, as it stands now. */
export function gateOf(sql: Statements, id: string): ShutGate | null {
  const found = sql.get<{ name: string; type: number; gate: number | null }>('gateOfJob', { id })
  if (found === undefined) return null
  const ofType = sql.get<{ reason: string | null; type: string }>('pauseOfType', { type: found.type })
  if (ofType !== undefined) return { kind: 'paused', path: null, ...ofType }
  const path = pathOver(sql.all<PausedPath & { reason: string | null }>('pausedPathsWithReason', {}), found.name)
  if (path !== null) return { kind: 'paused', path: path.path, type: null, reason: path.reason }
  if (found.gate === null || found.gate < 0) return null
  const [limit] = sql.all<LimitColumns>('limitStates', { keys: null, ids: JSON.stringify([found.gate]) })
  if (limit === undefined) return null
  const holders = sql.all<{ name: string }>('holdersOf', { id: limit.id, limit: holdersShown }).map(({ name }) => name)
  const { key, concurrency, rate, held } = limitOfRow(limit)
  return { kind: 'limit', limit: { key, concurrency, rate }, holders, held }
}

/** Ready jobs in the order in which workers get them. */
export function queue(sql: Statements, { types, limit }: QueueRequest): readonly StoredJob[] {
  type Row = { job: number; priority: number; position: number }
  const known = sql.all<{ id: number; name: string }>('allTypes', {})
  const ids = known.filter(({ name }) => types === undefined || types.includes(name)).map(({ id }) => id)
  const lanes = ids.flatMap((id) => [laneOf(id, false), laneOf(id, true)])
  const rows = lanes.flatMap((lane) => sql.all<Row>('queueOfLane', { lane, limit }))
  rows.sort((a, b) => b.priority - a.priority || a.position - b.position || a.job - b.job)
  const pks = rows.slice(0, limit).map(({ job }) => job)
  const jobs = sql.all<JobRow>('jobsByKey', { pks: JSON.stringify(pks) }).map(storedJob)
  const found = new Map(jobs.map((stored) => [stored.guard.pk, stored]))
  return pks.flatMap((pk) => found.get(pk) ?? [])
}
