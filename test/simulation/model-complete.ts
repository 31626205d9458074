import { apply } from '../../src/store/apply.ts'
import type { Completion } from '../../src/store/store.ts'
import type { ModelData } from './model-data.ts'
import type { ModelTransaction } from './model-transaction.ts'

/** A completion as the decider does it, if the job is as it was claimed, in no group, no task that went on, and nobody waits for its end. */
export async function complete(tx: ModelTransaction, data: ModelData, completion: Completion): Promise<boolean> {
  const { job: claimed, result, facts, context } = completion
  const stored = data.jobs.get(claimed.guard.pk)
  const isAsClaimed = claimed.job.phase === 'running' && claimed.job.cancelReason === null
  const { groupId, slices, shards, attempt } = claimed.job
  if (groupId !== null || shards !== null) return false
  const isFirst =
    slices === null || (attempt === 1 && slices.seq === 0 && slices.failures === 0 && slices.error === null)
  if (!isFirst) return false
  if (!isAsClaimed || stored?.guard.revision !== claimed.guard.revision) return false
  if (data.permits.values().some(({ kind, job }) => kind === 0 && job === claimed.guard.pk)) return false
  if (data.waits.values().some((awaited) => awaited.includes(claimed.guard.pk))) return false
  const ending = { kind: 'completed', resultDigest: null, ...(facts === undefined ? {} : { facts }) } as const
  const command = { type: 'finish', token: claimed.job.token ?? '', ending } as const
  const [applied] = await apply(tx, [{ job: claimed, command, result, ...(context === undefined ? {} : { context }) }])
  return applied?.ok === true
}
