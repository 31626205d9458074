import { overriding } from '../../src/engine/observed-store.ts'
import type { Store } from '../../src/store/store.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import { type Acknowledged, answerForEver, type SubmitterHabits, submitAll } from './clients.ts'
import { type ClusterOptions, drawOptions, type Wanted } from './cluster-options.ts'
import { checkEnd } from './end-rules.ts'
import { keepPromises } from './filler.ts'
import { makeGroups } from './grouper.ts'
import { Invariants } from './invariants.ts'
import { Kernel } from './kernel.ts'
import { Nemesis } from './nemesis.ts'
import { Network } from './network.ts'
import { operate } from './operator.ts'
import { Sometimes } from './sometimes.ts'
import { Incarnation } from './virtual-clock.ts'
import { stintOf, WorkerNode, type World } from './worker-node.ts'
import { drawShare } from './workload.ts'

const startAt = 1_800_000_000_000
/** By then everything is over once nothing goes wrong any more, even with one slot and handlers that take half a minute. */
const quietWithinMs = 900_000
/** No handler and no backoff takes that long: if nothing happens to any job meanwhile, nothing ever will. */
const stuckAfterMs = 150_000

/** After the last end there may still be a follow-up that finds nothing to do. */
const restMs = 3_000

/** Bugs that are planted to see whether they are found, and what there must be for them to do harm. */
export interface Planted extends Wanted {
  /** The store as workers see it. */
  readonly inWorker?: (store: Store, process: Incarnation) => Store
  /** The store as the database is. */
  readonly inDatabase?: (store: Store) => Store
  readonly habits?: SubmitterHabits
}

export interface SimulationReport {
  readonly seed: number
  readonly options: ClusterOptions
  readonly hash: string
  readonly steps: number
  readonly jobs: number
  readonly sometimes: Sometimes
}

/** A run that broke an invariant, with all that is needed to look at it. */
export class SimulationFailure extends Error {
  override readonly name = 'SimulationFailure'
  readonly invariant: string
  readonly seed: number

  constructor(seed: number, options: ClusterOptions, kernel: Kernel, cause: unknown) {
    const what = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    const wanted = (['shards', 'slots'] as const).filter((each) => options[each]).map((each) => `STINT_WITH=${each} `)
    const replay = `${wanted.join('')}STINT_SEED=${seed} npx vitest run test/simulation/simulation.test.ts`
    const tail = kernel.tail.map((line) => `  ${line}`).join('\n')
    super(`Seed ${seed}: ${what}\n\nReplay: ${replay}\nOptions: ${JSON.stringify(options)}\nLast events:\n${tail}`)
    this.seed = seed
    this.invariant = cause instanceof BrokenInvariant ? cause.invariant : 'no invariant: an error'
  }
}

/** Runs a whole cluster of the real engine from a seed: first with faults, then without, until everything is over. */
export async function simulate(seed: number, store: Store, planted: Planted = {}): Promise<SimulationReport> {
  const kernel = new Kernel(seed, startAt)
  const options = drawOptions(kernel.random.fork('options'), planted)
  try {
    const cluster = new Cluster(kernel, store, options, planted)
    await cluster.run()
    const { hash, steps } = kernel
    return { seed, options, hash, steps, jobs: cluster.jobs, sometimes: cluster.sometimes }
  } catch (error) {
    throw new SimulationFailure(seed, options, kernel, error)
  }
}

class Cluster {
  readonly sometimes = new Sometimes()
  readonly #kernel: Kernel
  readonly #store: Store
  readonly #options: ClusterOptions
  readonly #invariants: Invariants
  readonly #network: Network
  readonly #nemesis: Nemesis
  readonly #nodes: readonly WorkerNode[]
  readonly #acknowledged: Acknowledged
  readonly #world: World
  #hasFaults = true
  /** When something happened to a job last. */
  #eventAt = startAt

