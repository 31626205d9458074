import type { Context } from '../../core/job/commands.ts'
import type { StoredJob } from '../../store/store.ts'
import { waitOver } from '../clock.ts'

/** Why a handler is told to stop. */
export type StopReason = 'cancelled' | 'timeout' | 'stopping' | 'lost'

/** What the signal of an attempt aborts with. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
  readonly reason: StopReason

  constructor(reason: StopReason, message: string) {
    super(message)
    this.reason = reason
  }
}

const messages: Readonly<Record<StopReason, string>> = {
  cancelled: 'The job was cancelled.',
  timeout: 'The attempt ran out of time.',
  stopping: 'The worker stops; the attempt will be given back.',
  lost: 'The attempt no longer belongs to this worker.',
}

/** One claimed attempt on its way through a worker. */
export class Attempt {
  readonly stored: StoredJob
  readonly token: string
  /** When the worker got it, by the monotonic clock. Its time runs from then on. */
  readonly heldSince: number
  /** `waiting` for a slot, `running`, `ending` while its end is written, `over`. */
  phase: 'waiting' | 'running' | 'ending' | 'over' = 'waiting'
  /** Ids that are written to its events, for people who look at them. */
  observed: Pick<Context, 'executionId' | 'traceId' | 'spanId'> = {}
  /** Where it stands among those that its worker has; null when it is none of them. */
  place: number | null = null
  /** Called once, when the handler is told to stop. */
  onStop: ((attempt: Attempt) => void) | null = null
  /** What its handler will have come to, from when it runs. */
  ran: Promise<unknown> | null = null
  /** Its place among those that run has been given to another. */
  hasLeft = false
  stopReason: StopReason | null = null
  // Most handlers look at no signal, and making one costs more than all else that is made for an attempt.
  #stop: AbortController | null = null
  #over: AbortController | null = null

  constructor(stored: StoredJob, token: string, heldSince: number) {
    this.stored = stored
    this.token = token
    this.heldSince = heldSince
  }

  get key(): string {
    return keyOf(this.stored.job.id, this.token)
  }

  get signal(): AbortSignal {
    if (this.#stop === null) {
      this.#stop = new AbortController()
      if (this.stopReason !== null) this.#stop.abort(stoppedError(this.stopReason))
    }
    return this.#stop.signal
  }

  /** Aborts when nothing more will happen to the attempt here. */
  get whenOver(): AbortSignal {
    if (this.#over === null) {
      this.#over = new AbortController()
      if (this.phase === 'over') this.#over.abort(waitOver)
    }
    return this.#over.signal
  }

  /** Tells the handler to stop. A loss outweighs any other reason: what follows must not be written. */
  stop(reason: StopReason): void {
    if (reason === 'lost') this.end()
    if (this.stopReason !== null) return
    this.stopReason = reason
    this.#stop?.abort(stoppedError(reason))
    this.onStop?.(this)
  }

  end(): void {
    this.phase = 'over'
    this.#over?.abort(waitOver)
  }
}

function stoppedError(reason: StopReason): StoppedError {
  return new StoppedError(reason, messages[reason])
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

export function keyOf(jobId: string, token: string): string {
  return `${jobId} ${token}`
}
