import { StintError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { StoredJob } from '../store/store.ts'
import type { JobView } from './job-view.ts'
import type { Slot } from './slots/slot.ts'

export interface ResultOptions {
  /** How long to wait, in milliseconds. Default for ever. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

/** A submitted job: as it was stored, and in place of the result, which it has not yet, a way to wait for it. */
export type JobHandle<Result = Json> = Omit<JobView, 'result'> & {
  /** Waits for the end of the job. Gives its result, or rejects with a code that says how it ended instead. */
  result(options?: ResultOptions): Promise<Result>
  /** Its result, as a value to come: in the params of another job, or to be returned by the handler that submitted it. */
  readonly output: Slot<Result>
  /** The job as it was stored, for whoever passes it on. */
  toJSON(): JobView
}

/** The result of a job that is over. */
export function resultOf({ job, result }: StoredJob): Json {
  if (job.outcome === 'COMPLETED') return result === null ? null : (JSON.parse(result) as Json)
  const { id: jobId, name, attempt, error } = job
  const details = { jobId, name, attempt, error }
  if (job.cancelled) {
    throw new StintError('job_cancelled', `Job ${name} was cancelled: ${job.cancelReason ?? error}`, details)
  }
  if (job.outcome === 'SKIPPED') throw new StintError('job_skipped', `Job ${name} was skipped: ${error}`, details)
  const attempts = attempt === 1 ? '1 attempt' : `${attempt} attempts`
  throw new StintError('job_failed', `Job ${name} failed after ${attempts}: ${error}`, details)
}
