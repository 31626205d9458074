import { step } from '../../src/core/job/decide.ts'
import { changeOf, notAfter } from '../../src/store/change.ts'
import type { CheckedClaim } from '../../src/store/claim-request.ts'
import { passGates, pathOver } from '../../src/store/gates.ts'
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

/** Of each queue in turn the next that may start, until there are enough or none has any more. */
async function choose(tx: ModelTransaction, data: ModelData, request: CheckedClaim): Promise<readonly StoredJob[]> {
  const { limit, suspectLimit } = request
  const chosen: StoredJob[] = []
  let suspects = 0
  let queues = queuesOf(data, request, tx.now)
  while (queues.length > 0 && chosen.length < limit) {
    const ended = new Set<StoredJob[]>()
    for (const queue of queues) {
      if (chosen.length === limit) break
      const next = await nextOf(queue)
      if (next === null) ended.add(queue)
      else chosen.push(next)
    }
    queues = queues.filter((queue) => !ended.has(queue))
  }
  return chosen

  async function nextOf(queue: StoredJob[]): Promise<StoredJob | null> {
    for (let stored = queue.shift(); stored !== undefined; stored = queue.shift()) {
      if (stored.job.suspect && suspects === suspectLimit) continue
      const { name, scheduledFor, suspect, groupId, state } = stored.job
      const limits = state === 'running' ? [] : stored.job.limits
      const { passed } = await passGates(tx, [{ pk: stored.guard.pk, name, limits, scheduledFor, groupId }])
      if (passed.length === 0) continue
      if (suspect) suspects += 1
      return stored
    }
    return null
  }
}

/** All that may start in one queue, or a queue for each namespace, from the one after whoever had the last turn. */
function queuesOf(data: ModelData, request: CheckedClaim, now: number): readonly StoredJob[][] {
  const { types, paths, fairness } = request
  const jobs = data.jobs.values().filter(mayStart).sort(inOrder)
  if (fairness === null) return [jobs]
  const last = fairness.after ?? ''
  const namespaces = [...new Set(jobs.map(({ guard }) => guard.namespace))].sort()
  const turns = [...namespaces.filter((name) => name > last), ...namespaces.filter((name) => name <= last)]
  return turns.map((namespace) => jobs.filter(({ guard }) => guard.namespace === namespace))

  function mayStart({ job, guard }: StoredJob): boolean {
    const isPaused = data.pauses.get(job.type)?.type === job.type
    const isInTime = (notAfter(job) ?? Number.POSITIVE_INFINITY) > now
    const isTaken = types.includes(job.type) && (paths === null || pathOver(namedPaths(paths), job.name) !== null)
    return data.ready.has(guard.pk) && isTaken && !isPaused && isInTime
  }
}

function namedPaths(paths: readonly string[]): readonly { readonly path: string }[] {
  return paths.map((path) => ({ path }))
}

export function inOrder(a: StoredJob, b: StoredJob): number {
  return b.job.priority - a.job.priority || a.job.position - b.job.position || a.guard.pk - b.guard.pk
}
