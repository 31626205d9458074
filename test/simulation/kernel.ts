import { EventHeap, type Scheduled } from './event-heap.ts'
import { mixNumber, mixText, Random } from './random.ts'

export interface RunOptions {
  /** The virtual time at which the run stops, in milliseconds; what is due at that instant still happens. */
  readonly until: number
  /** Called after every event, when all that follows from it has happened: the place for invariants. */
  readonly onStep?: (label: string) => void | Promise<void>
}

/** How many of the newest events are kept to be shown when a run fails. */
const tailMax = 50

/** So many events at one instant are a loop that waits for no time. Without a limit the run would never end. */
const sameInstantMax = 20_000

/**
 * Virtual time from a seed. One event happens at a time, and everything that follows from it in promises is over before
 * the next begins, so a run depends on the seed alone and a seed that failed fails again.
 */
export class Kernel {
  readonly random: Random
  readonly #ties: Random
  readonly #heap = new EventHeap()
  readonly #tail: string[] = []
  #now: number
  #hash: number
  #sequence = 0
  #steps = 0
  #stepsNow = 0
  #held = 0
  #failure: { readonly error: unknown } | null = null

  /** `startAt` is the virtual time of the beginning, in epoch milliseconds. */
  constructor(seed: number, startAt = 1_800_000_000_000) {
    this.random = new Random(seed)
    this.#ties = this.random.fork('ties')
    this.#now = startAt
    this.#hash = mixText(seed >>> 0, 'trace')
  }

  get now(): number {
    return this.#now
  }

  get steps(): number {
    return this.#steps
  }

  /** Names the whole run: two runs with the same hash had the same events at the same times, and the same notes. */
  get hash(): string {
    return this.#hash.toString(16).padStart(8, '0')
  }

  /** The newest events, oldest first, for whoever looks at a run that failed. */
  get tail(): readonly string[] {
    return this.#tail
  }

  /** Plans an event. The result cancels it: then it does not happen and leaves no trace. */
  after(delayMs: number, label: string, run: () => void): () => void {
    const time = this.#now + Math.max(0, Math.ceil(delayMs))
    if (Number.isNaN(time)) throw new Error(`The event ${label} has no time.`)
    // Never comes: only a cancel could end the wait.
    if (time === Number.POSITIVE_INFINITY) return () => {}
    const event: Scheduled = { time, tie: this.#ties.u32(), sequence: this.#sequence++, label, run }
    this.#heap.push(event)
    return () => {
      event.run = null
    }
  }

  /** Adds a fact to the trace: what was answered, what was drawn. */
  note(text: string): void {
    this.#hash = mixText(this.#hash, text)
  }

  /** No event happens before this has settled: the work takes real time, or turns of the event loop, but no virtual time. */
  hold<T>(work: Promise<T>): Promise<T> {
    this.#held += 1
    return work.finally(() => {
      this.#held -= 1
    })
  }

  /** Ends the run with this error: for what happens where nobody awaits. The first one counts. */
  fail(error: unknown): void {
    this.#failure ??= { error }
  }

  async run({ until, onStep }: RunOptions): Promise<void> {
    await this.#settle()
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#begin(next)
      next.run?.()
      await this.#settle()
      await onStep?.(next.label)
    }
    if (this.#heap.peek() !== undefined) this.#now = Math.max(this.#now, until)
  }

  #next(until: number): Scheduled | undefined {
    for (let first = this.#heap.peek(); first !== undefined && first.time <= until; first = this.#heap.peek()) {
      this.#heap.pop()
      if (first.run !== null) return first
    }
    return undefined
  }

  #begin({ time, label }: Scheduled): void {
    this.#stepsNow = time === this.#now ? this.#stepsNow + 1 : 0
    if (this.#stepsNow > sameInstantMax) throw new Error(`Time stands still at ${time}: ${label}, again and again.`)
    this.#now = time
    this.#steps += 1
    this.#hash = mixNumber(mixText(this.#hash, label), time)
    this.#tail.push(`${time} ${label}`)
    if (this.#tail.length > tailMax) this.#tail.shift()
  }

  /**
   * One turn of the event loop is enough for promises: Node empties the microtask queue, however long the chain, before it
   * runs the next macrotask, and this one was queued after the event. Only what leaves the microtasks (a store that waits
   * for a turn itself, or for a thread) can take longer. That must be held; no number of turns would be sure to outlast it.
   */
  async #settle(): Promise<void> {
    do await turn()
    while (this.#held > 0)
    if (this.#failure !== null) throw this.#failure.error
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
