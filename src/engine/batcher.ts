import type { Clock } from './clock.ts'

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export interface BatcherOptions<Item, Result> {
  readonly clock: Clock
  /** Does all items together, one result for each. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly batchMax: number
  /** How many batches may be under way at once. */
  readonly inFlightMax: number
  /** So many leave at once, without waiting for more that is made in the same turn. Default: they wait. */
  readonly enough?: number
  /**
   * Beside others, a batch leaves only if it is this share of all that is under way then; fewer wait until one of those ends. For a
   * batch costs much the same whatever its size, and a few that leave alone cost those who come right after them a batch of their own.
   * Default: any number leaves.
   */
  readonly fairShare?: number
}

/**
 * Makes batches of single calls. A batch leaves as soon as nothing is in its way: the first call waits for nobody but those
 * made in the same turn, and while a batch is under way the next one gathers.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #inFlight = 0
  #itemsInFlight = 0
  #isSendingSoon = false

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => this.put(item, resolve, reject))
  }

  /** The same without a promise, for what is done very often. */
  put(item: Item, resolve: (result: Result) => void, reject: (error: unknown) => void): void {
    const count = this.#waiting.push({ item, resolve, reject })
    if (count === this.#options.enough) this.#send()
    else this.#sendSoon()
  }

  #sendSoon(): void {
    if (this.#isSendingSoon || this.#inFlight === this.#options.inFlightMax) return
    this.#isSendingSoon = true
    void this.#options.clock.turn().then(() => {
      this.#isSendingSoon = false
      this.#send()
    })
  }

  #send(): void {
    while (this.#mayLeave()) void this.#run(this.#waiting.splice(0, this.#options.batchMax))
  }

  #mayLeave(): boolean {
    const { inFlightMax, fairShare = 0 } = this.#options
    const count = this.#waiting.length
    if (count === 0 || this.#inFlight === inFlightMax) return false
    return count >= fairShare * (count + this.#itemsInFlight)
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#inFlight += 1
    this.#itemsInFlight += batch.length
    let results: readonly Result[]
    try {
      results = await this.#options.run(batch.map(({ item }) => item))
    } catch (error) {
      this.#leave(batch.length)
      for (const { reject } of batch) reject(error)
      return
    }
    this.#leave(batch.length)
    for (let i = 0; i < batch.length; i++) batch[i]?.resolve(results[i] as Result)
  }

  /** What has gathered meanwhile is on its way before those are told who waited for this batch, if it is enough. */
  #leave(count: number): void {
    this.#inFlight -= 1
    this.#itemsInFlight -= count
    const { fairShare, enough = fairShare === undefined ? Number.POSITIVE_INFINITY : 1 } = this.#options
    if (this.#waiting.length >= enough) this.#send()
    if (this.#waiting.length > 0) this.#sendSoon()
  }
}
