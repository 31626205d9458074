import { defaultRetry, type Job } from '../core/job/job.ts'
import { memberAt, outcomes } from './encoding.ts'
import { type Detail, type Options, slicesOf } from './job-row.ts'
import type { StoredJob } from './store.ts'

/**
 * A job as a claim reads it: the columns below and, of its new attempt, when it started and until when it may take. What
 * a claim does not read has the same value in every job that has just started. Arrays, because a claim reads thousands.
 */
export const claimedColumns = [
  ...['pk', 'id', 'revision', 'released', 'name', 'namespace', 'key', 'version', 'priority', 'position', 'attempt'],
  ...['charged', 'outcome', 'scheduled_for', 'expires_at', 'deadline_at', 'created_at', 'queued_at', 'template_id'],
  ...['schedule_id', 'group_id', 'retry_of', 'submitted_by', 'labels', 'options', 'detail', 'params_digest', 'params'],
  ...['trace_parent', 'type', 'state', 'started_at', 'result_digest', 'result'],
] as const

export type ClaimedRow = readonly [
  ...[pk: number, id: string, revision: number, released: number, name: string, namespace: string, key: string | null],
  ...[version: number, priority: number, position: number, attempt: number, charged: number, outcome: number | null],
  ...[scheduledFor: number, expiresAt: number | null, deadlineAt: number | null, createdAt: number],
  ...[queuedAt: number | null, templateId: string | null, scheduleId: string | null, groupId: string | null],
  ...[retryOf: string | null, submittedBy: string | null, labels: string | null, options: string | null],
  ...[detail: string | null, paramsDigest: string | null, params: string | null, trace: string | null, type: number],
  ...[state: number, firstStartedAt: number | null, resultDigest: string | null, result: string | null],
  ...[claimedAt: number, attemptDeadlineAt: number | null],
]

/** The number of the state `running`: a job that has it and can be claimed goes on with its open attempt. */
export const openState = 1

/** The attempt that a claim starts, the same for all that it takes. */
export interface ClaimedBy {
  readonly workerId: string
  readonly token: string
  /** The name of a type by its number. */
  readonly typeName: (id: number) => string
}

/** The job as the decider's `claim` leaves it: the contract holds the two equal, field for field. */
export function claimedJob(row: ClaimedRow, { workerId, token, typeName }: ClaimedBy): StoredJob {
  // biome-ignore format: one name for each column, in their order
  const [
    pk, id, revision, released, name, namespace, key, version, priority, position, attempt, charged, outcome,
    scheduledFor, expiresAt, deadlineAt, createdAt, queuedAt, templateId, scheduleId, groupId, retryOf, submittedBy, labels,
    optionsText, detailText, paramsDigest, params, trace, type, state, firstStartedAt, resultDigest, result, claimedAt,
    attemptDeadlineAt,
  ] = row
  const options: Options = optionsText === null ? {} : JSON.parse(optionsText)
  const detail: Detail = detailText === null ? {} : JSON.parse(detailText)
  const isOpen = state === openState
  const job: Job = {
    id,
    name,
    type: typeName(type),
    key,
    labels: labels === null ? {} : JSON.parse(labels),
    templateId,
    scheduleId,
    groupId,
    retryOf,
    submittedBy,
    replaces: options.replaces ?? null,
    paramsDigest,
    priority,
    position,
    scheduledFor,
    expiresAt,
    retry: options.retry ?? defaultRetry,
    timeoutMs: options.timeoutMs ?? null,
    deadlineAt,
    awaits: detail.awaits ?? null,
    onFailure: options.onFailure ?? null,
    limits: options.limits ?? [],
    task: options.task ?? null,
    needs: options.needs ?? null,
    rerun: options.rerun ?? null,
    version: version + 1,
    state: 'running',
    phase: 'running',
    attempt: isOpen ? attempt : attempt + 1,
    charged,
    snoozes: detail.snoozes ?? 0,
    shards: detail.shards ?? null,
    slices: slicesOf(options, detail),
    upstream: detail.upstream ?? null,
    output: isOpen ? (detail.output ?? null) : null,
    suspect: detail.suspect ?? false,
    error: null,
    outcome: outcome === null ? null : memberAt(outcomes, outcome),
    cancelled: false,
    resultDigest,
    cancelRequestedAt: detail.cancelRequestedAt ?? null,
    cancelReason: detail.cancelReason ?? null,
    token,
    workerId,
    attemptDeadlineAt,
    createdAt,
    queuedAt,
    startedAt: isOpen ? firstStartedAt : claimedAt,
    finishedAt: null,
    updatedAt: claimedAt,
  }
  const guard = { pk, revision: revision + 1, released: released !== 0, namespace }
  return { job, params, result, trace, guard }
}

/** Whether what has to be parsed of a row can be. One that cannot be read must not hold up the others. */
export function isReadable(row: ClaimedRow): boolean {
  const texts = [row[columnOf('labels')], row[columnOf('options')], row[columnOf('detail')]]
  try {
    for (const text of texts) if (text !== null) JSON.parse(String(text))
    return true
  } catch {
    return false
  }
}

export function columnOf(name: (typeof claimedColumns)[number]): number {
  return claimedColumns.indexOf(name)
}
