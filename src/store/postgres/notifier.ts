import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

const apartMs = 25

/** The channel on which stores of one schema tell each other that something changed. */
export function channelOf(schema: string): string {
  return `stint_${schema}`
}

/**
 * Tells other processes that something was committed: at once, and then at most every 25 ms, one at a time. Not within
 * the transaction: commits that notify wait for each other, one after the other, in the whole database.
 */
export class Notifier {
  readonly #pool: Pool
  readonly #channel: string
  readonly #closed = new AbortController()
  #isDue = false
  #sending: Promise<void> | null = null

  constructor(pool: Pool, schema: string) {
    this.#pool = pool
    this.#channel = channelOf(schema)
  }

  changed(): void {
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
      this.#isDue = false
      // Nothing depends on it: who does not hear of a change finds it when it looks.
      await this.#pool.query('select pg_notify($1, $2)', [this.#channel, '']).catch(() => {})
      await sleep(apartMs, undefined, { signal: this.#closed.signal, ref: false }).catch(() => {})
    }
    this.#sending = null
  }
}
