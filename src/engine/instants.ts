import { StintError, show } from '../core/errors.ts'
import { readDate } from '../core/schedule/date.ts'

/** A moment: a Date, an ISO text with its offset (a date alone is its midnight in UTC), or epoch milliseconds. */
export type Instant = Date | string | number

export const instantRule = 'must be a Date, an ISO text with Z or an offset, or epoch milliseconds'

/** Epoch milliseconds; null for what is no moment. */
export function readInstant(input: unknown): number | null {
  const instant = input instanceof Date ? input.getTime() : typeof input === 'string' ? readIso(input) : input
  return typeof instant === 'number' && Number.isSafeInteger(instant) ? instant : null
}

/** Without an offset the text would mean another moment on every machine, so it means none. */
function readIso(text: string): number {
  const isIso = /^.{10}(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  return isIso && readDate(text.slice(0, 10)) !== null ? Date.parse(text) : Number.NaN
}

/** Dates as the store has them; one that is none is refused by its name. */
export function instants(dates: Readonly<Record<string, Date | undefined>>): Record<string, number> {
  const given: Record<string, number> = {}
  for (const field in dates) {
    const date = dates[field]
    if (date !== undefined) given[field] = epochOf(date, field)
  }
  return given
}

function epochOf(date: Date, field: string): number {
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date.getTime()
  const rule = 'must be a valid Date'
  throw new StintError('invalid_argument', `${field} ${rule}; got ${show(date)}.`, { field, rule })
}
