import type { Env } from '../env.ts'
import { isOutage } from '../worker/completer.ts'
import { skipMax } from './each-due.ts'

const pageSize = 200

/** Does what decisions that concern many jobs have left to do. */
export async function carryOutFollowUps({ store, metrics }: Pick<Env, 'store' | 'metrics'>): Promise<void> {
  // One that fails is passed over, so that it does not stop those behind it. It is tried again at the next turn.
  for (let skip = 0; skip < skipMax; ) {
    try {
      if (!(await store.followUp({ limit: pageSize, skip }))) return
    } catch (error) {
      if (isOutage(error)) throw error
      metrics.add('stint_upkeep_errors', { service: 'follow up' })
      skip += 1
    }
  }
}
