import type { Env } from '../env.ts'
import { isOutage } from '../worker/completer.ts'

/** Fires every schedule that is due, and tells in how many milliseconds the next one is; null when none is. */
export async function fireSchedules({ store, clock, hub, metrics }: Env): Promise<number | null> {
  // One that fails is passed over, so that it does not stop those behind it. It is tried again at the next turn.
  for (let skip = 0; ; ) {
    try {
      const { isDue, nextInMs } = await store.control('schedule.fire', { skip })
      if (!isDue) {
        if (nextInMs !== null) hub.dueAt(clock.monotonic() + nextInMs)
        return nextInMs
      }
      metrics.add('stint_schedules_fired')
    } catch (error) {
      if (isOutage(error)) throw error
      metrics.add('stint_upkeep_errors', { service: 'schedules' })
      skip += 1
    }
  }
}
