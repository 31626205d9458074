import { type Env, jittered } from '../env.ts'

export interface Patience {
  readonly env: Env
  /** What is being done, for the count of failures. */
  readonly doing: string
  /** Ends the patience: nothing is tried after. */
  readonly stop: AbortSignal
}

const firstMs = 50
const longestMs = 5_000

/** Tries again until it succeeds or nobody wants it any more. Only for what can be repeated without harm. */
export async function patiently<T>({ env, doing, stop }: Patience, work: () => Promise<T>): Promise<T> {
  for (let delayMs = firstMs; ; delayMs = Math.min(longestMs, delayMs * 2)) {
    try {
      return await work()
    } catch (error) {
      env.metrics.add('stint_store_errors', { doing })
      if (stop.aborted) throw error
      await env.clock.sleep(jittered(env, delayMs), stop)
      if (stop.aborted) throw error
    }
  }
}
