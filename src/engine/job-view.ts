import { type Labels, type Outcome, type State, type Status, statusOf } from '../core/job/job.ts'
import { reasonOf } from '../core/job/reason.ts'
import type { Json } from '../core/json.ts'
import type { StoredJob } from '../store/store.ts'

/** A job as it is shown. */
export interface JobView {
  /** Text form of its JobRunId. */
  readonly id: string
  readonly name: string
  readonly type: string
  readonly key: string | null
  readonly labels: Labels
  readonly templateId: string | null
  readonly scheduleId: string | null
  readonly groupId: string | null
  readonly retryOf: string | null
  readonly submittedBy: string | null
  readonly params: Json
  readonly priority: number
  readonly position: number
  readonly state: State
  readonly status: Status
  /** Why it is not running yet; null when it runs or is over. */
  readonly reason: string | null
  readonly attempt: number
  readonly charged: number
  readonly error: string | null
  readonly result: Json
  /** How its last run ended; null without one. */
  readonly outcome: Outcome | null
  readonly scheduledFor: Date
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly queuedAt: Date | null
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly updatedAt: Date
}

export function viewOf({ job, params, result }: StoredJob, id: string, now: number): JobView {
  return {
    id,
    name: job.name,
    type: job.type,
    key: job.key,
    labels: job.labels,
    templateId: job.templateId,
    scheduleId: job.scheduleId,
    groupId: job.groupId,
    retryOf: job.retryOf,
    submittedBy: job.submittedBy,
    params: parsed(params),
    priority: job.priority,
    position: job.position,
    state: job.state,
    status: statusOf(job),
    reason: reasonOf(job, now),
    attempt: job.attempt,
    charged: job.charged,
    error: job.error,
    result: parsed(result),
    outcome: job.outcome,
    scheduledFor: new Date(job.scheduledFor),
    expiresAt: dateOf(job.expiresAt),
    createdAt: new Date(job.createdAt),
    queuedAt: dateOf(job.queuedAt),
    startedAt: dateOf(job.startedAt),
    finishedAt: dateOf(job.finishedAt),
    updatedAt: new Date(job.updatedAt),
  }
}

function parsed(text: string | null): Json {
  return text === null ? null : (JSON.parse(text) as Json)
}

export function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
