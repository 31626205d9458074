import type { Json } from '../../core/json.ts'
import type { NewSlotInput } from '../../store/controls.ts'
import type { StoredJob } from '../../store/store.ts'
import type { JobEndpoints } from '../endpoints-api.ts'
import type { AnyJob, JobContext } from '../handler.ts'
import type { JobHandle } from '../job-handle.ts'
import { Later, Snooze } from '../later.ts'
import type { PipelineBuilder } from '../slots/pipeline-builder.ts'
import type { Slot } from '../slots/slot.ts'
import { delayed } from '../slots/slots-api.ts'
import type { SubmitOptions } from '../submit-options.ts'
import type { TraceIds } from '../tracing.ts'
import type { Attempt } from './attempt.ts'
import type { Outcome } from './outcome.ts'
import type { RunNotes } from './reporter.ts'
import type { RunFiles } from './run-files.ts'

/** What an attempt needs of the Stint that it runs in. */
export interface Surroundings {
  idOf(stored: StoredJob): string
  runIdOf(stored: StoredJob): string
  submitFrom(
    attempt: Attempt,
    job: AnyJob | string,
    params: unknown,
    options: SubmitOptions | undefined,
  ): Promise<JobHandle<never>>
  /** Makes a slot below the job of an attempt. */
  slotFrom<Value>(attempt: Attempt, name: string, about: Partial<NewSlotInput>): Promise<Slot<Value>>
  /** Builds a pipeline, and gives what the function that builds it returned. */
  buildFrom(attempt: Attempt, build: (p: PipelineBuilder) => unknown): Promise<unknown>
  endpointsOf(attempt: Attempt): JobEndpoints
  /** Runs the handler in a span of its own, if traces are kept. */
  inSpan(stored: StoredJob, runId: string, run: (ids: TraceIds) => Promise<Outcome>): Promise<Outcome>
}

export interface Parts {
  readonly attempt: Attempt
  readonly runId: string
  readonly notes: RunNotes
  readonly files: RunFiles
  readonly lastCheckpoint: Json
}

/** What a handler gets. Handlers take it apart as they like, so each function is whole; each is made when it is asked for. */
export class RunContext implements JobContext {
  readonly name: string
  readonly type: string
  readonly attempt: number
  readonly runId: string
  readonly params: unknown
  readonly lastCheckpoint: Json
  readonly #surroundings: Surroundings
  readonly #parts: Parts

  constructor(surroundings: Surroundings, parts: Parts, params: unknown) {
    const { job } = parts.attempt.stored
    this.name = job.name
    this.type = job.type
    this.attempt = job.attempt
    this.runId = parts.runId
    this.params = params
    this.lastCheckpoint = parts.lastCheckpoint
    this.#surroundings = surroundings
    this.#parts = parts
  }

  /**
   * The token of the attempt that a context belongs to: a program that a handler starts may act for it, too. Null for a context
   * that somebody else made.
   */
  static tokenOf(context: JobContext): string | null {
    return #parts in context ? context.#parts.attempt.token : null
  }

  get id(): string {
    return this.#surroundings.idOf(this.#parts.attempt.stored)
  }

  get signal(): AbortSignal {
    return this.#parts.attempt.signal
  }

  get log(): JobContext['log'] {
    const { notes } = this.#parts
    return (line) => notes.log(String(line))
  }

  get progress(): JobContext['progress'] {
    const { notes } = this.#parts
    return (done, total) => notes.progress(done, total ?? null)
  }

  get checkpoint(): JobContext['checkpoint'] {
    const { notes } = this.#parts
    return (value) => notes.checkpoint(value)
  }

  get submit(): JobContext['submit'] {
    const { attempt } = this.#parts
    const surroundings = this.#surroundings
    return (child, ...[params, options]) =>
      surroundings.submitFrom(attempt, child, params, options as SubmitOptions | undefined)
  }

  get upstream(): JobContext['upstream'] {
    return this.#parts.attempt.stored.job.upstream ?? []
  }

  get slot(): JobContext['slot'] {
    const { attempt } = this.#parts
    const surroundings = this.#surroundings
    return (name, options = {}) => surroundings.slotFrom(attempt, name, options)
  }

  get delay(): JobContext['delay'] {
    const { attempt } = this.#parts
    const surroundings = this.#surroundings
    return async (name, until, options = {}) => surroundings.slotFrom(attempt, name, delayed(until, options))
  }

  get later(): JobContext['later'] {
    return (options) => new Later(options)
  }

  get retryIn(): JobContext['retryIn'] {
    return (ms) => new Snooze(ms)
  }

  get artifact(): JobContext['artifact'] {
    const { files } = this.#parts
    return (path) => files.path(path)
  }

  get endpoints(): JobEndpoints {
    return this.#surroundings.endpointsOf(this.#parts.attempt)
  }
}
