import { isDeepStrictEqual } from 'node:util'

/** One place where what is stored differs from what the events give. */
export interface Difference {
  readonly jobId: string | null
  /** The group that it is about, if it is about one. */
  readonly groupId?: string
  /** The field, or `events`, `runs`, `seat`, `waits`, `deadline`, `handles`, `params`, `result` for what stands beside the state. */
  readonly field: string
  readonly stored: unknown
  readonly derived: unknown
}

/** Equal as JSON, whatever the order of names: that is all that the stores promise to keep. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b) || JSON.stringify(a, sorted) === JSON.stringify(b, sorted)
}

function sorted(_: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
