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
}

/**
 * Makes batches of single calls. A batch leaves as soon as nothing is in its way: the first call waits for nobody but those
 * made in the same turn, and while a batch is under way the next one gathers.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #inFlight = 0

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => this.put(item, resolve, reject))
  }

  /** The same without a promise, for what is done very often. */
  put(item: Item, resolve: (result: Result) => void, reject: (error: unknown) => void): void {
    const count = this.#waiting.push({ item, resolve, reject })
    if (count === 1) void this.#sendSoon()
    else if (count === this.#options.enough) this.#send()
  }

  async #sendSoon(): Promise<void> {
    await this.#options.clock.turn()
    this.#send()
  }

  #send(): void {
    const { batchMax, inFlightMax } = this.#options
    while (this.#waiting.length > 0 && this.#inFlight < inFlightMax) {
      void this.#run(this.#waiting.splice(0, batchMax))
    }
  }

  async #run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.#inFlight += 1
    let results: readonly Result[]
    try {
      results = await this.#options.run(batch.map(({ item }) => item))
    } catch (error) {
      this.#leave()
      for (const { reject } of batch) reject(error)
      return
    }
    this.#leave()
    for (let i = 0; i < batch.length; i++) batch[i]?.resolve(results[i] as Result)
  }

  /** What has gathered meanwhile is on its way before those are told who waited for this batch, if it is enough. */
  #leave(): void {
    this.#inFlight -= 1
    if (this.#waiting.length >= (this.#options.enough ?? Number.POSITIVE_INFINITY)) this.#send()
    if (this.#waiting.length > 0) void this.#sendSoon()
  }
}
