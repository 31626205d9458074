import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AnyJob, Stint, SubmitItem, Worker } from '../../src/index.ts'
import type { ShardsResult } from '../report/shards.ts'

/** How much of everything. */
export interface Size {
  readonly jobs: number
  /** Slices of each of so many shards. */
  readonly slices: number
  readonly shards: number
  readonly steps: number
  readonly samples: number
}

export type Figures = Partial<Omit<ShardsResult, 'store'>>

/** Submits what is to be worked on, and gives what measures it. */
export type Scenario = (stage: Stage, size: Size) => Promise<() => Promise<Figures>>

export const concurrency = 100

/** One Stint, and the workers that run at the moment. */
export class Stage {
  readonly stint: Stint
  #workers: Worker[] = []

  constructor(stint: Stint) {
    this.stint = stint
  }

  async work(...jobs: readonly AnyJob[]): Promise<void> {
    const worker = this.stint.worker({ jobs, concurrency })
    this.#workers.push(worker)
    await worker.start()
  }

  /** Whether what was run is also recorded as done. */
  get isRecorded(): boolean {
    return this.#workers.every(({ heldCount }) => heldCount === 0)
  }

  async untilRecorded(): Promise<void> {
    while (!this.isRecorded) await nextTurn()
  }

  async submitMany(items: readonly SubmitItem[]) {
    const results = await this.stint.submitMany(items)
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
    this.#workers = []
  }

  /** What is wrong with what was stored; empty when all is well. */
  async verify(): Promise<readonly string[]> {
    const { differences } = await this.stint.verify()
    const { items: left } = await this.stint.jobs.list({ status: 'QUEUED', limit: 1 })
    return [...differences.map((each) => JSON.stringify(each)), ...left.map(({ name }) => `${name} was never run`)]
  }
}

/** Counts up, and tells when it is there. */
export class Counter {
  #count = 0
  #wanted = Number.POSITIVE_INFINITY
  #resolve = () => {}

  get count(): number {
    return this.#count
  }

  add(): void {
    this.#count += 1
    if (this.#count === this.#wanted) this.#resolve()
  }

  async until(count: number): Promise<void> {
    if (this.#count >= count) return
    this.#wanted = count
    await new Promise<void>((resolve) => {
      this.#resolve = resolve
    })
  }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

export function perS(count: number, ms: number): number {
  return (count / ms) * 1_000
}
