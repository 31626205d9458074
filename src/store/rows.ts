import type { Awaits } from '../core/job/awaits.ts'
import type { JobEvent } from '../core/job/events.ts'
import { evolve } from '../core/job/evolve.ts'
import {
  defaultRetry,
  type Job,
  type Outcome,
  type Phase,
  type RetryPolicy,
  type Run,
  type State,
} from '../core/job/job.ts'
import type { OutsideEvent } from '../core/job/outside-event.ts'
import type { JsonObject } from '../core/json.ts'
import { decodeEventData, typeOfCode } from './event-data.ts'
import { outsideKey } from './new-event.ts'
import type { LogEntry, StoredJob } from './store.ts'

/** The rows of both stores have the same columns, so they are read and written in one place. */

const states: readonly State[] = ['initial', 'running', 'error', 'final']
const phases: readonly Phase[] = ['pending', 'queued', 'running', 'awaiting', 'final']
const outcomes: readonly Outcome[] = ['COMPLETED', 'FAILED', 'SKIPPED']

/** What a job has from its creation, as columns. */
export interface SpecRow {
  readonly pk: number
  readonly id: string
  readonly name: string
  readonly namespace: string
  readonly type: number
  readonly key: string | null
  readonly labels: string | null
  readonly template_id: string | null
  readonly schedule_id: string | null
  readonly group_id: string | null
  readonly retry_of: string | null
  readonly submitted_by: string | null
  readonly options: string | null
  readonly expires_at: number | null
  readonly deadline_at: number | null
  readonly created_at: number
}

/** What moves while the job lives, as columns. */
export interface StateRow {
  readonly revision: number
  readonly released: number
  readonly version: number
  readonly state: number
  readonly phase: number
  readonly priority: number
  readonly position: number
  readonly attempt: number
  readonly charged: number
  readonly scheduled_for: number
  readonly outcome: number | null
  readonly cancelled: number
  readonly error: string | null
  readonly token: string | null
  readonly worker_id: string | null
  readonly attempt_deadline_at: number | null
  readonly queued_at: number | null
  readonly started_at: number | null
  readonly finished_at: number | null
  readonly updated_at: number
  readonly detail: string | null
  readonly params_digest: string | null
  readonly params: string | null
  readonly result_digest: string | null
  readonly result: string | null
}

/** A job as it is read: its row, the name of its type, and its open claim if it has one. */
export interface JobRow extends SpecRow, StateRow {
  readonly type_name: string
  readonly claim_revision: number | null
  readonly claim_started_at: number | null
  readonly claim_deadline_at: number | null
  readonly claim_token: string | null
  readonly claim_worker_id: string | null
}

/** Rare settings share one column, which is null for a job of defaults. */
interface Options {
  readonly retry?: RetryPolicy
  readonly timeoutMs?: number
  readonly replaces?: string
}

/** Rare parts of the state share one column, which is null while they are at their beginning. */
interface Detail {
  readonly snoozes?: number
  readonly suspect?: true
  readonly cancelRequestedAt?: number
  readonly cancelReason?: string
  readonly awaits?: Awaits
}

export function specRow(stored: StoredJob, typeId: number): SpecRow {
  const { job, guard } = stored
  const options: Options = {
    ...(sameRetry(job.retry, defaultRetry) ? {} : { retry: job.retry }),
    ...(job.timeoutMs === null ? {} : { timeoutMs: job.timeoutMs }),
    ...(job.replaces === null ? {} : { replaces: job.replaces }),
  }
  return {
    pk: guard.pk,
    id: job.id,
    name: job.name,
    namespace: guard.namespace,
    type: typeId,
    key: job.key,
    labels: jsonOrNull(job.labels),
    template_id: job.templateId,
    schedule_id: job.scheduleId,
    group_id: job.groupId,
    retry_of: job.retryOf,
    submitted_by: job.submittedBy,
    options: jsonOrNull(options),
    expires_at: job.expiresAt,
    deadline_at: job.deadlineAt,
    created_at: job.createdAt,
  }
}

