import type { StoredJob } from '../store/store.ts'
import type { Clock } from './clock.ts'

/**
 * Wakes whoever waits. What is told while nobody waits is kept for the next who does, so nothing falls between a look at
 * the store and the wait that follows it.
 */
export class Signal {
  #told = false
  readonly #waiting = new Set<() => void>()

  tell(): void {
    this.#told = true
    for (const wake of this.#waiting) wake()
  }

  /** Resolves when something was told, after a time, or when `stop` aborts. */
  async wait(clock: Clock, ms: number, stop?: AbortSignal): Promise<void> {
    if (!this.#told && !stop?.aborted) {
      const over = new AbortController()
      const wake = () => over.abort()
      this.#waiting.add(wake)
      stop?.addEventListener('abort', wake)
      await clock.sleep(ms, over.signal)
      stop?.removeEventListener('abort', wake)
      this.#waiting.delete(wake)
    }
    this.#told = false
  }
}

/** How many future instants are kept. What is beyond is found by polling. */
const dueMax = 1_000

type OnEnded = (jobs: readonly StoredJob[]) => void

/** What happens in this process, told to those who wait for it in this process. */
export class Hub {
  #ready = new Set<Signal>()
  #onEnded = new Set<OnEnded>()
  #due: number[] = []
  /** Something that others did may concern anybody here. */
  readonly changed = new Set<() => void>()
  /** Follow-ups or deadlines are there to be looked at. */
  readonly upkeep = new Signal()

  onReady(signal: Signal): () => void {
    this.#ready.add(signal)
    return () => this.#ready.delete(signal)
  }

  onEnded(listener: OnEnded): () => void {
    this.#onEnded.add(listener)
    return () => this.#onEnded.delete(listener)
  }

  onChanged(listener: () => void): () => void {
    this.changed.add(listener)
    return () => this.changed.delete(listener)
  }

  ready(): void {
    for (const signal of this.#ready) signal.tell()
  }

  ended(jobs: readonly StoredJob[]): void {
    for (const listener of this.#onEnded) listener(jobs)
  }

  /** Others, in this process or another, may have changed anything. */
  tellAll(): void {
    this.ready()
    for (const listener of this.changed) listener()
  }

  /** A job will be due at an instant of the database's time. */
  dueAt(instant: number): void {
    const place = this.#due.findIndex((other) => other >= instant)
    if (this.#due[place] === instant || (place === -1 && this.#due.length >= dueMax)) return
    this.#due.splice(place === -1 ? this.#due.length : place, 0, instant)
    if (this.#due.length > dueMax) this.#due.pop()
    if (this.#due[0] === instant) this.ready()
  }

  /** How long until the next job that this process knows of is due, at most `ms`. */
  untilDue(now: number, ms: number): number {
    while (this.#due.length > 0 && (this.#due[0] ?? 0) <= now) this.#due.shift()
    const next = this.#due[0]
    return next === undefined ? ms : Math.min(ms, next - now)
  }
}
