import { StintError } from '../core/errors.ts'
import type { StoredJob } from '../store/store.ts'
import { waitOver } from './clock.ts'
import { type Env, jittered } from './env.ts'
import { type Ended, Signal } from './hub.ts'
import type { ResultOptions } from './job-handle.ts'
import { isOutage } from './worker/completer.ts'

interface Waiter {
  readonly resolve: (job: StoredJob) => void
  readonly reject: (error: StintError) => void
}

const lookEveryMs = 1_000
const lookAtMostEveryMs = 25
const pageSize = 500

/**
 * Waits for the ends of jobs, for any number of callers with one look at the store. Ends in this process are told at once,
 * those in others by the store's watch where it has one, and by looking now and then.
 */
export class Results {
  readonly #env: Env
  readonly #watch: () => () => void
  readonly #waiting = new Map<string, Set<Waiter>>()
  readonly #news = new Signal()
  readonly #closed = new AbortController()
  #loop: Promise<void> | null = null

  /** `watch` begins to hear of other processes and returns how to end it. */
  constructor(env: Env, watch: () => () => void) {
    this.#env = env
    this.#watch = watch
  }

  /** The job once it is over. */
  async ended(jobId: string, { timeoutMs, signal }: ResultOptions = {}): Promise<StoredJob> {
    this.#closed.signal.throwIfAborted()
    const over = new AbortController()
    const ended = new Promise<StoredJob>((resolve, reject) => this.#add(jobId, { resolve, reject }, over.signal))
    const limits = [
      rejected(this.#closed.signal, over.signal),
      ...(timeoutMs === undefined ? [] : [this.#timeout(jobId, timeoutMs, over.signal)]),
      ...(signal === undefined ? [] : [rejected(signal, over.signal)]),
    ]
    try {
      return await Promise.race([ended, ...limits])
    } finally {
      over.abort(waitOver)
    }
  }

  /** Nobody waits any longer: from a store that is closed no end can be heard. */
  async close(): Promise<void> {
    this.#closed.abort(new StintError('store_closed', 'The store was closed.'))
    await this.#loop
  }

  async #timeout(jobId: string, ms: number, over: AbortSignal): Promise<never> {
    await this.#env.clock.sleep(ms, over)
    throw new StintError('wait_timeout', `Job ${jobId} has not ended within ${ms} ms.`, { jobId, timeoutMs: ms })
  }

  #add(jobId: string, waiter: Waiter, over: AbortSignal): void {
    const waiters = this.#waiting.get(jobId) ?? new Set()
    this.#waiting.set(jobId, waiters.add(waiter))
    over.addEventListener('abort', () => {
      waiters.delete(waiter)
      if (waiters.size === 0) this.#waiting.delete(jobId)
      if (this.#waiting.size === 0) this.#news.tell()
    })
    this.#news.tell()
    this.#loop ??= this.#look()
  }

  async #look(): Promise<void> {
    const { hub, clock } = this.#env
    const leave = [this.#watch(), hub.onEnded((jobs) => this.#tell(jobs)), hub.onChanged(() => this.#news.tell())]
    while (this.#waiting.size > 0) {
      const ids = [...this.#waiting.keys()]
      for (let i = 0; i < ids.length; i += pageSize) {
        await this.#lookAt(ids.slice(i, i + pageSize))
      }
      // Those told have to leave before it is known whether anybody waits.
      await clock.turn()
      if (this.#waiting.size === 0) break
      await clock.sleep(lookAtMostEveryMs, this.#closed.signal)
      await this.#news.wait(clock, jittered(this.#env, lookEveryMs), this.#closed.signal)
    }
    for (const each of leave) each()
    this.#loop = null
  }

  /** Together, or one by one when together they fail: one row that cannot be read must not keep the others' ends from them. */
  async #lookAt(ids: readonly string[]): Promise<void> {
    const { store, metrics } = this.#env
    try {
      const found = await store.find(ids.map((id) => ({ id })))
      const ended = found.flatMap((stored) => (stored?.job.state === 'final' ? [stored] : []))
      this.#tell(ended.map((stored) => ({ id: stored.job.id, stored: () => stored })))
      await this.#tellGone(ids.filter((_, i) => found[i] === null))
    } catch (error) {
      metrics.add('stint_store_errors', { doing: 'await result' })
      if (ids.length > 1 && !isOutage(error)) for (const id of ids) await this.#lookAt([id])
    }
  }

  /** One that is not there may be in a transaction that has not committed yet; one that was pruned will not come back. */
  async #tellGone(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const past = await this.#env.store.past(ids.map((id) => ({ id })))
    for (const [i, id] of ids.entries()) {
      if (past[i] === null) continue
      const message = `Job ${id} is over, and was pruned: its result is not kept any more.`
      const error = new StintError('not_found', message, { jobId: id })
      for (const { reject } of this.#waiting.get(id) ?? []) reject(error)
    }
  }

  #tell(jobs: readonly Ended[]): void {
    for (const { id, stored } of jobs) {
      const waiters = this.#waiting.get(id)
      if (waiters === undefined) continue
      const ended = stored()
      for (const { resolve } of waiters) resolve(ended)
    }
  }
}

function rejected(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true, signal: over })
  })
}
