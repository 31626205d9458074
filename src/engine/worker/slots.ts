import type { Clock } from '../clock.ts'
import type { Attempt } from './attempt.ts'
import type { WorkerSettings } from './worker-settings.ts'

/** The window over which a worker measures how fast its jobs end. */
const windowMs = 100

/**
 * The places of a worker: so many attempts run at once, and a few more may wait, already claimed, so that a slot is never
 * idle for the time of a claim. How many wait follows from how fast they end: as many as ended in the last tenth of a
 * second beyond the first of every slot, which may have been long ones that ended together. So short jobs are taken by the
 * hundred, and after a long one no more is taken than can start at once.
 */
export class Slots {
  readonly #clock: Clock
  readonly concurrency: number
  readonly prefetchMax: number
  readonly #fairness: WorkerSettings['fairness']
  readonly waiting: Attempt[] = []
  running = 0
  #windowStart = 0
  #endedNow = 0
  #endedBefore = 0

  constructor(clock: Clock, settings: Pick<WorkerSettings, 'concurrency' | 'prefetchMax' | 'fairness'>) {
    this.#clock = clock
    this.concurrency = settings.concurrency
    this.prefetchMax = settings.prefetchMax
    this.#fairness = settings.fairness
  }

  get free(): number {
    return Math.max(0, this.concurrency - this.running - this.waiting.length)
  }

  /** How many more to claim now. Nothing while more than half of what may wait is there. */
  room(): number {
    const rest = this.rest()
    return this.free > 0 || rest * 2 >= this.#ahead() ? rest : 0
  }

  /** How many more there is place for. */
  rest(): number {
    return Math.max(0, this.concurrency + this.#ahead() - this.running - this.waiting.length)
  }

  #ahead(): number {
    return Math.min(this.prefetchMax, Math.max(0, this.#recentlyEnded() - this.concurrency))
  }

  /**
   * What waits is in the order of the queue, also when a later claim brings what is more urgent. Where namespaces take turns it
   * is as it came: another order would take turns away.
   */
  add(attempts: readonly Attempt[]): void {
    const order = this.#fairness === 'namespace' ? suspectsFirst : inOrder
    const last = this.waiting.at(-1)
    this.waiting.push(...attempts)
    const [first] = attempts
    const isInOrder = first === undefined || last === undefined || order(last, first) <= 0
    if (!isInOrder || attempts.some(({ stored }) => stored.job.suspect)) this.waiting.sort(order)
  }

  /** The next attempt that gets a slot; null when there is none or no slot is free. */
  take(): Attempt | null {
    if (this.running >= this.concurrency) return null
    const attempt = this.waiting.shift() ?? null
    if (attempt !== null) this.running += 1
    return attempt
  }

  leave(): void {
    this.running -= 1
    this.#turnWindow()
    this.#endedNow += 1
  }

  /** Takes a waiting attempt out; false when it was not waiting. */
  remove(attempt: Attempt): boolean {
    const place = this.waiting.indexOf(attempt)
    if (place !== -1) this.waiting.splice(place, 1)
    return place !== -1
  }

  #recentlyEnded(): number {
    this.#turnWindow()
    return Math.max(this.#endedBefore, this.#endedNow)
  }

  #turnWindow(): void {
    const passed = this.#clock.monotonic() - this.#windowStart
    if (passed < windowMs) return
    this.#endedBefore = passed < 2 * windowMs ? this.#endedNow : 0
    this.#endedNow = 0
    this.#windowStart += passed
  }
}

/** A suspect does not wait behind others: what kills the worker meanwhile would be charged to it. */
function suspectsFirst({ stored: a }: Attempt, { stored: b }: Attempt): number {
  return Number(b.job.suspect) - Number(a.job.suspect)
}

function inOrder(first: Attempt, second: Attempt): number {
  const [{ job: a, guard: aGuard }, { job: b, guard: bGuard }] = [first.stored, second.stored]
  const suspects = suspectsFirst(first, second)
  return suspects || b.priority - a.priority || a.position - b.position || aGuard.pk - bGuard.pk
}
