import type { Needs, UpstreamFailure } from '../slot/needs.ts'
import type { Awaits } from './awaits.ts'

/** The four states of a job. Moves between them are listed in `moves`; everything else is an illegal transition. */
export type State = 'initial' | 'running' | 'error' | 'final'

/**
 * Where within its state a job stands. `pending` waits for a gate (a group, a slot, the job it replaces), `queued` may
 * run once its time has come, `running` is held by a worker, `awaiting` has an open attempt that holds no worker. A job in
 * the state `running` that is `queued` goes on with its open attempt when a worker takes it: the next slice of a task, or the
 * `reduce` of a sharded job.
 * Dispatch and start are one step here: the claim appends `job.run.started`.
 */
export type Phase = 'pending' | 'queued' | 'running' | 'awaiting' | 'final'

export type Outcome = 'COMPLETED' | 'FAILED' | 'SKIPPED'

/** What the outside sees. A final job that was not cancelled shows null: its outcome says how it ended. */
export type Status = 'QUEUED' | 'RUNNING' | 'CANCELLED' | null

export type Labels = Readonly<Record<string, string>>

export interface RetryPolicy {
  /** How many charged attempts a job has before it has failed for good. Default 4. */
  readonly maxAttempts: number
  /** The longest delay before the second attempt, in milliseconds. Default 10,000. */
  readonly baseMs: number
  /** By how much the longest delay grows with every charged attempt. Default 2. */
  readonly factor: number
  /** No delay is longer than this, in milliseconds. Default one hour. */
  readonly capMs: number
  /** How often handlers may snooze with `retryIn` before a snooze is charged like a failure. Default 1,000. */
  readonly maxSnoozes: number
}

export const defaultRetry: RetryPolicy = {
  maxAttempts: 4,
  baseMs: 10_000,
  factor: 2,
  capMs: 3_600_000,
  maxSnoozes: 1_000,
}

/** What a job is from its creation on. Only an edit before the first dispatch changes any of it. */
export interface JobSpec {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly key: string | null
  readonly labels: Labels
  readonly templateId: string | null
  readonly scheduleId: string | null
  readonly groupId: string | null
  readonly retryOf: string | null
  /** The run that submitted this job, if a handler did. */
  readonly submittedBy: string | null
  /** The job whose end this one waits for, because it took that job's name or key. */
  readonly replaces: string | null
  /** Digest of the params' JSON text, which is stored once, beside the job; null without params. */
  readonly paramsDigest: string | null
  readonly priority: number
  readonly position: number
  readonly scheduledFor: number
  readonly expiresAt: number | null
  readonly retry: RetryPolicy
  /** How long one attempt may take, in milliseconds; null for ever. */
  readonly timeoutMs: number | null
  /** The instant by which the whole job must have ended; null for never. */
  readonly deadlineAt: number | null
  readonly awaits: Awaits | null
  readonly onFailure: OnFailure | null
  /** The keys of limits that its attempts hold while they are open. */
  readonly limits: readonly string[]
  /** What it is a part of, if it is a task of a sharded job. */
  readonly task: TaskSpec | null
  /** The slots whose values it waits for; null without any. */
  readonly needs: Needs | null
  /** Of the retry of a sharded job: the indexes of shards that run again although they are done; null without any. */
  readonly rerun: readonly number[] | null
}

/** One of the tasks that a sharded job is split into. Its params are its initial state. */
export interface TaskSpec {
  /** UUID of the sharded job. */
  readonly of: string
  /** From 0 to `total` - 1; the last component of its name. */
  readonly index: number
  readonly total: number
  readonly slice: SlicePolicy
}

/** How often and when a slice that failed is tried again. */
export interface SlicePolicy {
  /** So many failures of slices in a row end the attempt at the task. Default 20. */
  readonly maxFailures: number
  /** The longest delay before the second try, in milliseconds. Default 1,000. */
  readonly baseMs: number
  readonly factor: number
  readonly capMs: number
  /** So many slices in a row that leave the state as it was are a failure of the task. Default 100. */
  readonly maxIdle: number
}

export const defaultSlicePolicy: SlicePolicy = {
  maxFailures: 20,
  baseMs: 1_000,
  factor: 2,
  capMs: 60_000,
  maxIdle: 100,
}

/** How far a task is. The state that its last slice gave back is its result so far. */
export interface Slices {
  /** How many slices have been saved, over all attempts. */
  readonly seq: number
  /** How many have failed since the last that was saved. */
  readonly failures: number
  /** How many have left the state as it was since the last that changed it. */
  readonly idle: number
  /** Done, and of how much. */
  readonly progress: Progress | null
  /** Why the last slice failed; null when it did not. */
  readonly error: string | null
}

export type Progress = readonly [done: number, total: number]

export const noSlices: Slices = { seq: 0, failures: 0, idle: 0, progress: null, error: null }

/** The job that is submitted when this one has failed for good. Its id is made beforehand: it can only be made once. */
export interface OnFailure {
  readonly id: string
  readonly name: string
  readonly type: string
  /** JSON text of an object; null for none. What has failed is added to it. */
  readonly params: string | null
}

