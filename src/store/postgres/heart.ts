import type { HeartbeatRequest } from '../store.ts'
import { Thread, threadFile } from '../thread/thread.ts'

export interface HeartOptions {
  readonly url: string
  readonly schema: string
}

/** The thread that renews the leases of this store's workers, on a connection of its own. It starts with the first. */
export class Heart {
  readonly #options: HeartOptions
  #thread: Promise<Thread> | null = null
  #isClosed = false

  constructor(options: HeartOptions) {
    this.#options = options
  }

  heartbeat(request: HeartbeatRequest, onBeat: (alive: boolean) => void): () => void {
    this.#thread ??= Thread.start(threadFile('heart-thread', import.meta.url), this.#options)
    const stop = new AbortController()
    void this.#begin(this.#thread, request, onBeat, stop.signal)
    return () => stop.abort()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.then(
      (thread) => thread.close(),
      () => {},
    )
  }

  async #begin(
    starting: Promise<Thread>,
    request: HeartbeatRequest,
    onBeat: (alive: boolean) => void,
    stop: AbortSignal,
  ): Promise<void> {
    try {
      const thread = await starting
      if (stop.aborted || this.#isClosed) return
      const onSignal = (alive: unknown) => onBeat(alive === true)
      stop.addEventListener('abort', thread.listen('heartbeat', request, { onSignal, onLost: () => onBeat(false) }))
    } catch {
      // A thread that cannot start, or is gone, renews nothing: the lease will run out, and its worker must know.
      this.#thread = null
      if (!stop.aborted && !this.#isClosed) onBeat(false)
    }
  }
}
