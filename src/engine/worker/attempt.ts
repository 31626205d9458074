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
  readonly #stop = new AbortController()
  readonly #over = new AbortController()

  constructor(stored: StoredJob, token: string, heldSince: number) {
    this.stored = stored
    this.token = token
    this.heldSince = heldSince
  }

  get key(): string {
    return keyOf(this.stored.job.id, this.token)
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Aborts when nothing more will happen to the attempt here. */
  get whenOver(): AbortSignal {
    return this.#over.signal
  }

  get stopReason(): StopReason | null {
    const reason: unknown = this.#stop.signal.reason
    return reason instanceof StoppedError ? reason.reason : null
  }

  /** Tells the handler to stop. A loss outweighs any other reason: what follows must not be written. */
  stop(reason: StopReason): void {
    if (reason === 'lost') this.end()
    if (!this.#stop.signal.aborted) this.#stop.abort(new StoppedError(reason, messages[reason]))
  }

  end(): void {
    this.phase = 'over'
    this.#over.abort(waitOver)
  }
}

export function keyOf(jobId: string, token: string): string {
  return `${jobId} ${token}`
}