export function stateRow({ job, params, result, guard }: StoredJob): StateRow {
  const detail: Detail = {
    ...(job.snoozes === 0 ? {} : { snoozes: job.snoozes }),
    ...(job.suspect ? { suspect: true } : {}),
    ...(job.cancelRequestedAt === null ? {} : { cancelRequestedAt: job.cancelRequestedAt }),
    ...(job.cancelReason === null ? {} : { cancelReason: job.cancelReason }),
    ...(job.awaits === null ? {} : { awaits: job.awaits }),
  }
  return {
    revision: guard.revision,
    // Unique indexes hold (name, released) and (type, key, released): zero while the job has them, its own key after.
    released: guard.released ? guard.pk : 0,
    version: job.version,
    state: states.indexOf(job.state),
    phase: phases.indexOf(job.phase),
    priority: job.priority,
    position: job.position,
    attempt: job.attempt,
    charged: job.charged,
    scheduled_for: job.scheduledFor,
    outcome: job.outcome === null ? null : outcomes.indexOf(job.outcome),
    cancelled: job.cancelled ? 1 : 0,
    error: job.error,
    token: job.token,
    worker_id: job.workerId,
    attempt_deadline_at: job.attemptDeadlineAt,
    queued_at: job.queuedAt,
    started_at: job.startedAt,
    finished_at: job.finishedAt,
    updated_at: job.updatedAt,
    detail: jsonOrNull(detail),
    params_digest: job.paramsDigest,
    params,
    result_digest: job.resultDigest,
    result,
  }
}

/**
 * A claim writes no job row: it leaves a row of its own, which is the start of the attempt. So a job with a claim that
 * its row does not know yet is the row's job, evolved by that start.
 */
export function storedJob(row: JobRow): StoredJob {
  const resting = jobOfRow(row)
  const guard = { pk: row.pk, revision: row.revision, released: row.released !== 0, namespace: row.namespace }
  const { params, result } = row
  if (row.claim_revision === null || row.claim_revision <= row.revision) return { job: resting, params, result, guard }
  const job = evolve(resting, startOfClaim(resting, row))
  return { job, params, result, guard: { ...guard, revision: row.claim_revision } }
}

function startOfClaim(job: Job, row: JobRow): JobEvent {
  return {
    type: 'job.run.started',
    jobId: job.id,
    version: job.version + 1,
    at: row.claim_started_at ?? 0,
    data: {
      attempt: job.attempt + 1,
      token: row.claim_token ?? '',
      workerId: row.claim_worker_id ?? '',
      attemptDeadlineAt: row.claim_deadline_at,
    },
    ...{ actor: null, cause: null, executionId: null, traceId: null, spanId: null },
  }
}

function jobOfRow(row: JobRow): Job {
  const options: Options = row.options === null ? {} : JSON.parse(row.options)
  const detail: Detail = row.detail === null ? {} : JSON.parse(row.detail)
  return {
    id: row.id,
    name: row.name,
    type: row.type_name,
    key: row.key,
    labels: row.labels === null ? {} : JSON.parse(row.labels),
    templateId: row.template_id,
    scheduleId: row.schedule_id,
    groupId: row.group_id,
    retryOf: row.retry_of,
    submittedBy: row.submitted_by,
    replaces: options.replaces ?? null,
    paramsDigest: row.params_digest,
    priority: row.priority,
    position: row.position,
    scheduledFor: row.scheduled_for,
    expiresAt: row.expires_at,
    retry: options.retry ?? defaultRetry,
    timeoutMs: options.timeoutMs ?? null,
    deadlineAt: row.deadline_at,
    awaits: detail.awaits ?? null,
    version: row.version,
    state: memberAt(states, row.state),
    phase: memberAt(phases, row.phase),
    attempt: row.attempt,
    charged: row.charged,
    snoozes: detail.snoozes ?? 0,
    suspect: detail.suspect ?? false,
    error: row.error,
    outcome: row.outcome === null ? null : memberAt(outcomes, row.outcome),
    cancelled: row.cancelled === 1,
    resultDigest: row.result_digest,
    cancelRequestedAt: detail.cancelRequestedAt ?? null,
    cancelReason: detail.cancelReason ?? null,
    token: row.token,
    workerId: row.worker_id,
    attemptDeadlineAt: row.attempt_deadline_at,
    createdAt: row.created_at,
    queuedAt: row.queued_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    updatedAt: row.updated_at,
  }
}

