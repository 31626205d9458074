import { StintError } from '../../src/core/errors.ts'
import type { Stint } from '../../src/engine/stint.ts'
import type { Store, Submission, SubmitResult } from '../../src/store/store.ts'
import type { Random } from './random.ts'
import type { Incarnation } from './virtual-clock.ts'
import type { World } from './worker-node.ts'
import { drawSubmission } from './workload.ts'

/** What clients were told, and rely on. */
export interface Acknowledged {
  /** Submissions, each with the job that it was told of; null when it was refused. */
  readonly submissions: { readonly intention: number; readonly jobId: string | null }[]
  /** Jobs of which a worker was told that they are completed. */
  readonly completed: Set<string>
  /** How many submitters have not finished yet. */
  submitting: number
}

export interface SubmitterHabits {
  /** What it sends after an answer was lost. A good one sends the same again. */
  readonly again: (submission: Submission, random: Random) => Submission
}

/** Submits its share of jobs, each until somebody has acknowledged it. */
export async function submitAll(
  { options, outside }: World,
  process: Incarnation,
  store: Store,
  random: Random,
  place: { readonly first: number; readonly acknowledged: Acknowledged; readonly habits: SubmitterHabits },
): Promise<void> {
  const { first, acknowledged, habits } = place
  const { jobsOfEach, faultsForMs } = options
  for (let done = 0; done < jobsOfEach; ) {
    await process.clock.sleep(random.between(0, (2 * faultsForMs) / jobsOfEach))
    const count = Math.min(random.between(1, 3), jobsOfEach - done)
    const now = await process.clock.now()
    let batch = Array.from({ length: count }, (_, i) => {
      const drawn = drawSubmission(random, now, first + done + i, options, outside.promises)
      if (options.slots) outside.promises.push(drawn.id)
      return drawn
    })
    for (;;) {
      const results = await store.submit(batch).catch((): readonly SubmitResult[] => [])
      acknowledged.submissions.push(...results.map((result, i) => noted(first + done + i, result)))
      if (results.length > 0) break
      await process.clock.sleep(random.between(50, 500))
      batch = batch.map((submission) => habits.again(submission, random))
    }
    done += count
  }
  acknowledged.submitting -= 1
}

function noted(intention: number, result: SubmitResult) {
  return { intention, jobId: result.outcome === 'refused' ? null : result.stored.job.id }
}

/** Somebody outside: answers jobs that wait for it, and cancels now and then. */
export async function answerForEver(
  { options, outside }: World,
  process: Incarnation,
  stint: Stint,
  random: Random,
  known: { readonly acknowledged: Acknowledged; readonly mayCancel: () => boolean },
): Promise<void> {
  for (;;) {
    await process.clock.sleep(random.between(100, 600))
    const waiting = outside.awaiting.shift()
    if (waiting !== undefined && !(await hasAnswered(stint, random, waiting))) outside.awaiting.push(waiting)
    if (!options.faults.includes('cancel') || !known.mayCancel() || !random.chance(0.3)) continue
    const jobId = random.pick(known.acknowledged.submissions)?.jobId
    const branch = random.chance(0.6)
    if (jobId) await stint.jobs.cancel({ id: jobId }, { branch }).catch(() => {})
  }
}

/** Whether nothing more is to be said: the job heard it, or is over. */
async function hasAnswered(stint: Stint, random: Random, waiting: string): Promise<boolean> {
  const [what, id = ''] = waiting.split(' ')
  try {
    if (what === 'event') {
      const type = random.chance(0.8) ? 'paid' : 'refused'
      await stint.events.append({ job: id, source: 'bank', id: `${id}-${type}`, type })
    } else if (what === 'slot') await stint.slots.fill(id, { of: id }, { by: 'outsider' })
    else if (random.chance(0.8)) await stint.complete({ id }, { answered: true })
    else await stint.fail({ id }, 'answered with a failure')
    return true
  } catch (error) {
    // One whose attempt has failed in the meantime says again that it waits.
    return (
      error instanceof StintError && ['not_found', 'not_started', 'slot_filled', 'slot_closed'].includes(error.code)
    )
  }
}
