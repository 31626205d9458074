import type { RetryPolicy } from '../core/job/job.ts'
import type { Json } from '../core/json.ts'
import type { UpstreamFailure } from '../core/slot/needs.ts'
import type { JobEndpoints } from './endpoints-api.ts'
import type { LimitOption } from './gates-api.ts'
import type { JobHandle } from './job-handle.ts'
import type { Later, LaterOptions, Snooze } from './later.ts'
import type { Slot, Slotted } from './slots/slot.ts'
import type { DelayOptions, SlotOptions } from './slots/slots-api.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { SubmitOptions } from './submit-options.ts'

/** What every job of a type has unless its submission says otherwise. */
export interface JobDefaults {
  /** How often and when a failed attempt is followed by another; what is left out has its default. */
  readonly retry?: Partial<RetryPolicy>
  /** How long one attempt may take, in milliseconds. Default for ever. */
  readonly timeoutMs?: number
  /** Higher sooner. Default 0. */
  readonly priority?: number
  /** The limits that its jobs keep to, by key, and what they are where that is said. */
  readonly limits?: readonly LimitOption[]
}

/** A type of job: how its params are checked and what runs it. */
export interface JobDefinition<Input = unknown, Output = unknown, Result = unknown> extends JobDefaults {
  readonly type: string
  readonly params: StandardSchema<Input, Output> | null
  run(ctx: JobContext<Output>): unknown
  /** Only for the compiler: what `result()` of a handle gives. */
  readonly '~result'?: Result
}

/** `run` is written as a method, whose params the compiler compares both ways: so every definition is one of these. */
export type AnyJob = JobDefinition<unknown, unknown, unknown>

/** What a handler gets. It belongs to one attempt: when that is over, what it writes is refused. */
export interface JobContext<Params = unknown> {
  /** Text form of the job's JobRunId. */
  readonly id: string
  /** Text form of this attempt's RunId: the same for the same attempt, so that others can recognise a repetition. */
  readonly runId: string
  readonly name: string
  readonly type: string
  readonly params: Params
  /** 1 for the first. */
  readonly attempt: number
  /** Aborts when the job is cancelled, has run out of time, or no longer belongs to this worker. */
  readonly signal: AbortSignal
  /** What an earlier attempt saved last with `checkpoint`; null when none did. */
  readonly lastCheckpoint: Json
  /** Writes a line to the log of this run. */
  log(line: string): void
  /** Tells how far the work is. Cheap: only the newest is kept, and saved now and then. */
  progress(done: number, total?: number): void
  /** Saves a value that the next attempt gets if this one does not complete. Durable when it resolves. */
  checkpoint(value: unknown): Promise<void>
  /** Submits a job below this one: `x` becomes a child of its name, `/y/x` is absolute. */
  submit<Job extends AnyJob | string>(
    job: Job,
    ...rest: SubmitArguments<Job>
  ): Promise<JobHandle<Job extends AnyJob ? ResultOfJob<Job> : Json>>
  /** Slots that it needed and that will never have a value, if it runs all the same: their places in the params are null. */
  readonly upstream: readonly UpstreamFailure[]
  /** A promise below this job: somebody has to fill it. It fails with the attempt. */
  slot<Value = Json>(name: string, options?: SlotOptions): Promise<Slot<Value>>
  /** A slot below this job that fills itself at an instant: a sleep that needs no worker. */
  delay<Value = null>(name: string, until: Date, options?: DelayOptions): Promise<Slot<Value>>
  /** Return it: the attempt goes on without a worker until somebody answers, or what it awaits has come. */
  later(options?: LaterOptions): Later
  /** Return it: the job is tried again after this time, and nothing is charged. */
  retryIn(ms: number): Snooze
  /** A path in the directory of this run. The files that are there at its end are listed on the run. */
  artifact(path: string): Promise<string>
  /** Lets other jobs of the same namespace find this attempt, and finds theirs: register, resolve, list, remove. */
  readonly endpoints: JobEndpoints
}

export type ResultOfJob<Job> = Job extends { readonly '~result'?: infer Result } ? Result : Json

/** Without its null first: what is inferred from null is unknown, and with it every params would fit. */
export type ParamsOfJob<Job> = Job extends { readonly params: infer Schema }
  ? NonNullable<Schema> extends {
      readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined }
    }
    ? Input
    : never
  : unknown

/** Params may be left out where there is nothing that they must be. */
export type SubmitArguments<Job> = Job extends AnyJob
  ? undefined extends ParamsOfJob<Job>
    ? [params?: Slotted<ParamsOfJob<Job>>, options?: SubmitOptions]
    : [params: Slotted<ParamsOfJob<Job>>, options?: SubmitOptions]
  : [params?: unknown, options?: SubmitOptions]
