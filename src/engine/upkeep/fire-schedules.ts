import type { Env } from '../env.ts'

/** Fires every schedule that is due, and tells in how many milliseconds the next one is; null when none is. */
export async function fireSchedules({ store, clock, hub, metrics }: Env): Promise<number | null> {
  for (;;) {
    const { isDue, nextInMs } = await store.control('schedule.fire', {})
    if (isDue) metrics.add('stint_schedules_fired')
    else {
      if (nextInMs !== null) hub.dueAt(clock.monotonic() + nextInMs)
      return nextInMs
    }
  }
}
