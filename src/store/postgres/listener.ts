import { setTimeout as sleep } from 'node:timers/promises'
import pg, { type Client } from 'pg'
import { closeClient, connectionTo } from './connection.ts'
import { channelOf } from './notifier.ts'
import { quoted } from './statements.ts'

/** A connection that broke without a word looks like one on which nothing happens. Asking tells them apart. */
const askMs = 30_000
const answerMs = 10_000
const backoffMs = { first: 100, most: 10_000 } as const

/**
 * Hears what the notifiers of other processes say, on one connection of its own for all who watch. It connects again when
 * the connection breaks, and each time tells that something may have changed: meanwhile, nobody listened.
 */
export class Listener {
  readonly #url: string
  readonly #channel: string
  readonly #self: string
  readonly #watchers = new Set<() => void>()
  readonly #closed = new AbortController()
  #running: Promise<void> | null = null

  /** What has `self` as its payload comes from this process, which knows it already. */
  constructor(url: string, schema: string, self: string) {
    this.#url = url
    this.#channel = channelOf(schema)
    this.#self = self
  }

  watch(onChange: () => void): () => void {
    // The same function may watch twice, and each of the two can stop alone.
    const watcher = () => onChange()
    this.#watchers.add(watcher)
    this.#running ??= this.#run()
    return () => {
      this.#watchers.delete(watcher)
    }
  }

  async close(): Promise<void> {
    this.#watchers.clear()
    this.#closed.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    let failures = 0
    while (!this.#closed.signal.aborted) {
      const hasListened = await this.#listen().catch(() => false)
      failures = hasListened ? 0 : failures + 1
      const waitMs = Math.min(backoffMs.first * 2 ** failures, backoffMs.most)
      await this.#pause(waitMs * (0.5 + Math.random() / 2), this.#closed.signal)
    }
  }

  /** Listens until the connection ends. True if it ever did. */
  async #listen(): Promise<boolean> {
    const client = new pg.Client({ ...connectionTo(this.#url), query_timeout: answerMs })
    const ended = endOf(client, this.#closed.signal)
    try {
      await client.connect()
      // A program that has nothing else to do may end.
      letProcessEnd(client)
      client.on('notification', ({ payload }) => {
        if (payload !== this.#self) this.#tell()
      })
      await client.query(`listen ${quoted(this.#channel)}`)
      this.#tell()
      await this.#stay(client, ended)
      return true
    } finally {
      await closeClient(client)
    }
  }

  async #stay(client: Client, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await this.#pause(askMs, ended)
      if (!ended.aborted) await client.query('select 1')
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher()
  }
}

/** Aborted when the connection is over, or when nobody wants it any more. */
function endOf(client: Client, closed: AbortSignal): AbortSignal {
  const ended = new AbortController()
  client.on('error', () => ended.abort())
  client.on('end', () => ended.abort())
  return AbortSignal.any([ended.signal, closed])
}

/** The types of the driver do not know the method. */
function letProcessEnd(client: Client & { unref?(): void }): void {
  client.unref?.()
}
