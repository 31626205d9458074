import type { RetentionPolicy } from '../../src/core/retention/policy.ts'
import type { Store, StoredJob, Submission } from '../../src/store/store.ts'
import { applied, newId, submitOne } from './fixture.ts'
import { claimOne, completion } from './requests.ts'

export const day = 86_400_000

export function setRetention(store: Store, path: string, policy: RetentionPolicy, now?: number) {
  return store.control('retention.set', { id: newId(), path, policy }, now === undefined ? {} : { now })
}

/** Prunes until there is no more to do, and tells how many jobs have left. */
export async function pruneAll(store: Store, now: number, limit = 100): Promise<number> {
  for (let sum = 0; ; ) {
    const { pruned, more } = await store.control('retention.prune', { limit }, { now })
    sum += pruned
    if (!more) return sum
  }
}

/** A job that was submitted and has completed at one moment. */
export async function completedJob(store: Store, fields: Partial<Submission>, now: number): Promise<StoredJob> {
  const { job } = await submitOne(store, fields, now)
  const claimed = await claimOne(store, { types: [job.type], token: `of-${job.id}`, now })
  const [result] = await store.apply([completion(claimed, '1')], { now })
  return applied(result)
}
