import type { Step } from '../core/job/decide.ts'
import type { JobEvent } from '../core/job/events.ts'
import { evolve } from '../core/job/evolve.ts'
import { type Job, lateFrom, type Run, waitsForOthers } from '../core/job/job.ts'
import { runEndedBy } from '../core/job/run.ts'
import type { StoredJob } from './store.ts'
import type { Change } from './transaction.ts'

/** What a step means for the rows of its job. The name is released at the end, or before it when `release` says so. */
export function changeOf(
  before: StoredJob,
  step: Step,
  texts: { readonly params?: string | null; readonly result?: string | null } = {},
  release = false,
): Change {
  const { guard } = before
  const after: StoredJob = {
    job: step.job,
    params: texts.params === undefined ? before.params : texts.params,
    result: step.job.resultDigest === null ? null : (texts.result ?? before.result),
    trace: before.trace,
    guard: {
      ...guard,
      revision: guard.revision + 1,
      released: guard.released || release || step.job.state === 'final',
    },
  }
  return { before, after, events: step.events, runs: runsOf(before.job, step.events), effects: step.effects }
}

/** Whether the decision behind a change asks for this effect. */
export function asks({ effects }: Change, type: Change['effects'][number]['type']): boolean {
  return effects.some((effect) => effect.type === type)
}

export function runsOf(before: Job | null, events: readonly JobEvent[]): readonly Run[] {
  const runs: Run[] = []
  let job = before
  for (const event of events) {
    const run = job === null ? null : runEndedBy(job, event)
    if (run !== null) runs.push(run)
    job = evolve(job, event)
  }
  return runs
}

/**
 * The queue that a job stands in when it is ready: one for each type, and beside it one for suspects, so that a worker can
 * take those one at a time without passing over them in the other.
 */
export function laneOf(typeId: number, suspect: boolean): number {
  return 2 * typeId + (suspect ? 1 : 0)
}

/**
 * Until when a claim may take the job from its seat; null for ever. One that is over before it is due can never start, not
 * even by a clock that was set back.
 */
export function notAfter(job: Job): number | null {
  const late = lateFrom(job)
  return late !== null && late <= job.scheduledFor ? 0 : late
}

/** Whether a claim must look before it takes the job: at its limits, or whether its group has started. */
export function limitedOf({ limits, groupId }: Job): 0 | 1 {
  return limits.length > 0 || groupId !== null ? 1 : 0
}

/** Whether the job no longer waits for what it waited for: for nothing, or for other things. */
export function stopsWaiting({ before, after }: Pick<Change, 'before' | 'after'>): boolean {
  return waitsForOthers(before.job) && after.job.phase !== before.job.phase
}

/** The seats that a job may have now. A delayed job is moved to the ready ones without a write of its own. */
export function seatsBefore(job: Job): 'queue' | 'claim' | 'none' {
  return job.phase === 'queued' ? 'queue' : job.phase === 'running' ? 'claim' : 'none'
}