export interface RunRow {
  readonly job: number
  readonly attempt: number
  readonly status: number
  readonly reason: string | null
  readonly error: string | null
  readonly worker_id: string | null
  readonly started_at: number | null
  readonly finished_at: number
  readonly exit_code: number | null
  readonly artifacts: string | null
  readonly log_path: string | null
}

export function runRow(pk: number, run: Run): RunRow {
  return {
    job: pk,
    attempt: run.attempt,
    status: outcomes.indexOf(run.status),
    reason: run.reason,
    error: run.error,
    worker_id: run.workerId,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    exit_code: run.exitCode,
    artifacts: jsonOrNull(run.artifacts),
    log_path: run.logPath,
  }
}

export function runOfRow(jobId: string, row: RunRow): Run {
  return {
    jobId,
    attempt: row.attempt,
    status: memberAt(outcomes, row.status),
    reason: row.reason,
    error: row.error,
    workerId: row.worker_id,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    exitCode: row.exit_code,
    artifacts: row.artifacts === null ? [] : JSON.parse(row.artifacts),
    logPath: row.log_path,
  }
}

/** One row of the log, with the id of its job. Stint's own events have a code and a version, others a type in words. */
export interface EventRow {
  readonly log_id: number
  readonly job: number | null
  readonly job_id: string | null
  readonly version: number | null
  readonly code: number | null
  readonly occurred_at: number
  readonly received_at: number
  readonly namespace: string
  readonly actor: string | null
  readonly cause: string | null
  readonly execution_id: string | null
  readonly trace_id: string | null
  readonly span_id: string | null
  readonly attributes: string
  readonly source: string | null
  readonly event_id: string | null
  readonly event_type: string | null
  readonly job_ref: string | null
  readonly task_ref: string | null
}

export function logEntry(row: EventRow): LogEntry {
  const own = row.code === null ? null : typeOfCode(row.code)
  return {
    logId: row.log_id,
    eventId: row.event_id ?? `${row.job_id}.${row.version}`,
    eventType: own ?? row.event_type ?? '',
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    namespace: row.namespace,
    jobId: row.job_ref ?? row.job_id,
    taskId: row.task_ref,
    version: row.version,
    source: row.source,
    actor: row.actor,
    cause: row.cause,
    executionId: row.execution_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    attributes: own === null ? JSON.parse(row.attributes) : decodeEventData(own, row.attributes, row.occurred_at),
  }
}

/** The event of the core that an entry of Stint's own holds. */
export function jobEvent(entry: LogEntry): JobEvent {
  const { jobId, version, actor, cause, executionId, traceId, spanId } = entry
  const origin = { actor, cause, executionId, traceId, spanId }
  return { type: entry.eventType, jobId, version, at: entry.occurredAt, data: entry.attributes, ...origin } as JobEvent
}

export function outsideEvent(entry: LogEntry): OutsideEvent {
  const { eventType, taskId, occurredAt, executionId, traceId, spanId } = entry
  const attributes: JsonObject = entry.attributes
  const key = outsideKey(entry.source ?? '', entry.eventId)
  return { key, type: eventType, taskId, at: occurredAt, attributes, executionId, traceId, spanId }
}

function memberAt<T>(members: readonly T[], index: number): T {
  const member = members[index]
  if (member === undefined) throw new Error(`A row holds ${index} where one of ${members.join(', ')} must stand.`)
  return member
}

function jsonOrNull(value: object): string | null {
  return Object.keys(value).length === 0 ? null : JSON.stringify(value)
}

function sameRetry(a: RetryPolicy, b: RetryPolicy): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
