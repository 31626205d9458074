import { StintError, show } from '../errors.ts'

/** The one shape of refusal for schedules: the field, the rule that it breaks, and what it was. */
export function invalidSchedule(field: string, value: unknown, rule: string): StintError {
  return new StintError('invalid_schedule', `${field} ${rule}; got ${show(value)}.`, { field, rule })
}
