import { retryDelayMs } from './backoff.ts'
import type { CatalogueType, FailureReason, JobEventData, RunFacts } from './events.ts'
import type { Job } from './job.ts'
import { errorText, says } from './repeat.ts'

/** An event before it has a version: its type and its data. */
export type Fact = { [T in CatalogueType]: { readonly type: T; readonly data: JobEventData[T] } }[CatalogueType]

export const nothing: readonly Fact[] = []

export function completed(job: Job, resultDigest: string | null, facts: RunFacts = {}): Fact {
  return { type: 'job.run.completed', data: { attempt: job.attempt, resultDigest, ...facts } }
}

export interface Failure {
  readonly reason: FailureReason
  readonly error: string
  readonly terminal: boolean
  readonly random: number
  readonly now: number
}

/** A charged failure: another attempt after the backoff, if the job has one left and it can begin in time. */
export function failed(
  job: Job,
  failure: Failure,
  facts: RunFacts & { readonly failsJob?: true } = {},
): readonly Fact[] {
  if (job.cancelReason !== null) return stopped(job, job.cancelReason, facts)
  const { reason, terminal, random, now } = failure
  const charged = job.charged + 1
  const retryAt = now + retryDelayMs(job.retry, charged, random)
  const forGood = terminal || isTooLate(job, retryAt) || charged >= job.retry.maxAttempts
  return [ranInVain(job, reason, errorText(failure.error), true, forGood ? null : retryAt, facts)]
}

export function isTooLate({ deadlineAt }: Job, at: number): boolean {
  return deadlineAt !== null && at >= deadlineAt
}

/** A cancelled attempt: its run failed, and the job is over. */
export function stopped(job: Job, reason: string, facts: RunFacts = {}): readonly Fact[] {
  const run = ranInVain(job, 'cancelled', says.cancelled, false, null, facts)
  return [run, { type: 'job.cancelled', data: { reason } }]
}

export function ranInVain(
  job: Job,
  reason: FailureReason,
  error: string,
  charged: boolean,
  retryAt: number | null,
  facts: RunFacts & { readonly failsJob?: true } = {},
): Fact {
  return { type: 'job.run.failed', data: { attempt: job.attempt, reason, error, charged, retryAt, ...facts } }
}
