import type { Env } from '../env.ts'
import type { CounterName } from '../metrics.ts'
import { isOutage } from '../worker/completer.ts'

interface DueService {
  readonly service: string
  readonly control: 'schedule.fire' | 'slot.due'
  readonly counter: CounterName
}

/** So many that fail are passed over in one turn. Where everything fails there would be no end to it. */
export const skipMax = 1_000

/** Does all that is due of its kind, and tells in how many milliseconds the next one is; null when none is. */
export async function eachDue(
  { store, clock, hub, metrics }: Env,
  { service, control, counter }: DueService,
): Promise<number | null> {
  // One that fails is passed over, so that it does not stop those behind it. It is tried again at the next turn.
  for (let skip = 0; skip < skipMax; ) {
    try {
      const { isDue, nextInMs } = await store.control(control, { skip })
      if (!isDue) {
        if (nextInMs !== null) hub.dueAt(clock.monotonic() + nextInMs)
        return nextInMs
      }
      metrics.add(counter)
    } catch (error) {
      if (isOutage(error)) throw error
      metrics.add('stint_upkeep_errors', { service })
      skip += 1
    }
  }
  return null
}
