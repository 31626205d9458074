import { StintError } from '../errors.ts'
import { sanitisedText } from '../json.ts'
import type { Command, Ending } from './commands.ts'
import type { Job } from './job.ts'

/** What only the holder of an attempt may say. */
type AttemptCommand = Extract<Command, { type: 'finish' | 'giveBack' | 'lose' }>

/** The errors of attempts that ended without an error of their own. By them a repeated end is recognised. */
export const says = {
  released: 'The worker stopped and gave the attempt back.',
  cancelled: 'Cancelled while running.',
  snoozed: (delayMs: number) => `Snoozed for ${delayMs} ms.`,
  snoozedTooOften: ({ retry }: Job) => `The handler snoozed more than ${retry.maxSnoozes} times.`,
  failedBy: 'Failed by the event ',
  idle: (slices: number | undefined) => `The state did not change in ${slices} slices.`,
  cannotWait: 'A slice cannot wait for others: it must give back its state.',
  unasked: 'The handler stopped as if cancelled, but nobody had asked for it.',
} as const

/**
 * A worker whose answer was lost on the way gives it again. The same token with the same content has been done already
 * and is success; anything else comes from an attempt that no longer holds the job.
 */
export function requireSameEnd(job: Job, command: AttemptCommand): readonly never[] {
  if (job.token === command.token && sameEnd(job, command)) return []
  const message = `Attempt with token ${command.token} no longer holds job ${job.id}: nothing was written.`
  throw new StintError('stale_token', message, { jobId: job.id, attempt: job.attempt, state: job.state })
}

/** Whether the newest attempt ended as the command would have it. The errors of attempts tell one end from another. */
function sameEnd(job: Job, command: AttemptCommand): boolean {
  if (command.type !== 'finish') return command.type === 'giveBack' && endedWith(job, says.released)
  const { ending } = command
  switch (ending.kind) {
    case 'completed':
      return job.outcome === 'COMPLETED' && job.resultDigest === ending.resultDigest
    case 'failed':
      return endedWith(job, errorText(ending.error))
    case 'snoozed':
      return endedWith(job, says.snoozed(ending.delayMs)) || endedWith(job, says.snoozedTooOften(job))
    case 'suspended':
      if (ending.output !== undefined) return waitsFor(job, ending.output) || endedWith(job, says.cannotWait)
      return job.phase === 'awaiting' || settledAtOnce(job) || endedWith(job, says.cannotWait)
    case 'cancelled':
      return endedWith(job, says.unasked)
    case 'planned':
      return job.shards === ending.shards || job.error === says.cancelled
    case 'sliced':
      return wasSaved(job, ending) || endedWith(job, says.idle(job.task?.slice.maxIdle))
  }
}

/** The value that an attempt waited for may have come since. */
function waitsFor({ phase, output, outcome }: Job, wanted: string): boolean {
  return output === wanted && (phase === 'awaiting' || outcome === 'COMPLETED')
}

function wasSaved({ slices, resultDigest }: Job, { seq, stateDigest }: Extract<Ending, { kind: 'sliced' }>): boolean {
  return slices?.seq === seq && resultDigest === stateDigest
}

/** A job that was to be cancelled ends so, however its attempt ended. Of a task it may be a slice that ended. */
function endedWith(job: Job, error: string): boolean {
  return job.error === error || job.slices?.error === error || job.error === says.cancelled
}

/** What an attempt waited for may have been there before it began to wait. */
function settledAtOnce(job: Job): boolean {
  if (job.outcome === 'COMPLETED') return job.resultDigest === null
  return job.error === says.cancelled || job.error?.startsWith(says.failedBy) === true
}

/** An error is never empty: the state `error` must say what went wrong. */
export function errorText(error: string): string {
  return sanitisedText(error) || 'The handler failed without a message.'
}
