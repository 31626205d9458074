import { JobRunId } from '../../src/core/names/ids.ts'
import { JobName } from '../../src/core/names/job-name.ts'
import type { Env } from '../../src/engine/env.ts'
import { Hub } from '../../src/engine/hub.ts'
import { idMaker } from '../../src/engine/ids.ts'
import { Metrics } from '../../src/engine/metrics.ts'
import { observed } from '../../src/engine/observed-store.ts'
import { Stint } from '../../src/engine/stint.ts'
import { Tracing } from '../../src/engine/tracing.ts'
import type { Worker } from '../../src/engine/worker/worker.ts'
import type { Store } from '../../src/store/store.ts'
import type { ClusterOptions } from './cluster-options.ts'
import type { Kernel } from './kernel.ts'
import type { Victim } from './nemesis.ts'
import type { Random } from './random.ts'
import { Incarnation } from './virtual-clock.ts'
import { definitions, type Outside, type Share } from './workload.ts'

/** What all processes of a cluster have in common. */
export interface World {
  readonly kernel: Kernel
  readonly options: ClusterOptions
  readonly outside: Outside
  /** The store as a life of a process sees it. */
  readonly connect: (caller: Incarnation) => Store
  /** The counts of every life that there was. */
  readonly metrics: Metrics[]
}

/** The whole of Stint in a simulated process: everything that it is given comes from the seed. */
export function stintOf({ connect, metrics }: World, process: Incarnation, random: Random): Stint {
  const hub = new Hub()
  const counts = new Metrics()
  metrics.push(counts)
  const fill = (bytes: Uint8Array) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = random.u32() & 255
  }
  const env: Env = {
    store: observed(connect(process), hub, process.clock),
    clock: process.clock,
    random: () => random.float(),
    newId: idMaker(() => process.clock.now(), fill),
    hub,
    metrics: counts,
    archiveDirectory: null,
  }
  const sample = new JobRunId({ project: 'stint', database: null, name: 'x' })
  return new Stint(env, sample, JobName.root('sim'), new Tracing(null))
}

/** A machine that runs one worker process after the other: when one dies, the next is started. */
export class WorkerNode implements Victim {
  readonly name: string
  readonly #world: World
  readonly #share: Share
  readonly #random: Random
  #process: Incarnation
  #worker: Worker
  #lives = 0
  #isFrozen = false

  constructor(world: World, name: string, share: Share = {}) {
    this.name = name
    this.#world = world
    this.#share = share
    this.#random = world.kernel.random.fork(name)
    const { process, worker } = this.#spawn()
    this.#process = process
    this.#worker = worker
  }

  #spawn(): { process: Incarnation; worker: Worker } {
    const { kernel, options, outside } = this.#world
    const { concurrency, prefetchMax, leaseMs, pollMs, upkeepMs, cancelGraceMs } = options
    this.#lives += 1
    const skewMs = options.faults.includes('skew') ? this.#random.between(-60_000, 60_000) : 0
    const process = new Incarnation(kernel, this.name, skewMs)
    const worker = stintOf(this.#world, process, kernel.random.fork(`${this.name} ${this.#lives}`)).worker({
      jobs: definitions(process, outside),
      ...{ name: this.name, concurrency, prefetchMax, leaseMs, pollMs, upkeepMs, cancelGraceMs, ...this.#share },
    })
    process.start(() => worker.start())
    this.#process = process
    this.#worker = worker
    return { process, worker }
  }

  /** Whether there are jobs that it does not take. */
  get isBound(): boolean {
    return this.#share.paths !== undefined
  }

  kill(downMs: number): void {
    this.#process.kill()
    this.#comeBack(this.#process, downMs)
  }

  /** A handler has killed its process. */
  killedItself(process: Incarnation): boolean {
    if (this.#process !== process) return false
    this.kill(300)
    return true
  }

  stop(graceMs: number, downMs: number): void {
    const [process, worker] = [this.#process, this.#worker]
    process.start(async () => {
      await worker.stop({ graceMs })
      process.kill()
      this.#comeBack(process, downMs)
    })
  }

  pause(): void {
    this.#process.pause()
  }

  resume(): void {
    if (!this.#isFrozen) this.#process.resume()
  }

  skew(ms: number): void {
    this.#process.skewMs = ms
  }

  /** Is never heard of again. */
  freeze(): void {
    this.#isFrozen = true
    this.#process.pause()
  }

  heal(): void {
    this.#process.skewMs = 0
    this.#process.resume()
    if (this.#process.life === 'dead') this.#spawn()
  }

  #comeBack(dead: Incarnation, downMs: number): void {
    this.#world.kernel.after(downMs, `${this.name} is started again`, () => {
      if (!this.#isFrozen && this.#process === dead && dead.life === 'dead') this.#spawn()
    })
  }
}
