import type { ClusterOptions, FaultKind } from './cluster-options.ts'
import type { Kernel } from './kernel.ts'
import type { Network } from './network.ts'
import type { Random } from './random.ts'

/** What the nemesis can do to one process. */
export interface Victim {
  readonly name: string
  kill(downMs: number): void
  /** Asks it to stop and starts it again. */
  stop(graceMs: number, downMs: number): void
  pause(): void
  resume(): void
  skew(ms: number): void
}

/** Breaks things, one after the other, until it is told to end. */
export class Nemesis {
  readonly #kernel: Kernel
  readonly #network: Network
  readonly #victims: readonly Victim[]
  readonly #options: ClusterOptions
  readonly #random: Random
  #isOver = false

  constructor(kernel: Kernel, network: Network, victims: readonly Victim[], options: ClusterOptions) {
    this.#kernel = kernel
    this.#network = network
    this.#victims = victims
    this.#options = options
    this.#random = kernel.random.fork('nemesis')
  }

  start(): void {
    this.#network.rates = this.#options.rates
    this.#plan()
  }

  /** Nothing goes wrong any more. What is down or paused stays so: the cluster decides who comes back. */
  end(): void {
    this.#isOver = true
    this.#network.rates = { requestLost: 0, replyLost: 0, lateApply: 0, databaseError: 0 }
    this.#network.partitions = []
    this.#network.delayMs = [1, 10]
  }

  #plan(): void {
    const { faultEveryMs } = this.#options
    this.#kernel.after(this.#random.between(faultEveryMs / 4, 2 * faultEveryMs), 'nemesis', () => {
      if (this.#isOver) return
      this.#strike()
      this.#plan()
    })
  }

  #strike(): void {
    const { faults, leaseMs } = this.#options
    const random = this.#random
    const fault = random.pick(faults)
    const victim = random.pick(this.#victims)
    if (fault === undefined || victim === undefined) return
    const strikes: Partial<Record<FaultKind, () => void>> = {
      kill: () => victim.kill(random.between(10, leaseMs)),
      stop: () => victim.stop(random.between(0, 2_000), random.between(10, 1_000)),
      pause: () => this.#pause(victim),
      partition: () => this.#cut(victim, 'both'),
      oneWay: () => this.#cut(victim, random.pick(['requests', 'replies'] as const)),
      delayStorm: () => this.#storm(),
      skew: () => victim.skew(random.between(-600_000, 600_000)),
    }
    this.#kernel.note(`${fault} ${victim.name}`)
    strikes[fault]?.()
  }

  #pause(victim: Victim): void {
    victim.pause()
    const ms = this.#random.between(100, 2 * this.#options.leaseMs)
    this.#kernel.after(ms, `${victim.name} may go on`, () => {
      if (!this.#isOver) victim.resume()
    })
  }

  #cut(victim: Victim, way: 'both' | 'requests' | 'replies'): void {
    const from = this.#kernel.now
    const to = from + this.#random.between(100, 2 * this.#options.leaseMs)
    const isForAll = this.#random.chance(0.2)
    const cut = { from, to, way, ...(isForAll ? {} : { process: victim.name }) }
    this.#network.partitions = [...this.#network.partitions.filter(({ to: end }) => end > from), cut]
  }

  #storm(): void {
    this.#network.delayMs = [50, this.#random.between(300, this.#options.leaseMs / 3)]
    this.#kernel.after(this.#random.between(500, 4_000), 'the storm is over', () => {
      this.#network.delayMs = [1, 10]
    })
  }
}
