import { StintError } from '../core/errors.ts'
import type { GroupRow } from '../store/controls.ts'
import { type Env, jittered } from './env.ts'
import { Signal } from './hub.ts'
import type { ResultOptions } from './job-handle.ts'
import { isOutage } from './worker/completer.ts'

const lookEveryMs = 1_000

/**
 * Waits for the ends of groups. Ends of members in this process are told at once, those in others by the store's watch where
 * it has one, and by looking now and then.
 */
export class GroupResults {
  readonly #env: Env
  readonly #watch: () => () => void
  readonly #closed = new AbortController()

  /** `watch` begins to hear of other processes and returns how to end it. */
  constructor(env: Env, watch: () => () => void) {
    this.#env = env
    this.#watch = watch
  }

  /** The group once it is over. */
  async over(id: string, { timeoutMs, signal }: ResultOptions = {}): Promise<GroupRow> {
    const { hub, clock } = this.#env
    const news = new Signal()
    const tell = () => news.tell()
    const leave = [
      this.#watch(),
      hub.onChanged(tell),
      hub.onEnded((jobs) => jobs.some(({ groupId }) => groupId === id) && tell()),
    ]
    const stop = signal === undefined ? this.#closed.signal : AbortSignal.any([this.#closed.signal, signal])
    const until = clock.monotonic() + (timeoutMs ?? Number.POSITIVE_INFINITY)
    try {
      for (;;) {
        stop.throwIfAborted()
        const group = await this.#look(id)
        if (group !== null && group.finishedAt !== null) return group
        const left = until - clock.monotonic()
        if (left <= 0) throw lateFor(id, timeoutMs ?? 0)
        await news.wait(clock, Math.min(left, jittered(this.#env, lookEveryMs)), stop)
      }
    } finally {
      for (const each of leave) each()
    }
  }

  /** Nobody waits any longer: from a store that is closed no end can be heard. */
  close(): void {
    this.#closed.abort(new StintError('store_closed', 'The store was closed.'))
  }

  async #look(group: string): Promise<GroupRow | null> {
    try {
      return await this.#env.store.control('group.get', { group })
    } catch (error) {
      if (!isOutage(error)) throw error
      this.#env.metrics.add('stint_store_errors', { doing: 'await result' })
      return null
    }
  }
}

function lateFor(groupId: string, timeoutMs: number): StintError {
  const message = `Group ${groupId} has not ended within ${timeoutMs} ms.`
  return new StintError('wait_timeout', message, { groupId, timeoutMs })
}
