import { dayMs } from './search.ts'

/** The day of a date written as `YYYY-MM-DD`, counted from 1970-01-01; null for anything else. */
export function readDate(input: unknown): number | null {
  if (typeof input !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(input)) return null
  const instant = Date.parse(input)
  // 30 February is read as a date in March, so the date must come out as it went in.
  return Number.isNaN(instant) || !new Date(instant).toISOString().startsWith(input) ? null : instant / dayMs
}
