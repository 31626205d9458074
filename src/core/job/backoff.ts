import type { RetryPolicy } from './job.ts'

/**
 * How long to wait before the next attempt: full jitter below base · factor^(charged − 1), capped. `random` is from
 * [0, 1); it is given, not drawn, so that a decision can be repeated.
 */
export function retryDelayMs(
  policy: Pick<RetryPolicy, 'baseMs' | 'factor' | 'capMs'>,
  charged: number,
  random: number,
): number {
  // A power beyond all numbers is infinite, and infinity times a base of zero would be due at no time at all.
  const growth = Math.min(Number.MAX_VALUE, policy.factor ** Math.max(0, charged - 1))
  const longest = Math.min(policy.capMs, policy.baseMs * growth)
  return Math.floor(longest * random)
}
