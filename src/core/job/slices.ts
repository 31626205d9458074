import { StintError } from '../errors.ts'
import { retryDelayMs } from './backoff.ts'
import type { Ending } from './commands.ts'
import type { FailureReason, RunFacts } from './events.ts'
import { type Fact, type Failure, failed, isTooLate, stopped } from './facts.ts'
import { type Job, type Slices, stateDigestOf, type TaskSpec } from './job.ts'
import { errorText, says } from './repeat.ts'

/** A job that is a task of a sharded job. */
export type Task = Job & { readonly task: TaskSpec; readonly slices: Slices }

export function isTask(job: Job): job is Task {
  return job.task !== null
}

/** A slice was done: its state is saved, and the task queues behind all others for the next. */
export function sliced(job: Job, ending: Extract<Ending, { kind: 'sliced' }>, now: number): readonly Fact[] {
  if (job.cancelReason !== null) return stopped(job, job.cancelReason)
  if (!isTask(job)) throw misplaced(job, 'is no task, so it has no slices')
  const { seq, stateDigest, progress, position, random } = ending
  if (seq !== job.slices.seq + 1) {
    const message = `Slice ${seq} of job ${job.id} is not the next one, which is ${job.slices.seq + 1}: nothing was written.`
    throw new StintError('stale_slice', message, { jobId: job.id, seq, next: job.slices.seq + 1 })
  }
  if (stateDigest === stateDigestOf(job) && job.slices.idle + 1 >= job.task.slice.maxIdle) {
    return failed(job, { reason: 'failed', error: says.idle(job.task.slice.maxIdle), terminal: true, random, now })
  }
  return [{ type: 'task.slice.completed', data: { attempt: job.attempt, seq, stateDigest, progress, position } }]
}

/**
 * A slice failed: it is tried again from the last state that was saved. After too many in a row, or if trying again is of no
 * use, the attempt at the task has failed, and the next begins with the initial state.
 */
export function sliceFailed(job: Task, failure: Failure, facts: SliceFacts = {}): readonly Fact[] {
  if (job.cancelReason !== null) return stopped(job, job.cancelReason, facts)
  const { reason, terminal, random, now } = failure
  const { slice } = job.task
  const failures = job.slices.failures + 1
  const retryAt = now + retryDelayMs(slice, failures, random)
  const isLate = isTooLate(job, retryAt)
  if (isLate || terminal || failures >= slice.maxFailures) {
    return failed(job, { ...failure, terminal: isLate || facts.failsJob === true }, facts)
  }
  return [sliceToRepeat(job, reason, errorText(failure.error), true, retryAt)]
}

type SliceFacts = RunFacts & { readonly failsJob?: true }

/** A slice that is done again, and whose end is nobody's fault or counts. */
export function sliceToRepeat(job: Task, reason: FailureReason, error: string, counts: boolean, retryAt: number): Fact {
  const { attempt, slices } = job
  return { type: 'task.slice.failed', data: { attempt, seq: slices.seq + 1, reason, error, counts, retryAt } }
}

/** The plan of a sharded job is there: it waits for its tasks without a worker. */
export function planned(job: Job, { shards }: Extract<Ending, { kind: 'planned' }>): readonly Fact[] {
  if (job.cancelReason !== null) return stopped(job, job.cancelReason)
  if (isTask(job)) throw misplaced(job, 'is a task, so it cannot be split')
  if (job.shards !== null) throw misplaced(job, 'is split already')
  return [{ type: 'job.run.planned', data: { attempt: job.attempt, shards } }]
}

/** All tasks are over, or the job has failed by them. Whoever comes second changes nothing. */
export function gathered(job: Job, error: string | null, now: number): readonly Fact[] {
  if (job.phase !== 'awaiting' || job.shards === null) return []
  if (error === null) return [{ type: 'job.run.queued', data: { attempt: job.attempt } }]
  return failed(job, { reason: 'failed', error, terminal: true, random: 0, now })
}

function misplaced(job: Job, why: string): StintError {
  return new StintError('illegal_transition', `Job ${job.id} ${why}.`, { jobId: job.id, state: job.state })
}
