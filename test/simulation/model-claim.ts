import { step } from '../../src/core/job/decide.ts'
import { changeOf, notAfter } from '../../src/store/change.ts'
import type { CheckedClaim } from '../../src/store/claim-request.ts'
import { passGates } from '../../src/store/gates.ts'
import type { StoredJob } from '../../src/store/store.ts'
import type { ModelData } from './model-data.ts'
import type { ModelTransaction } from './model-transaction.ts'

/** The order of the queue and the choice from it, said plainly: look at all jobs, sort them, take the first that may start. */
export async function claim(
  tx: ModelTransaction,
  data: ModelData,
  request: CheckedClaim,
): Promise<readonly StoredJob[]> {
  // A worker that was found lost must take nothing more: what it took would only have to be rescued again.
  if ((data.workers.get(request.workerId)?.lostAt ?? null) !== null) return []
  promoteDue(data, tx.now)
  tx.gates.expirePermits()
  const { workerId, token, context } = request
  const changes = (await choose(tx, data, request)).map((stored) => {
    // A clock that was set back does not close a gate that was open: no attempt starts before its time.
    const at = Math.max(tx.now, stored.job.scheduledFor)
    return changeOf(stored, step(stored.job, { type: 'claim', workerId, token }, at, context))
  })
  tx.write(changes)
  return changes.map(({ after }) => after)
}

function promoteDue(data: ModelData, now: number): void {
  for (const { job, guard } of data.jobs.values()) {
    if (job.phase === 'queued' && job.scheduledFor <= now && !data.ready.has(guard.pk)) data.ready.set(guard.pk, true)
  }
}

async function choose(
  tx: ModelTransaction,
  data: ModelData,
  { types, limit, suspectLimit }: CheckedClaim,
): Promise<readonly StoredJob[]> {
  const chosen: StoredJob[] = []
  let suspects = 0
  for (const stored of data.jobs
    .values()
    .filter((candidate) => mayStart(candidate))
    .sort(inOrder)) {
    if (chosen.length === limit) break
    if (stored.job.suspect && suspects === suspectLimit) continue
    const { name, limits, scheduledFor, suspect, groupId } = stored.job
    const { passed } = await passGates(tx, [{ pk: stored.guard.pk, name, limits, scheduledFor, groupId }])
    if (passed.length === 0) continue
    if (suspect) suspects += 1
    chosen.push(stored)
  }
  return chosen

  function mayStart({ job, guard }: StoredJob): boolean {
    const isPaused = data.pauses.get(job.type)?.type === job.type
    const isInTime = (notAfter(job) ?? Number.POSITIVE_INFINITY) > tx.now
    return data.ready.has(guard.pk) && types.includes(job.type) && !isPaused && isInTime
  }
}

export function inOrder(a: StoredJob, b: StoredJob): number {
  return b.job.priority - a.job.priority || a.job.position - b.job.position || a.guard.pk - b.guard.pk
}
