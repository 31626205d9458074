import { changeOf } from './change.ts'
import type { StoredJob } from './store.ts'
import type { Transaction } from './transaction.ts'

/**
 * Jobs as they are until the end of the transaction, for those who begin to wait for their ends. A lock alone does not do: the
 * end that nearly all attempts have takes the claim and not the job, and has looked whether somebody waits before it meets
 * a lock. So each is written as it is: whoever claims or ends it at this moment finds it changed, and looks again.
 */
export async function heldJobs(tx: Transaction, ids: readonly string[]): Promise<readonly StoredJob[]> {
  await tx.lock(ids)
  for (;;) {
    const jobs = await tx.load(ids)
    const moving = jobs.filter(({ job }) => job.phase === 'queued' || job.phase === 'running')
    const written = moving.length === 0 ? new Map() : await tx.write(moving.map(unchanged))
    if (moving.every(({ guard }) => written.has(guard.pk))) return jobs
  }
}

function unchanged(stored: StoredJob) {
  return changeOf(stored, { job: stored.job, events: [], effects: [] })
}
