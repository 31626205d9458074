import type { Awaits } from '../core/job/awaits.ts'
import type { JobEvent } from '../core/job/events.ts'
import { evolve } from '../core/job/evolve.ts'
import {
  defaultRetry,
  type Job,
  noSlices,
  type OnFailure,
  type Phase,
  type RetryPolicy,
  type Slices,
  type State,
  type TaskSpec,
} from '../core/job/job.ts'
import type { Needs, UpstreamFailure } from '../core/slot/needs.ts'
import type { Attempt } from './attempt.ts'
import { jsonOrNull, memberAt, outcomes, sameRetry } from './encoding.ts'
import type { StoredJob } from './store.ts'

/** The rows of both stores have the same columns, so they are read and written in one place. */

const states: readonly State[] = ['initial', 'running', 'error', 'final']
const phases: readonly Phase[] = ['pending', 'queued', 'running', 'awaiting', 'final']

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
  readonly parent: number | null
  readonly parent_attempt: number | null
  readonly trace_parent: string | null
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

/** A job as it is read: its row, the name of its type, and its open claim or the run that ended it if it has one. */
export interface JobRow extends SpecRow, StateRow {
  readonly type_name: string
  readonly claim_revision: number | null
  readonly claim_started_at: number | null
  readonly claim_deadline_at: number | null
  readonly claim_token: string | null
  readonly claim_worker_id: string | null
  readonly end_token: string | null
  readonly end_worker_id: string | null
  readonly end_started_at: number | null
  readonly end_finished_at: number | null
  readonly end_result_digest: string | null
  readonly end_result: string | null
}

/** Rare settings share one column, which is null for a job of defaults. */
export interface Options {
  readonly retry?: RetryPolicy
  readonly timeoutMs?: number
  readonly replaces?: string
  readonly onFailure?: OnFailure
  readonly limits?: readonly string[]
  readonly task?: TaskSpec
  readonly needs?: Needs
  readonly rerun?: readonly number[]
}

/** Rare parts of the state share one column, which is null while they are at their beginning. */
export interface Detail {
  readonly snoozes?: number
  readonly suspect?: true
  readonly cancelRequestedAt?: number
  readonly cancelReason?: string
  readonly awaits?: Awaits
  readonly shards?: number
  readonly slices?: Slices
  readonly upstream?: readonly UpstreamFailure[]
  readonly output?: string
}

export function specRow(stored: StoredJob, typeId: number, parent: Attempt | null): SpecRow {
  const { job, guard } = stored
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
    options: optionsText(job),
    expires_at: job.expiresAt,
    deadline_at: job.deadlineAt,
    created_at: job.createdAt,
    parent: parent?.pk ?? null,
    parent_attempt: parent?.attempt ?? null,
    trace_parent: stored.trace,
  }
}

export function optionsText(
  spec: Pick<Job, 'retry' | 'timeoutMs' | 'onFailure' | 'limits' | 'task' | 'needs' | 'rerun'> &
    Partial<Pick<Job, 'replaces'>>,
): string | null {
  if (hasNoOptions(spec)) return null
  const { replaces = null } = spec
  const options: Options = {
    ...(sameRetry(spec.retry, defaultRetry) ? {} : { retry: spec.retry }),
    ...(spec.timeoutMs === null ? {} : { timeoutMs: spec.timeoutMs }),
    ...(replaces === null ? {} : { replaces }),
    ...(spec.onFailure === null ? {} : { onFailure: spec.onFailure }),
    ...(spec.limits.length === 0 ? {} : { limits: spec.limits }),
    ...(spec.task === null ? {} : { task: spec.task }),
    ...(spec.needs === null ? {} : { needs: spec.needs }),
    ...(spec.rerun === null ? {} : { rerun: spec.rerun }),
  }
  return jsonOrNull(options)
}

/** Most jobs have none, and nothing need be made to find that out. */
function hasNoOptions({
  retry,
  timeoutMs,
  replaces,
  onFailure,
  limits,
  task,
  needs,
  rerun,
}: Parameters<typeof optionsText>[0]) {
  const isPlain = retry === defaultRetry && limits.length === 0
  return isPlain && (timeoutMs ?? replaces ?? onFailure ?? task ?? needs ?? rerun ?? null) === null
}

