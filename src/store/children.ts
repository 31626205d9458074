import type { StoredJob } from './store.ts'
import type { Transaction } from './transaction.ts'

const none: ReadonlySet<number> = new Set()

/**
 * Of these jobs, those whose attempts submitted jobs that still live, by key. The jobs must be locked. Between two attempts a
 * job has some when it snoozed; one that is pending has a follow-up that sees to them.
 */
export async function childrenOf(tx: Transaction, jobs: readonly StoredJob[]): Promise<ReadonlySet<number>> {
  const started = jobs.filter(
    ({ job: { state, phase } }) => state === 'running' || (state === 'error' && phase === 'queued'),
  )
  if (started.length === 0) return none
  return await tx.havingChildren(started.map(({ job, guard }) => ({ pk: guard.pk, attempt: job.attempt })))
}
