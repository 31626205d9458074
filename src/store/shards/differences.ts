import type { Difference } from '../difference.ts'
import type { AuditedJob } from '../store.ts'

/** Where what a sharded job keeps of its tasks differs from what they say. */
export function shardDifferences({ stored, shards }: AuditedJob): readonly Difference[] {
  if (shards === null) return []
  const { job } = stored
  const { total, adopted, opened, done, failed, tasks } = shards
  const found: Difference[] = []
  const compare = (field: string, left: unknown, right: unknown) => {
    if (left !== right) found.push({ jobId: job.id, field, stored: left, derived: right })
  }
  // Tasks may leave with a job that is over, as all that is over leaves in the end.
  const isWhole = job.state !== 'final' || tasks.opened === opened
  if (isWhole) {
    compare('shards.opened', opened, tasks.opened)
    compare('shards.done', done, tasks.done)
    compare('shards.failed', failed, tasks.failed)
  }
  if (job.shards !== null) compare('shards.total', total, job.shards)
  // When the last task is over its job goes on.
  if (job.phase === 'awaiting') compare('shards.over', adopted + done + failed === total, false)
  return found
}
