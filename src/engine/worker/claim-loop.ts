import type { StoredJob } from '../../store/store.ts'
import { type Env, jittered } from '../env.ts'
import { Signal } from '../hub.ts'
import type { Claims } from './claims.ts'
import type { Slots } from './slots.ts'

/** How soon to look for suspects where the last look for work, beside another, was not for them. */
const suspectsSoonMs = 20

/**
 * How many jobs one claim asks for at the most: what comes with it is handled in one turn of the event loop. A thread is asked with
 * little effort, a server takes a while however few are asked for.
 */
const claimMax = { sqlite: 300, postgres: 500 } as const

/** What the loop needs of the life of its worker. */
export interface Claimer {
  readonly slots: Slots
  readonly claims: Claims
  readonly pollMs: number
  /** No more claims. */
  readonly closing: AbortSignal
  /** Whether no suspect is held, as far as anybody here knows. */
  mayTakeSuspect(): boolean
  take(jobs: readonly StoredJob[], token: string): void
  /** A claim has failed, and may have taken something. */
  lookForStrays(): void
}

/** Asks for as many jobs as there is room for, again and again, and waits where there is nothing to find. */
export class ClaimLoop {
  readonly #env: Env
  readonly #claimer: Claimer
  readonly #work = new Signal()
  /** Whether the last look at the queue left something there, as far as this worker knows: then a free slot is news. */
  #mayBeMore = true
  /** The last look was not for suspects, because none could start: a slot that is really free is news, then. */
  #mayBeSuspect = true
  /** For how many jobs claims that are under way have asked. */
  #asked = 0
  /** The claim that was sent while another was under way; null when there is none. */
  #beside: Promise<void> | null = null
  /** Since the loop looked last, a claim beside it has looked for all but suspects. */
  #hasLookedBeside = false

  constructor(env: Env, claimer: Claimer) {
    this.#env = env
    this.#claimer = claimer
  }

  async run(): Promise<void> {
    const { clock, hub } = this.#env
    const { closing, pollMs } = this.#claimer
    while (!closing.aborted) {
      const lookedAt = clock.monotonic()
      const asked = this.#limit()
      this.#hasLookedBeside = false
      const suspectLimit = this.#claimer.slots.free > 0 && this.#claimer.mayTakeSuspect() ? 1 : 0
      const found = asked === 0 ? 0 : await this.#claim(asked, suspectLimit)
      const isFull = found === null || found === asked
      this.#mayBeMore = isFull
      this.#mayBeSuspect = suspectLimit === 0
      if (asked > 0 && isFull) continue
      const due = hub.nextDue(lookedAt) ?? Number.POSITIVE_INFINITY
      const restMs = this.#hasLookedBeside ? suspectsSoonMs : jittered(this.#env, pollMs)
      await this.#work.wait(clock, Math.min(restMs, due - clock.monotonic()), closing)
    }
    await this.#beside
  }

  /**
   * There may be work. A claim that is under way was sent before that: where a slot is free, another follows it, which with SQLite
   * shares a commit with what was just sent. To wait for the answer of the first would take one more. A server is better off with
   * one at a time, unless something is about to be sent that carries the other: then whatever there is room for is asked for.
   */
  hear(isCarried: boolean): void {
    const isHurried = this.#asked > 0 && this.#claimer.slots.free > 0 && this.#sharesCommits
    const asked = isCarried ? this.#toAsk(this.#claimer.slots.rest()) : isHurried ? this.#roomToAsk() : 0
    if (asked === 0 || this.#beside !== null || this.#claimer.closing.aborted) this.look()
    else this.#beside = this.#claimBeside(asked)
  }

  /** An attempt has left its slot, which another that waited here may have taken. */
  left(): void {
    if (this.#mayBeMore || (this.#mayBeSuspect && this.#claimer.slots.free > 0)) this.look()
  }

  /** Looks as soon as no claim is under way. */
  look(): void {
    this.#work.tell()
  }

  #roomToAsk(): number {
    return this.#toAsk(this.#claimer.slots.room())
  }

  /** Of so many that there is place for, those that no claim has asked for yet. */
  #toAsk(room: number): number {
    return Math.max(0, Math.min(room - this.#asked, claimMax[this.#env.store.kind]))
  }

  /** Where jobs end fast and a slot is free all the same, it leaves room for a claim beside it. */
  #limit(): number {
    const room = this.#roomToAsk()
    const { free } = this.#claimer.slots
    return free === 0 || !this.#sharesCommits ? room : Math.min(room, Math.max(free, Math.ceil(room / 2)))
  }

  get #sharesCommits(): boolean {
    return this.#env.store.kind === 'sqlite'
  }

  /** It takes no suspect: the first one may. */
  async #claimBeside(asked: number): Promise<void> {
    this.#hasLookedBeside = true
    const found = await this.#claim(asked, 0)
    this.#beside = null
    // The loop may have been told of more when this claim had asked for all that there was room for.
    if (found === null || found === asked || this.#mayBeMore) this.look()
  }

  /** Tells how many it got; null when it failed. */
  async #claim(limit: number, suspectLimit: number): Promise<number | null> {
    const { claims, closing } = this.#claimer
    this.#asked += limit
    const found = await claims.claim({ limit, suspectLimit }, (jobs, token) => this.#claimer.take(jobs, token))
    this.#asked -= limit
    if (found !== null) return found
    // What it may have taken is looked for at once.
    this.#claimer.lookForStrays()
    await claims.pause(closing)
    return null
  }
}
