import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

/** So many in a row are sent at once; after that, one in this time. */
const burst = 10
const apartMs = 10

/** A notification that is lost in a crash is missed by nobody, so it waits for no disk, and makes nobody wait for it there. */
const notify = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`

/** The channel on which stores of one schema tell each other that something changed. */
export function channelOf(schema: string): string {
  return `stint_${schema}`
}

/**
 * Tells other processes that something was committed: at once, unless there is so much to tell that all who listen would do
 * nothing but look. Not within the transaction: commits that notify wait for each other, one after the other, in the whole
 * database.
 */
export class Notifier {
  readonly #pool: Pool
  readonly #channel: string
  readonly #closed = new AbortController()
  /** What it says of changes that this process knows of already: its own listener does not pass that on. */
  readonly #self: string
  #isDue = false
  #isKnownHere = true
  #left = burst
  #countedAt = 0
  #sending: Promise<void> | null = null

  constructor(pool: Pool, schema: string, self: string) {
    this.#pool = pool
    this.#channel = channelOf(schema)
    this.#self = self
  }

  /** Something changed that may concern others in this process, too. */
  changed(): void {
    this.#isKnownHere = false
    this.changedByUs()
  }

  /** Jobs were written, and whoever wrote them tells this process what became of them. */
  changedByUs(): void {
    this.#isDue = true
    this.#sending ??= this.#send()
  }

  /** Sends what is still to be said: the last change of a program that ends counts like any other. */
  async close(): Promise<void> {
    this.#closed.abort()
    await this.#sending
  }

  async #send(): Promise<void> {
    while (this.#isDue) {
      const payload = this.#isKnownHere ? this.#self : ''
      this.#isDue = false
      this.#isKnownHere = true
      // Nothing depends on it: who does not hear of a change finds it when it looks.
      await this.#pool.query(notify, [this.#channel, payload]).catch(() => {})
      if (!this.#mayGoOn()) await sleep(apartMs, undefined, { signal: this.#closed.signal, ref: false }).catch(() => {})
    }
    this.#sending = null
  }

  #mayGoOn(): boolean {
    const now = performance.now()
    this.#left = Math.min(burst, this.#left + (now - this.#countedAt) / apartMs) - 1
    this.#countedAt = now
    return this.#left >= 1
  }
}
