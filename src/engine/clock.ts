import { setImmediate as nextTurn } from 'node:timers/promises'

/** What ends a wait: an AbortSignal, or something lighter. */
export interface WaitEnd {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Ends one wait. To abort an AbortSignal takes far longer, and a job that is submitted to an idle worker waits for it. */
export class Wake implements WaitEnd {
  aborted = false
  #listener: (() => void) | null = null

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listener = listener
  }

  removeEventListener(): void {
    this.#listener = null
  }

  wake(): void {
    this.aborted = true
    this.#listener?.()
  }
}

/** Everything that waits or tells the time does it through this, so that tests and simulations can hold the clock. */
export interface Clock {
  /** Epoch milliseconds, for what people see. Leases, delays and deadlines follow the database's time. */
  now(): number
  /** Milliseconds that only go forward, from an arbitrary beginning. */
  monotonic(): number
  /** Resolves after a time, or as soon as the signal aborts. Never rejects. */
  sleep(ms: number, signal?: WaitEnd): Promise<void>
  /** Lets everything that was begun in this moment join in: calls made together are done together. */
  turn(): Promise<void>
}

/**
 * What a signal that only ends a wait aborts with. Without a reason every abort makes an exception with a stack, which costs
 * as much as all the rest that a worker does for a job.
 */
export const waitOver = 'the wait is over'

/** Longer timers would fire at once. */
const timerMaxMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0 && !signal?.aborted; left -= timerMaxMs) {
      await timer(Math.min(left, timerMaxMs), signal)
    }
  },
  turn: () => nextTurn(),
}

function timer(ms: number, signal: WaitEnd | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(handle)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const handle = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
