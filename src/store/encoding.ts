import type { Outcome, RetryPolicy } from '../core/job/job.ts'

/** How both stores write values that have no type of their own in SQL. */

export const outcomes: readonly Outcome[] = ['COMPLETED', 'FAILED', 'SKIPPED']

/** A member of a list by the number that a row holds. */
export function memberAt<T>(members: readonly T[], index: number): T {
  const member = members[index]
  if (member === undefined) throw new Error(`A row holds ${index} where one of ${members.join(', ')} must stand.`)
  return member
}

/** JSON text, or null for what is empty. */
export function jsonOrNull(value: object): string | null {
  return Object.keys(value).length === 0 ? null : JSON.stringify(value)
}

/** What is at its default is not written. */
export function sameRetry(a: RetryPolicy, b: RetryPolicy): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
