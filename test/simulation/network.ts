import { StintError } from '../../src/core/errors.ts'
import type { AtTime, Store } from '../../src/store/store.ts'
import type { Kernel } from './kernel.ts'
import type { Random } from './random.ts'
import type { Incarnation } from './virtual-clock.ts'

/** What can go wrong with a call, each with its probability. What is left goes well. */
export interface Rates {
  /** The request never arrives. */
  readonly requestLost: number
  /** The call is done, and nobody hears of it. */
  readonly replyLost: number
  /** The caller has given up before the request arrives, and then it is done after all. */
  readonly lateApply: number
  /** The database ends the connection before it does anything. */
  readonly databaseError: number
}

export interface NetworkOptions {
  readonly rates?: Partial<Rates>
  /** Each way, in milliseconds: drawn between the two. */
  readonly delayMs?: readonly [min: number, max: number]
  /** How long a caller waits for a reply. */
  readonly timeoutMs?: number
  /** How long after the caller's timeout a late request arrives at the most. */
  readonly lateMs?: number
  /** Told of everything that the database has done, also of what no caller hears of. */
  readonly onApplied?: (applied: Applied) => void | Promise<void>
}

export interface Applied {
  readonly process: string
  /** The life of the process that called. */
  readonly caller: Incarnation
  /** Whether the caller will hear of it, as far as the call itself goes. */
  readonly fate: Fate
  readonly method: string
  readonly args: readonly unknown[]
  readonly result: Result
}

export type Result = { readonly value: unknown } | { readonly error: unknown }

/** From `from` to before `to` nothing gets through this way. A message is lost when it would arrive in that time. */
export interface Partition {
  readonly from: number
  readonly to: number
  /** The process that is cut off; all of them when absent. */
  readonly process?: string
  readonly way: 'both' | 'requests' | 'replies'
}

/** What a store offers only in real time or to a client of its own: a process in a simulation has it not. */
type Hidden = 'heldBack' | 'heartbeat' | 'watch' | 'submitWithin'

type Method = Exclude<keyof Store, 'kind' | 'close' | Hidden>

/** Where a method takes the time: the place of the argument that has `now`, or null. What is not listed is not offered. */
const placeOfNow: Readonly<Record<Method, number | null>> = {
  now: null,
  submit: 1,
  claim: 0,
  apply: 1,
  complete: 1,
  append: 1,
  find: null,
  past: null,
  runs: null,
  events: null,
  logEnd: null,
  list: null,
  tree: null,
  depths: null,
  register: 1,
  renew: 0,
  retire: null,
  buryLost: 0,
  workers: null,
  held: null,
  orphans: null,
  overdue: 0,
  cancelBranch: null,
  followUp: 0,
  move: 1,
  queue: null,
  setLimit: null,
  removeLimit: null,
  limits: null,
  pause: 1,
  resume: null,
  pauses: null,
  gates: null,
  control: 2,
  report: 1,
  notes: null,
  logs: null,
  audit: null,
}

export type Fate = 'ok' | keyof Rates

/** One call on its way. */
interface Call {
  readonly caller: Incarnation
  readonly method: Method
  readonly args: readonly unknown[]
  readonly label: string
  readonly fate: Fate
  readonly settle: (result: Result) => void
}

/** The way between processes and the one database. The time of the database is the virtual time. */
export class Network {
  /** May be replaced while the simulation runs: the weather changes. */
  rates: Rates
  partitions: readonly Partition[] = []
  /** Each way, in milliseconds: drawn between the two. */
  delayMs: readonly [min: number, max: number]
  readonly #kernel: Kernel
  readonly #store: Store
  readonly #random: Random
  readonly #options: Required<Omit<NetworkOptions, 'rates' | 'delayMs'>>

  constructor(kernel: Kernel, store: Store, { rates, delayMs = [1, 10], ...options }: NetworkOptions = {}) {
    this.#kernel = kernel
    this.#store = store
    this.#random = kernel.random.fork('network')
    this.rates = { requestLost: 0, replyLost: 0, lateApply: 0, databaseError: 0, ...rates }
    this.delayMs = delayMs
    this.#options = { timeoutMs: 1_000, lateMs: 5_000, onApplied: () => {}, ...options }
  }

