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
  let renewedAt = pace.now()
  while (!stop.aborted) {
    const sentAt = pace.now()
    const leftMs = renewedAt + leaseMs * 0.9 - sentAt
    const outcome = leftMs <= 0 ? 'late' : await answerWithin(leftMs, renew, stop, pace)
    if (stop.aborted) return
    if (outcome === 'gone' || outcome === 'late') return onBeat(false)
    if (outcome === 'alive') {
      renewedAt = sentAt
      onBeat(true)
    }
    await pace.sleep(outcome === 'alive' ? leaseMs / 3 : (leaseMs / 20) * (0.5 + pace.random()), stop)
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
