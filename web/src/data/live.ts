import { type Client, StintError, type StreamedEntry } from 'stint/client'

/** How the dashboard hears of what happens. */
export type LiveState =
  /** Each entry of the log comes as it is written. */
  | 'live'
  | 'connecting'
  /** There is no stream, so what is shown is asked for again and again. */
  | 'polling'
  /** Nobody looks. */
  | 'paused'

/** What listeners are told: entries in their order, or that some were missed and everything must be read anew. */
export type News = { readonly entries: readonly StreamedEntry[] } | { readonly missed: true }

/** How many of the newest entries are remembered, for whoever begins to look later. */
const recentMax = 2_000

type Message = { readonly entries: readonly StreamedEntry[]; readonly cursor: string } | { readonly state: LiveState }

/** Entries of so long are told together: whoever draws has to draw once. */
const gatherMs = 100
/** Whoever looked away for longer does not want to see all that happened, but what is. */
const resumeMs = 60_000
/** A stream that does not come for so long is one that something on the way does not let through. */
const patienceMs = 4_000

/**
 * One stream for all pages of a browser: the first that is looked at holds it, and tells the others. It goes on after the last
 * entry that any of them has seen.
 */
export class Live {
  readonly #client: Client
  readonly #name: string
  readonly #listeners = new Set<(news: News) => void>()
  readonly #stateListeners = new Set<() => void>()
  readonly #channel: BroadcastChannel
  #state: LiveState = 'connecting'
  #cursor: string | undefined
  #gathered: StreamedEntry[] = []
  #gathering: ReturnType<typeof setTimeout> | null = null
  #looking: AbortController | null = null
  #leftAt: number | null = null
  #isLeading = false
  #recent: readonly StreamedEntry[] = []

  constructor(client: Client, who: string) {
    this.#client = client
    this.#name = `stint-live ${location.origin} ${who}`
    this.#channel = new BroadcastChannel(this.#name)
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data)
  }

  get state(): LiveState {
    return this.#state
  }

  /** The newest entries since this page was opened, in their order. */
  get recent(): readonly StreamedEntry[] {
    return this.#recent
  }

  /** Begins, and returns how to end it. */
  start(): () => void {
    const onVisible = () => (document.hidden ? this.#leave() : this.#come())
    document.addEventListener('visibilitychange', onVisible)
    onVisible()
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      this.#leave()
      this.#channel.close()
    }
  }

  listen(listener: (news: News) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener)
    return () => this.#stateListeners.delete(listener)
  }

  #come(): void {
    if (this.#looking !== null) return
    const looking = new AbortController()
    this.#looking = looking
    const isLate = this.#leftAt !== null && Date.now() - this.#leftAt > resumeMs
    if (isLate) this.#cursor = undefined
    if (this.#leftAt !== null) this.#tell({ missed: true })
    this.#leftAt = null
    this.#become('connecting')
    void this.#takeTurn(looking.signal)
  }

  #leave(): void {
    this.#looking?.abort()
    this.#looking = null
    this.#leftAt ??= Date.now()
    this.#become('paused')
  }

  /** Waits until no other page of this browser holds the stream, then holds it. */
  async #takeTurn(signal: AbortSignal): Promise<void> {
    try {
      // Pages that came over an insecure connection have no locks: each has a stream of its own then.
      if (navigator.locks === undefined) return await this.#lead(signal)
      await navigator.locks.request(this.#name, { signal }, () => this.#lead(signal))
    } catch {
      // Whoever looks away while they wait for their turn gives it up.
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    this.#isLeading = true
    const impatient = setTimeout(() => this.#announce('polling'), patienceMs)
    const onConnected = (isConnected: boolean) => {
      clearTimeout(impatient)
      this.#announce(isConnected ? 'live' : 'polling')
    }
    try {
      await this.#follow(signal, onConnected)
    } catch {
      this.#announce('polling')
    } finally {
      clearTimeout(impatient)
      this.#isLeading = false
    }
  }

  async #follow(signal: AbortSignal, onConnected: (isConnected: boolean) => void): Promise<void> {
    const after = this.#cursor === undefined ? {} : { after: this.#cursor }
    try {
      for await (const entry of this.#client.events.stream({ signal, onConnected, ...after })) this.#gather(entry)
    } catch (error) {
      const isCursor = error instanceof StintError && error.code === 'invalid_argument' && this.#cursor !== undefined
      if (!isCursor) throw error
      // The log is another one than it was, after a restore for example: what is shown is of no log that there is.
      this.#cursor = undefined
      this.#tell({ missed: true })
      await this.#follow(signal, onConnected)
    }
  }

  #gather(entry: StreamedEntry): void {
    this.#gathered.push(entry)
    this.#gathering ??= setTimeout(() => {
      const entries = this.#gathered
      this.#gathered = []
      this.#gathering = null
      this.#cursor = entries.at(-1)?.cursor ?? this.#cursor
      this.#channel.postMessage({ entries, cursor: this.#cursor })
      this.#tell({ entries })
    }, gatherMs)
  }

  #hear(message: Message): void {
    if (this.#isLeading || this.#looking === null) return
    if ('state' in message) this.#become(message.state)
    else {
      this.#cursor = message.cursor
      this.#become('live')
      this.#tell({ entries: message.entries })
    }
  }

  #announce(state: LiveState): void {
    if (this.#looking === null) return
    this.#become(state)
    this.#channel.postMessage({ state })
  }

  #become(state: LiveState): void {
    if (this.#state === state) return
    this.#state = state
    for (const listener of this.#stateListeners) listener()
  }

  #tell(news: News): void {
    if ('entries' in news) this.#recent = [...this.#recent, ...news.entries].slice(-recentMax)
    for (const listener of this.#listeners) listener(news)
  }
}
