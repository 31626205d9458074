import { setTimeout as sleep } from 'node:timers/promises'

/** Time and chance, as a loop needs them. */
export interface Pace {
  /** Milliseconds of a clock that never jumps. */
  now(): number
  /** Resolves after a time, or at once when the signal stops it. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From [0, 1). */
  random(): number
}

export const realPace: Pace = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {}),
  random: Math.random,
}

export interface Beating {
  readonly leaseMs: number
  /** Renews the lease; false when there is none to renew any more. */
  readonly renew: () => Promise<boolean>
  /** Told after each try that says something. After false nothing follows. */
  readonly onBeat: (alive: boolean) => void
}

/** Renews a lease until it is stopped or lost. Returns how to stop it. */
export function startBeating(beating: Beating, pace: Pace = realPace): () => void {
  const stop = new AbortController()
  void beatLoop(beating, stop.signal, pace)
  return () => stop.abort()
}

/**
 * Whoever may be dead must know it before others act on it: the lease counts from the moment when its renewal was sent,
 * not from the answer, and is given up when nine tenths have passed. A renewal that hangs is not waited for any longer.
 */
export async function beatLoop({ leaseMs, renew, onBeat }: Beating, stop: AbortSignal, pace: Pace): Promise<void> {
  let lostAt = pace.now() + leaseMs * 0.9
  while (!stop.aborted) {
    const sentAt = pace.now()
    const outcome = sentAt >= lostAt ? 'late' : await answerWithin(lostAt - sentAt, renew, stop, pace)
    if (stop.aborted) return
    if (outcome === 'gone' || outcome === 'late') return onBeat(false)
    const soonAt = pace.now() + (leaseMs / 20) * (0.5 + pace.random())
    let nextAt = soonAt
    if (outcome === 'alive') {
      lostAt = sentAt + leaseMs * 0.9
      // An answer that took long leaves less time to the next try, but some, so that a slow database gets a rest.
      nextAt = Math.max(sentAt + leaseMs / 3, soonAt)
      onBeat(true)
    }
    await pace.sleep(Math.min(nextAt, lostAt) - pace.now(), stop)
  }
}

type Outcome = 'alive' | 'gone' | 'failed' | 'late'

async function answerWithin(
  leftMs: number,
  renew: () => Promise<boolean>,
  stop: AbortSignal,
  pace: Pace,
): Promise<Outcome> {
  const answered = new AbortController()
  try {
    return await Promise.race([
      outcomeOf(renew),
      pace.sleep(leftMs, AbortSignal.any([stop, answered.signal])).then((): Outcome => 'late'),
    ])
  } finally {
    answered.abort()
  }
}

async function outcomeOf(renew: () => Promise<boolean>): Promise<Outcome> {
  try {
    return (await renew()) ? 'alive' : 'gone'
  } catch {
    return 'failed'
  }
}
