import type { Clock, WaitEnd } from '../../src/engine/clock.ts'
import type { Kernel } from './kernel.ts'

type Life = 'running' | 'paused' | 'dead'

/**
 * One life of a simulated process. Whatever reaches the process (the end of a sleep, a reply) goes through `deliver`: a dead
 * one gets nothing for ever, a paused one gets it when it goes on. So the code of a dead process stops at the await where
 * it died, like that of a killed one.
 */
export class Incarnation {
  readonly name: string
  readonly clock: Clock
  /** How far its wall clock is ahead of the virtual time; may be changed at any time, like a clock that is set. */
  skewMs: number
  readonly #kernel: Kernel
  readonly #startedAt: number
  readonly #deferred: (() => void)[] = []
  #life: Life = 'running'

  constructor(kernel: Kernel, name: string, skewMs = 0) {
    this.#kernel = kernel
    this.name = name
    this.skewMs = skewMs
    this.#startedAt = kernel.now
    this.clock = {
      now: () => kernel.now + this.skewMs,
      monotonic: () => kernel.now - this.#startedAt,
      sleep: (ms, signal) => this.#sleep(ms, signal),
      turn: () => this.#sleep(0),
    }
  }

  get life(): Life {
    return this.#life
  }

  /** Starts the code of the process in an event of its own. An error that it does not handle ends the simulation. */
  start(main: () => Promise<void>): void {
    const begin = () => void main().catch((error: unknown) => this.#crashed(error))
    this.#kernel.after(0, `${this.name} start`, () => this.deliver(begin))
  }

  kill(): void {
    this.#life = 'dead'
    this.#deferred.length = 0
  }

  pause(): void {
    if (this.#life === 'running') this.#life = 'paused'
  }

  resume(): void {
    if (this.#life !== 'paused') return
    this.#life = 'running'
    if (this.#deferred.length > 0) this.#planNext()
  }

  /** Runs a continuation of this process, now or when it can. What was deferred comes first, each as an event. */
  deliver(continuation: () => void): void {
    if (this.#life === 'dead') return
    if (this.#life === 'running' && this.#deferred.length === 0) continuation()
    else this.#deferred.push(continuation)
  }

  #planNext(): void {
    this.#kernel.after(0, `${this.name} goes on`, () => {
      if (this.#life !== 'running') return
      this.#deferred.shift()?.()
      if (this.#deferred.length > 0) this.#planNext()
    })
  }

  #sleep(ms: number, signal?: WaitEnd): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        cancel()
        signal?.removeEventListener('abort', wake)
        this.deliver(resolve)
      }
      const cancel = this.#kernel.after(ms, `${this.name} wakes`, wake)
      if (signal?.aborted) wake()
      else signal?.addEventListener('abort', wake)
    })
  }

  #crashed(error: unknown): void {
    if (this.#life !== 'dead') this.#kernel.fail(error)
  }
}
