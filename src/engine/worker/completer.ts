import { StintError } from '../../core/errors.ts'
import type { ApplyRequest, ApplyResult, Completion } from '../../store/store.ts'
import { Batcher } from '../batcher.ts'
import type { Env } from '../env.ts'
import { messageOf } from './outcome.ts'
import { patiently } from './patience.ts'

const batchMax = 1_000

/**
 * Writes the ends of attempts, many in one transaction. An end is written again and again until the store has answered:
 * the same token with the same content is success, however often it comes.
 */
export class Completer {
  readonly #ends: Batcher<ApplyRequest, ApplyResult>
  readonly #completions: Batcher<Completion, boolean>

  constructor(env: Env, stop: AbortSignal) {
    const { clock, store } = env
    const patience = { env, doing: 'complete', stop }
    const inFlightMax = 1
    this.#ends = new Batcher({
      clock,
      run: (requests) => patiently(patience, () => applyEach(env, requests)),
      batchMax,
      inFlightMax,
    })
    this.#completions = new Batcher({
      clock,
      run: (completions) => patiently(patience, () => completeAll(env, completions)),
      batchMax,
      // A thread that has something to do while this one is busy; a server is better off with few large batches.
      ...(store.kind === 'sqlite' ? { inFlightMax: 4, enough: 200, batchMax: 200 } : { inFlightMax, enough: 200 }),
    })
  }

  add(request: ApplyRequest): Promise<ApplyResult> {
    return this.#ends.add(request)
  }

  /** The short way to write the end that nearly all attempts have. `done` is told false when it is for `add` to do. */
  complete(completion: Completion, done: (isDone: boolean) => void, stopped: () => void): void {
    this.#completions.put(completion, done, stopped)
  }
}

/** What is wrong with one of them is for `applyEach` to find out. Throws only when the database is away. */
async function completeAll({ store }: Env, completions: readonly Completion[]): Promise<readonly boolean[]> {
  try {
    return (await store.complete(completions)).done
  } catch (error) {
    if (isOutage(error)) throw error
    return completions.map(() => false)
  }
}

/**
 * Applies requests together, or one by one when together they fail: one row that cannot be read must not hold up the
 * others. Throws only when the database is away.
 */
export async function applyEach(
  { store }: Pick<Env, 'store'>,
  requests: readonly ApplyRequest[],
): Promise<readonly ApplyResult[]> {
  try {
    return await store.apply(requests)
  } catch (error) {
    if (isOutage(error)) throw error
  }
  const results: ApplyResult[] = []
  for (const request of requests) {
    try {
      results.push(...(await store.apply([request])))
    } catch (error) {
      if (isOutage(error)) throw error
      results.push({ ok: false, error: asStintError(error) })
    }
  }
  return results
}

/** Something that no rule foresees, such as a row that cannot be read. */
function asStintError(error: unknown): StintError {
  return error instanceof StintError ? error : new StintError('internal_error', messageOf(error))
}

/** Whether an error is of the connection or the server and not of a row. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (['store_busy', 'store_closed', 'conflict'].includes(code)) return true
  // Classes of SQLSTATE: connection, resources, operator's doing; or of the operating system.
  return /^(08|53|57|58)/.test(code) || /^E[A-Z]+$/.test(code) || /connection|timeout|terminat/i.test(error.message)
}
