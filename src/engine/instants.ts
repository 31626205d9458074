import { StintError, show } from '../core/errors.ts'

/** Dates as the store has them; one that is none is refused by its name. */
export function instants(dates: Readonly<Record<string, Date | undefined>>): Record<string, number> {
  const given = Object.entries(dates).flatMap(([field, date]): [string, number][] => {
    if (date === undefined) return []
    if (date instanceof Date && !Number.isNaN(date.getTime())) return [[field, date.getTime()]]
    const rule = 'must be a valid Date'
    throw new StintError('invalid_argument', `${field} ${rule}; got ${show(date)}.`, { field, rule })
  })
  return Object.fromEntries(given)
}