  constructor(kernel: Kernel, store: Store, options: ClusterOptions, planted: Planted) {
    this.#kernel = kernel
    this.#store = store
    this.#options = options
    const submitting = options.submitters + (options.groups > 0 ? 1 : 0)
    this.#acknowledged = { submissions: [], completed: new Set(), submitting }
    this.#invariants = new Invariants(store, this.sometimes, ({ jobId, version, type }) => {
      this.#eventAt = kernel.now
      kernel.note(`${jobId} ${version} ${type}`)
    })
    this.#network = new Network(kernel, planted.inDatabase?.(store) ?? store, {
      timeoutMs: options.callTimeoutMs,
      // Workers count on it that a request is done within a lease after its caller has given up, or never.
      lateMs: options.leaseMs / 3,
      onApplied: (applied) => this.#invariants.applied(applied),
    })
    const nodes: WorkerNode[] = []
    const die = (process: Incarnation) => void nodes.some((node) => node.killedItself(process))
    const connect = (caller: Incarnation) => this.#witnessed(this.#network.connect(caller))
    this.#world = { kernel, options, outside: { awaiting: [], promises: [], die }, connect, metrics: [] }
    const inWorker = planted.inWorker ?? ((plain) => plain)
    const workerWorld: World = { ...this.#world, connect: (caller) => inWorker(connect(caller), caller) }
    for (let i = 1; i <= options.workers; i++) {
      const name = `worker ${i}`
      // The first takes jobs wherever they are: so that one of them can end everything.
      nodes.push(new WorkerNode(workerWorld, name, drawShare(options, kernel.random.fork(`share of ${name}`), i > 1)))
    }
    this.#nodes = nodes
    this.#nemesis = new Nemesis(kernel, this.#network, nodes, options)
    this.#startClients(planted.habits ?? { again: (submission) => submission })
  }

  get jobs(): number {
    return [...this.#invariants.mirror.all()].length
  }

  async run(): Promise<void> {
    this.#nemesis.start()
    await this.#kernel.run({ until: startAt + this.#options.faultsForMs })
    this.#endFaults()
    await this.#becomeQuiet()
    const { mirror } = this.#invariants
    await checkEnd({ store: this.#store, mirror, acknowledged: this.#acknowledged, now: this.#kernel.now })
    for (const { name, value } of this.#world.metrics.flatMap((metrics) => metrics.samples())) {
      if (name === 'stint_claims_adopted') this.sometimes.hit('claim adopted', value)
      if (name === 'stint_leases_lost') this.sometimes.hit('lease lost', value)
    }
  }

  #startClients(habits: SubmitterHabits): void {
    const { submitters, jobsOfEach } = this.#options
    const world = this.#world
    for (let i = 0; i < submitters; i++) {
      const process = new Incarnation(this.#kernel, `submitter ${i + 1}`)
      const random = this.#kernel.random.fork(process.name)
      const place = { first: i * jobsOfEach, acknowledged: this.#acknowledged, habits }
      process.start(() => submitAll(world, process, world.connect(process), random, place))
    }
    const outsider = new Incarnation(this.#kernel, 'outsider')
    const random = this.#kernel.random.fork('outsider')
    const stint = stintOf(world, outsider, random.fork('stint'))
    const known = { acknowledged: this.#acknowledged, mayCancel: () => this.#hasFaults }
    outsider.start(() => answerForEver(world, outsider, stint, random, known))
    if (this.#options.gates.length > 0) this.#startOperator()
    if (this.#options.groups > 0) this.#startGrouper()
    if (this.#options.slots) this.#startFiller()
  }

  #startOperator(): void {
    const operator = new Incarnation(this.#kernel, 'operator')
    const random = this.#kernel.random.fork('operator')
    const stint = stintOf(this.#world, operator, random.fork('stint'))
    const known = { acknowledged: this.#acknowledged, isTroubled: () => this.#hasFaults }
    operator.start(() => operate(this.#world, operator, stint, random, known))
  }

  #startGrouper(): void {
    const grouper = new Incarnation(this.#kernel, 'grouper')
    const random = this.#kernel.random.fork('grouper')
    const known = { acknowledged: this.#acknowledged, isTroubled: () => this.#hasFaults }
    grouper.start(() => makeGroups(this.#world, grouper, this.#world.connect(grouper), random, known))
  }

  #startFiller(): void {
    const filler = new Incarnation(this.#kernel, 'filler')
    const random = this.#kernel.random.fork('filler')
    filler.start(() => keepPromises(this.#world, filler, this.#world.connect(filler), random))
  }

  /** One worker is well from now on, and all others are frozen with whatever they hold. */
  #endFaults(): void {
    this.#hasFaults = false
    this.#nemesis.end()
    const well = this.#kernel.random.fork('well').pick(this.#nodes.filter(({ isBound }) => !isBound))
    for (const node of this.#nodes) {
      if (node === well) node.heal()
      else node.freeze()
    }
  }

  async #becomeQuiet(): Promise<void> {
    const latest = startAt + this.#options.faultsForMs + quietWithinMs
    for (let until = this.#kernel.now; until < latest && until - this.#eventAt < stuckAfterMs; ) {
      until += 1_000
      await this.#kernel.run({ until })
      if (!this.#isQuiet()) continue
      return await this.#kernel.run({ until: until + restMs })
    }
    const open = [...this.#invariants.mirror.all()].filter(({ job }) => job.state !== 'final')
    const told = open.map(({ job }) => `${job.id} ${job.name} ${job.phase} (${job.state}, attempt ${job.attempt})`)
    const clients = `${this.#acknowledged.submitting} submitters are not done`
    throw new BrokenInvariant('I3 Quiesce', `At ${this.#kernel.now} ${clients}, and open are:\n${told.join('\n')}`)
  }

  #isQuiet(): boolean {
    if (this.#acknowledged.submitting > 0) return false
    for (const { job } of this.#invariants.mirror.all()) if (job.state !== 'final') return false
    return true
  }

  /** Remembers what a process was told, for the end: it must still be so. */
  #witnessed(store: Store): Store {
    return overriding(store, {
      apply: async (requests, options) => {
        const results = await store.apply(requests, options)
        for (const [i, { command }] of requests.entries()) {
          const result = results[i]
          const isCompletion = command.type === 'finish' && command.ending.kind === 'completed'
          if (isCompletion && result?.ok) this.#acknowledged.completed.add(result.stored.job.id)
        }
        return results
      },
      complete: async (completions, options) => {
        const completed = await store.complete(completions, options)
        for (const [i, { job }] of completions.entries()) {
          if (completed.done[i] === true) this.#acknowledged.completed.add(job.job.id)
        }
        return completed
      },
    })
  }
}
