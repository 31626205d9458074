import type { Store } from '../store/store.ts'
import type { Clock } from './clock.ts'
import type { Hub } from './hub.ts'
import type { NewId } from './ids.ts'
import type { Metrics } from './metrics.ts'

/** What the engine is given instead of reaching for it: with the same of each, it does the same. */
export interface Env {
  readonly store: Store
  readonly clock: Clock
  /** A number from [0, 1). */
  readonly random: () => number
  readonly newId: NewId
  readonly hub: Hub
  readonly metrics: Metrics
  /** Where entries go that leave the log; null when none leaves it. */
  readonly archiveDirectory: string | null
}

/** Within a quarter of the time asked for, so that many processes that began together do not go on together. */
export function jittered(env: Pick<Env, 'random'>, ms: number): number {
  return ms * (0.875 + 0.25 * env.random())
}
