import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock, WaitEnd } from '../engine/clock.ts'

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** A clock that stands still until it is told to go on. Whoever sleeps by it wakes when its time has come. */
export class FakeClock implements Clock {
  #now: number
  readonly #beginning: number
  readonly #sleepers = new Set<Sleeper>()

  /** `at`: the time that it shows first. Default the first of January 2026. */
  constructor(at: Date = new Date('2026-01-01T00:00:00Z')) {
    this.#now = at.getTime()
    this.#beginning = this.#now
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.#beginning
  }

  sleep(ms: number, signal?: WaitEnd): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const sleeper = { at: this.#now + ms, wake }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', wake)
    })
  }

  async turn(): Promise<void> {
    await nextTurn()
  }

  /** Goes on by a time, and lets everybody wake in order on the way. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms
    for (let next = this.#next(until); next !== null; next = this.#next(until)) {
      this.#now = Math.max(this.#now, next.at)
      next.wake()
      await nextTurn()
    }
    this.#now = until
  }

  #next(until: number): Sleeper | null {
    let first: Sleeper | null = null
    for (const sleeper of this.#sleepers) {
      if (sleeper.at <= until && (first === null || sleeper.at < first.at)) first = sleeper
    }
    return first
  }
}
