import type { AwaitedEvent } from '../core/job/awaits.ts'
import type { Labels, RetryPolicy } from '../core/job/job.ts'
import type { OnConflict, QueryClient } from '../store/store.ts'
import type { FollowingJob } from './following-job.ts'
import type { LimitOption } from './gates-api.ts'
import type { NeedOptions } from './slots/take-slots.ts'

export interface SubmitOptions extends NeedOptions {
  /** The UUID that it will have: to submit it again gives the same job. Default a new one. */
  readonly id?: string
  /** `/reports/daily`, or without the first slash a name below the default namespace. Made up if absent. */
  readonly name?: string
  /** At most one live job has it within its namespace and type. It finds the job for an answer from outside. */
  readonly key?: string
  /** Words to find it by. Default none. */
  readonly labels?: Labels
  /** Higher sooner. Default 0. */
  readonly priority?: number
  /** When it may run first. Default now. */
  readonly scheduledFor?: Date
  /** If it has not started by then it is skipped. */
  readonly expiresAt?: Date
  /** If it has not ended by then it has failed. */
  readonly deadlineAt?: Date
  /** The id or path of the template that it is made of: what is not said here, the template says. */
  readonly template?: string
  /** How often and when a failed attempt is followed by another; what is left out is as the definition or the path says. */
  readonly retry?: Partial<RetryPolicy>
  /** How many attempts may fail before the job has failed for good. The same as `retry.maxAttempts`. Default 4. */
  readonly maxAttempts?: number
  /** How long one attempt may take, in milliseconds. Default for ever. */
  readonly timeoutMs?: number
  /** Events from outside that complete the job once its handler has returned `ctx.later()`. */
  readonly awaits?: {
    readonly events: readonly (Pick<AwaitedEvent, 'eventType'> & Partial<AwaitedEvent>)[]
    readonly failOn?: readonly string[]
  }
  /** A job to submit when this one has failed for good. Its params get `failed`: which job, and why. */
  readonly onFailure?: FollowingJob
  /** The id or path of the group that it is to be a member of. It runs when that is sealed. */
  readonly group?: string
  /** The limits that it keeps to, by key, and what they are from now on where that is said. */
  readonly limits?: readonly LimitOption[]
  /** What happens when a live job has the name or key. Default `error`. */
  readonly onConflict?: OnConflict
  /** W3C trace context that the run goes on with. Default that of the active span, if there is one. */
  readonly traceparent?: string
  /**
   * A transaction of the caller's on the same PostgreSQL database: the job exists when that commits. Anything that runs a
   * parametrised query and gives rows will do: a `pg` client, or a few lines around another driver. Workers are not told
   * of that commit: they find the job when they look next, within their `pollMs`.
   */
  readonly transaction?: QueryClient
}
