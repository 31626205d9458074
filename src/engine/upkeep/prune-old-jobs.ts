import type { Env } from '../env.ts'

const pageSize = 200
/** How much is done at a time: what is left is for the next turn, so that those who work are not disturbed for long. */
const pageMax = 20
const soonMs = 1_000

/**
 * Lets jobs go that have been over for longer than they are kept, in small transactions. When there is more than one turn takes,
 * it tells in how many milliseconds the next should be.
 */
export async function pruneOldJobs({ store, metrics }: Pick<Env, 'store' | 'metrics'>): Promise<number | null> {
  for (let page = 0; page < pageMax; page++) {
    const { pruned, more } = await store.control('retention.prune', { limit: pageSize })
    if (pruned > 0) metrics.add('stint_jobs_pruned', {}, pruned)
    if (!more) return null
  }
  return soonMs
}
