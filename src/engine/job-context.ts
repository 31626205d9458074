import { AsyncLocalStorage } from 'node:async_hooks'
import type { Json } from '../core/json.ts'
import type { AwaitedEvent } from '../core/job/awaits.ts'
import type { AnyJob } from './define-job.ts'
import type { JobHandle } from './job-handle.ts'
import type { SubmitOptions } from './submit-options.ts'

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
  /** Return it: the attempt goes on without a worker until somebody answers, or what it awaits has come. */
  later(options?: LaterOptions): Later
  /** Return it: the job is tried again after this time, and nothing is charged. */
  retryIn(ms: number): Snooze
  /** A path in the directory of this run. The files that are there at its end are listed on the run. */
  artifact(path: string): Promise<string>
}

export type ResultOfJob<Job> = Job extends { readonly '~result'?: infer Result } ? Result : Json

export type ParamsOfJob<Job> = Job extends { readonly params: infer Schema }
  ? Schema extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } } | null
    ? Input
    : never
  : unknown

/** Params may be left out where there is nothing that they must be. */
export type SubmitArguments<Job> = Job extends AnyJob
  ? undefined extends ParamsOfJob<Job>
    ? [params?: ParamsOfJob<Job>, options?: SubmitOptions]
    : [params: ParamsOfJob<Job>, options?: SubmitOptions]
  : [params?: unknown, options?: SubmitOptions]

export interface LaterOptions {
  /** The events from outside that complete the job, all of them, in any order. Without them an answer completes it. */
  readonly events?: readonly (Pick<AwaitedEvent, 'eventType'> & Partial<AwaitedEvent>)[]
  /** Types of events that fail the job for good. */
  readonly failOn?: readonly string[]
  /** How long to wait, in milliseconds; then the attempt has timed out. Default for ever. */
  readonly timeoutMs?: number
}

/** What `ctx.later()` gives, for a handler to return. */
export class Later {
  readonly options: LaterOptions
  constructor(options: LaterOptions = {}) {
    this.options = options
  }
}

/** What `ctx.retryIn()` gives, for a handler to return. */
export class Snooze {
  readonly delayMs: number
  constructor(delayMs: number) {
    this.delayMs = delayMs
  }
}

/** Throw it from a handler when trying again is of no use. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}

const running = new AsyncLocalStorage<JobContext>()

/** The context of the job that runs here, however deep in its handler's calls; null outside of any. */
export function currentContext(): JobContext | null {
  return running.getStore() ?? null
}

export function runInContext<T>(ctx: JobContext, work: () => T): T {
  return running.run(ctx, work)
}
