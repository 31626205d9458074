import type { StoredJob } from './store.ts'
import type { Transaction } from './transaction.ts'

const none: ReadonlySet<number> = new Set()

/** Of these jobs, those whose open attempt submitted jobs that still live, by key. The jobs must be locked. */
export async function childrenOf(tx: Transaction, jobs: readonly StoredJob[]): Promise<ReadonlySet<number>> {
  const open = jobs.filter(({ job }) => job.state === 'running')
  if (open.length === 0) return none
  return await tx.havingChildren(open.map(({ job, guard }) => ({ pk: guard.pk, attempt: job.attempt })))
}
