import type { JobEvent, RunFacts } from './events.ts'
import type { Job, Outcome, Run } from './job.ts'

/** The run that an event ends, or null when it ends none. `job` is the state before the event. */
export function runEndedBy(job: Job, event: JobEvent): Run | null {
  switch (event.type) {
    case 'job.run.completed':
      return run(job, event, 'COMPLETED', null, null)
    case 'job.run.failed':
      return run(job, event, 'FAILED', event.data.reason, event.data.error)
    case 'job.run.skipped':
      return run(job, event, 'SKIPPED', event.data.reason, null)
    default:
      return null
  }
}

function run(job: Job, event: JobEvent, status: Outcome, reason: string | null, error: string | null): Run {
  const facts: RunFacts = event.type === 'job.run.completed' || event.type === 'job.run.failed' ? event.data : {}
  return {
    jobId: job.id,
    attempt: job.attempt,
    status,
    reason,
    error,
    workerId: job.workerId,
    startedAt: job.startedAt,
    finishedAt: event.at,
    exitCode: facts.exitCode ?? null,
    artifacts: facts.artifacts ?? [],
    logPath: facts.logPath ?? null,
  }
}
