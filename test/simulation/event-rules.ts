import type { JobEvent, JobEventOf } from '../../src/core/job/events.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import type { Mirror, Seen } from './mirror.ts'

/** What must be so whenever the log grows by an event. `before` is the job without it, `after` with it. */
export function checkEvent(mirror: Mirror, event: JobEvent, before: Seen | null, after: Seen): void {
  if (before?.job.state === 'final') {
    throw new BrokenInvariant('I2 Absorbing', `${event.jobId} is final, and then came ${event.type}.`)
  }
  checkOutcome(event, before)
  const { job } = after
  if (job.charged > job.retry.maxAttempts) {
    throw new BrokenInvariant('I5 Bounded', `${job.id} was charged ${job.charged} of ${job.retry.maxAttempts} times.`)
  }
  if (event.type === 'job.run.failed' && before !== null) checkCharge(mirror, event, before)
  if (event.type === 'job.run.started' || event.type === 'job.run.resumed') checkStart(mirror, event, after)
}

function checkOutcome(event: JobEvent, before: Seen | null): void {
  const attempt = attemptEndedBy(event)
  if (attempt !== null && before?.ended.has(attempt)) {
    throw new BrokenInvariant('I1 OneOutcome', `Attempt ${attempt} of ${event.jobId} ended twice: ${event.type}.`)
  }
}

function attemptEndedBy(event: JobEvent): number | null {
  switch (event.type) {
    case 'job.run.completed':
    case 'job.run.failed':
      return event.data.attempt
    case 'job.run.skipped':
      return 0
    default:
      return null
  }
}

/** Only a job that was to blame pays for the death of a worker: a suspect, or one that was alone with it. */
function checkCharge(mirror: Mirror, { data }: JobEventOf<'job.run.failed'>, { job }: Seen): void {
  if (data.reason !== 'lease_lost' || !data.charged || job.suspect) return
  const lostWith = mirror.lostWith.get(job.workerId ?? '')
  if (lostWith === 1) return
  const held = lostWith === undefined ? 'was never found lost' : `held ${lostWith} jobs`
  throw new BrokenInvariant('I5 Bounded', `${job.id} was no suspect, its worker ${held}, and it was charged.`)
}

type Start = JobEventOf<'job.run.started' | 'job.run.resumed'>

function checkStart(mirror: Mirror, { data }: Start, { job, failed }: Seen): void {
  if (mirror.lostWith.has(data.workerId)) {
    throw new BrokenInvariant('I12 NoneToTheLost', `${job.id} was given to worker ${data.workerId}, which is lost.`)
  }
  // What a snoozed attempt began goes on, but only until one fails: that one takes it along.
  const lastFailed = Math.max(0, ...failed)
  for (const child of mirror.childrenOf(job.id)) {
    if (child.job.state === 'final' || (child.parent?.attempt ?? 0) > lastFailed) continue
    const message = `Attempt ${data.attempt} of ${job.id} began while ${child.job.id}, of a failed one, was ${child.job.phase}.`
    throw new BrokenInvariant('I9 ChildrenFirst', message)
  }
  if (!job.suspect) return
  const suspects = mirror.runningOn(data.workerId).filter((other) => other.job.suspect)
  if (suspects.length > 1) {
    const ids = suspects.map((other) => other.job.id).join(' and ')
    throw new BrokenInvariant('I8 OneSuspect', `Worker ${data.workerId} holds the suspects ${ids}.`)
  }
}
