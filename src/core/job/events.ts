import type { UpstreamFailure } from '../slot/needs.ts'
import type { Awaits } from './awaits.ts'
import type { JobSpec, Progress } from './job.ts'
import type { Observed } from './outside-event.ts'

/**
 * The catalogue: every type of event that Stint itself writes. It is closed, and its names are refused from outside.
 * The number is what the stores keep; it never changes and is never used again. Retired names keep their line.
 */
export const catalogue = {
  'job.created': 1,
  'job.queued': 2,
  'job.edited': 3,
  'job.run.started': 4,
  'job.run.suspended': 5,
  'job.run.completed': 6,
  'job.run.failed': 7,
  'job.run.skipped': 8,
  'job.cancel.requested': 9,
  'job.cancelled': 10,
  'job.expired': 11,
  'job.held': 12,
  'job.run.resumed': 13,
  'job.run.planned': 14,
  'job.run.queued': 15,
  'task.slice.completed': 16,
  'task.slice.failed': 17,
} as const

export type CatalogueType = keyof typeof catalogue

/** First words of catalogue names, reserved as a whole so that later versions can add to the catalogue. */
const reservedPrefixes = [
  ...['job.', 'task.', 'slot.', 'group.', 'schedule.', 'template.', 'endpoint.', 'worker.', 'defaults.', 'retention.'],
  ...['key.', 'webhook.'],
]

export function isReservedType(type: string): boolean {
  return reservedPrefixes.some((prefix) => type.startsWith(prefix))
}

/** Version of the shape of event data. It goes up when a reader of old events has to know the difference. */
export const eventSchema = 1

/** Why an attempt did not complete. Charged reasons count against `maxAttempts`. */
export type FailureReason = 'failed' | 'timeout' | 'lease_lost' | 'released' | 'snoozed' | 'cancelled'

/** Who caused an event: a worker, a key, a schedule, a person. `cause` names the event or run that led to it. */
export interface Origin {
  readonly actor: string | null
  readonly cause: string | null
}

/** The digest of new params, and the text that they replace: the log and the job hold every version once. */
export interface NewParams {
  readonly digest: string | null
  readonly replaced: string | null
}

/** What became of the needs of a job: its params with their values, null when those are as they were. */
export interface Resolved {
  readonly params: NewParams | null
  readonly upstream: readonly UpstreamFailure[]
}

export interface JobEventData {
  'job.created': Omit<JobSpec, 'id'> & { readonly pending: boolean }
  /** The last gate has opened. If it waited for slots, its params hold their values from now on. */
  'job.queued': { readonly resolved?: Resolved }
  'job.edited': {
    readonly priority?: number
    readonly position?: number
    readonly scheduledFor?: number
    readonly params?: NewParams
  }
  'job.run.started': {
    readonly attempt: number
    readonly token: string
    readonly workerId: string
    readonly attemptDeadlineAt: number | null
  }
  'job.run.suspended': {
    readonly attempt: number
    readonly awaits: Awaits | null
    readonly until: number | null
    /** UUID of the job or slot whose value is to be its result. */
    readonly output?: string
  }
  'job.run.completed': { readonly attempt: number; readonly resultDigest: string | null } & RunFacts
  'job.run.failed': {
    readonly attempt: number
    readonly reason: FailureReason
    readonly error: string
    readonly charged: boolean
    /** When the next attempt is due; null when there is none: the job has failed for good or is cancelled. */
    readonly retryAt: number | null
    /** Jobs that this attempt submitted still live. They are cancelled, and the next attempt waits for their ends. */
    readonly waits?: true
    /** It is a task, and its failure is that of the whole sharded job, whatever that one tolerates. */
    readonly failsJob?: true
  } & RunFacts
  'job.run.skipped': { readonly reason: string; readonly cancelled: boolean }
  'job.cancel.requested': { readonly reason: string }
  'job.cancelled': { readonly reason: string }
  /** The time of the whole job ran out between two attempts. */
  'job.expired': { readonly reason: string }
  /** A job that was queued and has not started waits for a gate again: another member of its group goes first. */
  'job.held': Record<never, never>
  /** A worker goes on with an attempt that was open, with a new token. */
  'job.run.resumed': JobEventData['job.run.started']
  /** A sharded job is split into so many tasks, and waits for them without a worker. */
  'job.run.planned': { readonly attempt: number; readonly shards: number }
  /** What the open attempt waited for is there: it goes on when a worker takes it. */
  'job.run.queued': { readonly attempt: number }
  /** A slice of a task was saved: the state that it gave back is the task's result so far. */
  'task.slice.completed': {
    readonly attempt: number
    readonly seq: number
    readonly stateDigest: string | null
    readonly progress: Progress | null
    /** Its new place in the queue: behind all others. */
    readonly position: number
  }
  /** A slice of a task failed and is tried again from the last state that was saved. */
  'task.slice.failed': {
    readonly attempt: number
    readonly seq: number
    readonly reason: FailureReason
    readonly error: string
    /** It counts against the failures in a row. */
    readonly counts: boolean
    readonly retryAt: number
  }
}

/** What the end of an attempt tells about it, for its run record. Absent where there is nothing to tell. */
export interface RunFacts {
  readonly exitCode?: number
  readonly artifacts?: readonly string[]
  readonly logPath?: string
}

/** An event that Stint wrote: one step of one job. Its id follows from job and version. */
export type JobEvent = { [T in CatalogueType]: JobEventOf<T> }[CatalogueType]

export interface JobEventOf<T extends CatalogueType> extends Origin, Observed {
  readonly type: T
  readonly jobId: string
  readonly version: number
  /** When it happened, in epoch milliseconds. It informs; no rule decides by it. */
  readonly at: number
  readonly data: JobEventData[T]
}

export function eventIdOf(event: Pick<JobEvent, 'jobId' | 'version'>): string {
  return `${event.jobId}.${event.version}`
}
