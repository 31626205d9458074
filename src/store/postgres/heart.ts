import type { HeartbeatRequest } from '../store.ts'
import { Thread, threadFile } from '../thread/thread.ts'

export interface HeartOptions {
  readonly url: string
  readonly schema: string
}

/** The thread that renews the leases of this store's workers, on a connection of its own. It starts with the first. */
export class Heart {
  readonly #options: HeartOptions
  #thread: Thread | null = null

  constructor(options: HeartOptions) {
    this.#options = options
  }

  /** The thread is told before it is ready: once a job runs, this one may be too busy to tell it anything. */
  heartbeat(request: HeartbeatRequest, onBeat: (alive: boolean) => void): () => void {
    if (this.#thread === null || this.#thread.isOver) {
      this.#thread = Thread.begin(threadFile('heart-thread', import.meta.url), this.#options)
    }
    return this.#thread.listen('heartbeat', request, {
      onSignal: (alive) => onBeat(alive === true),
      // A thread that could not start, or is gone, renews nothing: the lease will run out, and its worker must know.
      onLost: () => onBeat(false),
    })
  }

  async close(): Promise<void> {
    // One that is gone already has nothing left to close.
    await this.#thread?.close().catch(() => {})
  }
}
