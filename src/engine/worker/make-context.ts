import type { Json } from '../../core/json.ts'
import type { StoredJob } from '../../store/store.ts'
import type { AnyJob, JobContext } from '../handler.ts'
import type { JobHandle } from '../job-handle.ts'
import { Later, Snooze } from '../later.ts'
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
  /** Runs the handler in a span of its own, if traces are kept. */
  inSpan(stored: StoredJob, runId: string, run: (ids: TraceIds) => Promise<Outcome>): Promise<Outcome>
}

interface Parts {
  readonly attempt: Attempt
  readonly runId: string
  readonly notes: RunNotes
  readonly files: RunFiles
  readonly lastCheckpoint: Json
}

/** Makes the context of an attempt once its params are known. */
export function contextMaker(surroundings: Surroundings, parts: Parts): (params: unknown) => JobContext {
  const { attempt, runId, notes, files, lastCheckpoint } = parts
  const { job } = attempt.stored
  return (params) => ({
    id: surroundings.idOf(attempt.stored),
    runId,
    name: job.name,
    type: job.type,
    params,
    attempt: job.attempt,
    signal: attempt.signal,
    lastCheckpoint,
    log: (line) => notes.log(String(line)),
    progress: (done, total) => notes.progress(done, total ?? null),
    checkpoint: (value) => notes.checkpoint(value),
    submit: (child, ...[childParams, options]) =>
      surroundings.submitFrom(attempt, child, childParams, options as SubmitOptions | undefined),
    later: (options) => new Later(options),
    retryIn: (ms) => new Snooze(ms),
    artifact: (path) => files.path(path),
  })
}