  /** The store as one incarnation of a process sees it. */
  connect(caller: Incarnation): Store {
    let isOpen = true
    const send = (method: Method, args: readonly unknown[]) => {
      if (!isOpen) return Promise.reject(new StintError('store_closed', 'The store was closed; nothing was done.'))
      return this.#send(caller, method, args)
    }
    const own: Partial<Record<string | symbol, unknown>> = {
      kind: this.#store.kind,
      // Closes this process's side only: others still work with the database.
      close: () => {
        isOpen = false
        return Promise.resolve()
      },
    }
    return new Proxy(this.#store, {
      get: (_, name) => {
        if (Object.hasOwn(own, name)) return own[name]
        return isMethod(name) ? (...args: readonly unknown[]) => send(name, args) : undefined
      },
      has: (_, name) => Object.hasOwn(own, name) || isMethod(name),
    })
  }

  #send(caller: Incarnation, method: Method, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // What a dead process still runs until its next await reaches nobody.
      if (caller.life === 'dead') return
      const fate = this.#drawFate()
      const label = `${caller.name} ${method}`
      const { timeoutMs, lateMs } = this.#options
      const settle = (result: Result) => {
        stopTimer()
        if ('error' in result) reject(result.error)
        else resolve(result.value)
      }
      const stopTimer = this.#kernel.after(timeoutMs, `${label} times out`, () => {
        const error = coded(`${label} was not answered within ${timeoutMs} ms.`, 'ETIMEDOUT')
        caller.deliver(() => settle({ error }))
      })
      const call: Call = { caller, method, args, label, fate, settle }
      const lateBy = fate === 'lateApply' ? timeoutMs + this.#random.between(1, lateMs) : 0
      this.#kernel.after(lateBy + this.#delay(), `${label} arrives, ${fate}`, () => this.#arrive(call))
    })
  }

  /** On the database node, whatever has become of the caller. */
  #arrive(call: Call): void {
    if (call.fate === 'requestLost' || this.#isCut(call.caller, 'requests')) return
    if (call.fate === 'databaseError') {
      this.#reply(call, { error: coded('terminating connection due to administrator command', '57P01') })
      return
    }
    this.#kernel.hold(this.#carryOut(call)).catch((error: unknown) => this.#kernel.fail(error))
  }

  async #carryOut(call: Call): Promise<void> {
    const result = await this.#apply(call).then(
      (value): Result => ({ value }),
      (error: unknown): Result => ({ error }),
    )
    const { caller, method, args, fate } = call
    await this.#options.onApplied({ process: caller.name, caller, fate, method, args, result })
    if (fate === 'ok') this.#reply(call, result)
  }

  async #apply({ method, args }: Call): Promise<unknown> {
    const { now } = this.#kernel
    if (method === 'now') return now
    const place = placeOfNow[method]
    const timed: unknown[] = [...args]
    if (place !== null) timed[place] = { ...(args[place] as AtTime | undefined), now }
    const work = this.#store[method] as (...given: readonly unknown[]) => Promise<unknown>
    return await work.apply(this.#store, timed)
  }

  #reply({ caller, label, settle }: Call, result: Result): void {
    this.#kernel.after(this.#delay(), `${label} is answered`, () => {
      if (!this.#isCut(caller, 'replies')) caller.deliver(() => settle(result))
    })
  }

  #drawFate(): Fate {
    let left = this.#random.float()
    for (const [fate, rate] of Object.entries(this.rates) as [keyof Rates, number][]) {
      if (left < rate) return fate
      left -= rate
    }
    return 'ok'
  }

  #delay(): number {
    return this.#random.between(...this.delayMs)
  }

  #isCut({ name }: Incarnation, way: 'requests' | 'replies'): boolean {
    const { now } = this.#kernel
    return this.partitions.some(({ from, to, process = name, way: cut }) => {
      return process === name && from <= now && now < to && (cut === 'both' || cut === way)
    })
  }
}

function isMethod(name: string | symbol): name is Method {
  return Object.hasOwn(placeOfNow, name)
}

/** An error as a driver gives it. */
function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
