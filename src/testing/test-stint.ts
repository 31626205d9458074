import { createStint, type StintOptions } from '../engine/create-stint.ts'
import type { AnyJob } from '../engine/handler.ts'
import type { Stint } from '../engine/stint.ts'
import { FakeClock } from './fake-clock.ts'

export interface TestStintOptions extends Partial<Omit<StintOptions, 'clock'>> {
  /** What `drain` runs. */
  readonly jobs: readonly AnyJob[]
  /** The time that the clock shows first. Default the first of January 2026. */
  readonly now?: Date
  /** Where the files of runs are kept. Default `.stint/artifacts`. */
  readonly artifactsDirectory?: string
}

/**
 * A Stint for tests: on a database in memory unless told otherwise, on a clock that stands still, and without chance:
 * every backoff is half of the longest.
 */
export interface TestStint {
  readonly stint: Stint
  readonly clock: FakeClock
  /** Runs everything that is ready, and what becomes ready by it, until nothing is left to do at this time. */
  drain(): Promise<void>
  /** Runs what is ready, lets time pass, in milliseconds, and runs everything that becomes due on the way, each at its time. */
  advance(ms: number): Promise<void>
  close(): Promise<void>
}

export async function createTestStint(options: TestStintOptions): Promise<TestStint> {
  const { jobs, now, artifactsDirectory, ...rest } = options
  const clock = new FakeClock(now)
  const stint = await createStint({ url: 'sqlite::memory:', random: () => 0.5, ...rest, clock })
  const drainer = stint.drainer({ jobs, ...(artifactsDirectory === undefined ? {} : { artifactsDirectory }) })
  const drain = () => drainer.drain()
  return {
    stint,
    clock,
    drain,
    async advance(ms) {
      const until = clock.now() + ms
      // What is ready now runs now, or it would run at the end of the time and what follows from it after that.
      await drain()
      for (let next = await drainer.nextDue(until); next !== null; next = await drainer.nextDue(until)) {
        await clock.advance(next - clock.now())
        await drain()
      }
      await clock.advance(until - clock.now())
      await drain()
    },
    close: () => stint.close(),
  }
}