export function stateRow({ job, params, result, guard }: StoredJob): StateRow {
  const detail: Detail = {
    ...(job.snoozes === 0 ? {} : { snoozes: job.snoozes }),
    ...(job.suspect ? { suspect: true } : {}),
    ...(job.cancelRequestedAt === null ? {} : { cancelRequestedAt: job.cancelRequestedAt }),
    ...(job.cancelReason === null ? {} : { cancelReason: job.cancelReason }),
    ...(job.awaits === null ? {} : { awaits: job.awaits }),
    ...(job.shards === null ? {} : { shards: job.shards }),
    ...(job.slices === null || job.slices === noSlices ? {} : { slices: job.slices }),
    ...(job.upstream === null ? {} : { upstream: job.upstream }),
    ...(job.output === null ? {} : { output: job.output }),
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
 * A claim writes no job row: it leaves a row of its own, which is the start of the attempt. Nor does the end that nearly all
 * attempts have: its run is that end. So a job with a claim or an end that its row does not know is the row's job, evolved by
 * them.
 */
export function storedJob(row: JobRow): StoredJob {
  const resting = jobOfRow(row)
  const guard = { pk: row.pk, revision: row.revision, released: row.released !== 0, namespace: row.namespace }
  const { params, result, trace_parent: trace } = row
  if (row.end_token !== null) {
    const job = evolve(evolve(resting, startOfEnded(resting, row)), endOfEnded(resting, row))
    const ended = { ...guard, revision: row.revision + 2, released: true }
    return { job, params, result: row.end_result, trace, guard: ended }
  }
  if (row.claim_revision === null || row.claim_revision <= row.revision) {
    return { job: resting, params, result, trace, guard }
  }
  const job = evolve(resting, startOfClaim(resting, row))
  return { job, params, result, trace, guard: { ...guard, revision: row.claim_revision } }
}

function startOfEnded(job: Job, row: JobRow): JobEvent {
  const [token, workerId] = [row.end_token ?? '', row.end_worker_id ?? '']
  const data = { attempt: job.attempt + 1, token, workerId, attemptDeadlineAt: null }
  return {
    type: 'job.run.started',
    jobId: job.id,
    version: job.version + 1,
    at: row.end_started_at ?? 0,
    data,
    ...nobody,
  }
}

function endOfEnded(job: Job, row: JobRow): JobEvent {
  const data = { attempt: job.attempt + 1, resultDigest: row.end_result_digest }
  const at = row.end_finished_at ?? 0
  return { type: 'job.run.completed', jobId: job.id, version: job.version + 2, at, data, ...nobody }
}

/** Who and what stood behind an event is for readers of the log, and decides nothing. */
const nobody = { actor: null, cause: null, executionId: null, traceId: null, spanId: null }

/** What a claim is the start of: a new attempt, or more of one that is open. */
function claimOf({ state, attempt }: Pick<Job, 'state' | 'attempt'>) {
  return state === 'running'
    ? ({ type: 'job.run.resumed', attempt } as const)
    : ({ type: 'job.run.started', attempt: attempt + 1 } as const)
}

function startOfClaim(job: Job, row: JobRow): JobEvent {
  const { type, attempt } = claimOf(job)
  return {
    type,
    jobId: job.id,
    version: job.version + 1,
    at: row.claim_started_at ?? 0,
    data: {
      attempt,
      token: row.claim_token ?? '',
      workerId: row.claim_worker_id ?? '',
      attemptDeadlineAt: row.claim_deadline_at,
    },
    ...nobody,
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
    onFailure: options.onFailure ?? null,
    limits: options.limits ?? [],
    task: options.task ?? null,
    needs: options.needs ?? null,
    rerun: options.rerun ?? null,
    version: row.version,
    state: memberAt(states, row.state),
    phase: memberAt(phases, row.phase),
    attempt: row.attempt,
    charged: row.charged,
    snoozes: detail.snoozes ?? 0,
    shards: detail.shards ?? null,
    slices: slicesOf(options, detail),
    upstream: detail.upstream ?? null,
    output: detail.output ?? null,
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

export function slicesOf({ task }: Options, { slices }: Detail): Slices | null {
  return task === undefined ? null : (slices ?? noSlices)
}