/** The state of a job as its events give it. Every field follows from the events alone. Times are epoch milliseconds. */
export interface Job extends JobSpec {
  readonly version: number
  readonly state: State
  readonly phase: Phase
  readonly attempt: number
  readonly charged: number
  readonly snoozes: number
  /** Of a sharded job: how many tasks its plan has made; null before. */
  readonly shards: number | null
  /** Of a task: how far it is. */
  readonly slices: Slices | null
  /** Of a job with needs: those that got no value, once the others stand in its params; null before. */
  readonly upstream: readonly UpstreamFailure[] | null
  /** UUID of the job or slot whose value is to be the result of the open attempt, or was of the last; null without one. */
  readonly output: string | null
  /** Lost with its worker at least once since it last ended an attempt: it may be what kills workers. */
  readonly suspect: boolean
  readonly error: string | null
  readonly outcome: Outcome | null
  readonly cancelled: boolean
  readonly resultDigest: string | null
  readonly cancelRequestedAt: number | null
  readonly cancelReason: string | null
  /** Fencing token of the newest attempt. It stays after the attempt's end, to recognise a repeated answer. */
  readonly token: string | null
  /** The worker of the newest attempt, while it is open. An attempt that awaits something no longer occupies it. */
  readonly workerId: string | null
  /** The instant at which the open attempt has timed out. */
  readonly attemptDeadlineAt: number | null
  readonly createdAt: number
  readonly queuedAt: number | null
  /** When the newest attempt started. The starts of earlier ones stand on their runs. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly updatedAt: number
}

/** Whether the job goes on when something else is over: a job, a group or a slot. */
export function waitsForOthers({ phase, output }: Pick<Job, 'phase' | 'output'>): boolean {
  return phase === 'pending' || (phase === 'awaiting' && output !== null)
}

/** Whether an attempt counts against the limits of the paths above it. One that waits for its tasks or children leaves those to them. */
export function holdsPaths({ phase, shards, output }: Pick<Job, 'phase' | 'shards' | 'output'>): boolean {
  return phase === 'running' || (phase === 'awaiting' && shards === null && output === null)
}

/** Digest of the state that the next slice of a task begins with: the last that was saved, or the initial one. */
export function stateDigestOf({ resultDigest, paramsDigest }: Job): string | null {
  return resultDigest ?? paramsDigest
}

/** The moves that exist. initial → final happens only by cancel or skip: no other event asks for it. */
export const moves: Readonly<Record<State, readonly State[]>> = {
  initial: ['initial', 'running', 'final'],
  running: ['running', 'error', 'final'],
  error: ['error', 'running', 'final'],
  final: [],
}

export function statusOf(job: Pick<Job, 'state' | 'cancelled'>): Status {
  if (job.state === 'final') return job.cancelled ? 'CANCELLED' : null
  return job.state === 'running' ? 'RUNNING' : 'QUEUED'
}

/**
 * Where the store keeps a job so that the next step finds it: the seat. Only a job with a `ready` seat can be claimed,
 * so a claim never meets what it cannot take. A running job has a `claim`; the rest have none.
 */
export type Seat = 'ready' | 'delayed' | 'claim' | 'none'

export function seatOf(job: Pick<Job, 'phase' | 'scheduledFor'>, now: number): Seat {
  if (job.phase === 'queued') return job.scheduledFor <= now ? 'ready' : 'delayed'
  return job.phase === 'running' ? 'claim' : 'none'
}

/**
 * From this instant on a waiting job must not start any more: it has expired before its first attempt, or the time of the
 * whole job is over. Null for never.
 */
export function lateFrom(job: Pick<Job, 'state' | 'expiresAt' | 'deadlineAt'>): number | null {
  if (job.state !== 'initial' || job.expiresAt === null) return job.deadlineAt
  return job.deadlineAt === null ? job.expiresAt : Math.min(job.expiresAt, job.deadlineAt)
}

/**
 * The next instant at which time alone changes the job, or null when it never does. The store keeps it, so that upkeep finds
 * what has run out of time without looking at anything else.
 */
export function elapsesAt(job: Pick<Job, 'state' | 'expiresAt' | 'deadlineAt' | 'attemptDeadlineAt'>): number | null {
  if (job.state === 'final') return null
  if (job.state !== 'running' || job.attemptDeadlineAt === null) return lateFrom(job)
  return job.deadlineAt === null ? job.attemptDeadlineAt : Math.min(job.attemptDeadlineAt, job.deadlineAt)
}

/** One attempt, written once, at its end. Number 0 is the run of a job that was skipped before any attempt. */
export interface Run {
  readonly jobId: string
  readonly attempt: number
  readonly status: Outcome
  readonly reason: string | null
  readonly error: string | null
  readonly workerId: string | null
  readonly startedAt: number | null
  readonly finishedAt: number
  readonly exitCode: number | null
  readonly artifacts: readonly string[]
  readonly logPath: string | null
}
