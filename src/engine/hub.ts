import type { StoredJob } from '../store/store.ts'
import { type Clock, Wake } from './clock.ts'

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
      const over = new Wake()
      const wake = () => over.wake()
      this.#waiting.add(wake)
      stop?.addEventListener('abort', wake)
      await clock.sleep(ms, over)
      stop?.removeEventListener('abort', wake)
      this.#waiting.delete(wake)
    }
    this.#told = false
  }
}

/** How many future instants are kept. What is beyond is found by polling. */
const dueMax = 1_000
/** Longer than any look for work takes. */
const dueKeptMs = 1_000

/** A job that is over. What became of it is made for who asks. */
export interface Ended {
  readonly id: string
  /** The group that it is a member of. */
  readonly groupId?: string | null
  stored(): StoredJob
}

type OnEnded = (jobs: readonly Ended[]) => void

/** Who wants to hear of jobs that are ready. With `isCarried` a claim that is made at once goes with what makes them ready. */
export interface ReadyListener {
  tell(isCarried: boolean): void
}

/** What happens in this process, told to those who wait for it in this process. */
export class Hub {
  /** Who wants to hear of jobs that are ready, and of which types. */
  readonly #ready = new Map<ReadyListener, ReadonlySet<string>>()
  readonly #onEnded = new Set<OnEnded>()
  readonly #onChanged = new Set<() => void>()
  readonly #onWritten = new Set<() => void>()
  #due: number[] = []
  /** Instants up to here are of interest to nobody but a worker that is late. */
  #askedAfter = Number.NEGATIVE_INFINITY
  /** Follow-ups or deadlines are there to be looked at. */
  readonly upkeep = new Signal()

  onReady(listener: ReadyListener, types: readonly string[]): () => void {
    this.#ready.set(listener, new Set(types))
    return () => this.#ready.delete(listener)
  }

  onEnded(listener: OnEnded): () => void {
    this.#onEnded.add(listener)
    return () => this.#onEnded.delete(listener)
  }

  onChanged(listener: () => void): () => void {
    this.#onChanged.add(listener)
    return () => this.#onChanged.delete(listener)
  }

  /** Tells of everything that this process adds to the log. */
  onWritten(listener: () => void): () => void {
    this.#onWritten.add(listener)
    return () => this.#onWritten.delete(listener)
  }

  written(): void {
    for (const listener of this.#onWritten) listener()
  }

  /** Jobs of these types can be claimed; or of any, where nobody knows. */
  ready(types?: readonly string[], isCarried = false): void {
    for (const [listener, known] of this.#ready) {
      if (types === undefined || types.some((type) => known.has(type))) listener.tell(isCarried)
    }
  }

  /** Whether anybody wants to be told of ends. */
  get isAwaited(): boolean {
    return this.#onEnded.size > 0
  }

  ended(jobs: readonly Ended[]): void {
    for (const listener of this.#onEnded) listener(jobs)
  }

  /** Others, in this process or another, may have changed anything. */
  tellAll(): void {
    this.ready()
    for (const listener of this.#onChanged) listener()
  }

  /** A job will be due at an instant of the monotonic clock. */
  dueAt(instant: number): void {
    const place = this.#due.findIndex((other) => other >= instant)
    if (this.#due[place] === instant || (place === -1 && this.#due.length >= dueMax)) return
    const at = place === -1 ? this.#due.length : place
    this.#due.splice(at, 0, instant)
    if (this.#due.length > dueMax) this.#due.pop()
    // Whoever waits for a later one has to wait anew.
    if (at === 0 || (this.#due[at - 1] ?? 0) <= this.#askedAfter) this.ready()
  }

  /**
   * The next instant after another at which a job is due, as far as this process knows. Several workers ask, each by when it
   * looked for work last, so what is due is not forgotten as soon as one of them has passed it.
   */
  nextDue(after: number): number | null {
    while (this.#due.length > 0 && (this.#due[0] ?? 0) < after - dueKeptMs) this.#due.shift()
    this.#askedAfter = Math.max(this.#askedAfter, after)
    return this.#due.find((instant) => instant > after) ?? null
  }
}
