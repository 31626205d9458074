import { type Cron, parseCron } from './cron.ts'
import { readDate } from './date.ts'
import { nextFire } from './fires.ts'
import { invalidSchedule } from './invalid-schedule.ts'
import { dayMs, findLocal } from './search.ts'
import {
  type Bounds,
  type CronTiming,
  type IntervalTiming,
  lastInstant,
  type Policies,
  type Timing,
  type TimingSpec,
} from './timing.ts'
import { zoneOf } from './zone.ts'

const intervalMaxMs = 3_653 * dayMs
const excludedMax = 1_000

/** Checks what a schedule says about its times. Callers in JavaScript give anything, so nothing is taken for granted. */
export function parseTiming(spec: TimingSpec): Timing {
  if (typeof spec !== 'object' || spec === null) throw invalidSchedule('timing', spec, 'must be an object')
  const { cron, intervalMs } = spec
  const [bounds, policies] = [boundsOf(spec), policiesOf(spec)]
  const isInterval = isAbsent(cron)
  if (isInterval === isAbsent(intervalMs)) {
    throw invalidSchedule('timing', spec, 'must have either cron or intervalMs, and not both')
  }
  const timing = isInterval ? intervalTiming(spec, bounds) : cronTiming(spec, bounds, policies)
  if (!isAbsent(spec.endAt) && nextFire(timing, timing.startAt - 1) === null) {
    throw invalidSchedule('endAt', spec.endAt, 'must leave a fire after startAt that is not excluded')
  }
  return timing
}

function cronTiming({ cron: input, anchor }: TimingSpec, bounds: Bounds, policies: Policies): CronTiming {
  const cron = parseCron(input)
  if (!isAbsent(anchor)) throw invalidSchedule('anchor', anchor, 'is only for an interval')
  if (findLocal(cron, new Set(), 0, 1) === null) throw neverFires(cron)
  // Every moment whose local time matches: also what comes again, and nothing for what does not come.
  return { kind: 'cron', cron, ...bounds, ...(cron.hour.star ? { gap: 'skip', fold: 'both' } : policies) }
}

function policiesOf({ gap, fold }: TimingSpec): Policies {
  return { gap: oneOf(gap, 'gap', ['shift', 'skip']), fold: oneOf(fold, 'fold', ['first', 'second', 'both']) }
}

function neverFires({ text }: Cron): Error {
  return invalidSchedule('cron', text, 'must match a day that exists; it never fires')
}

function intervalTiming({ intervalMs, anchor }: TimingSpec, bounds: Bounds): IntervalTiming {
  if (!isWhole(intervalMs, 1, intervalMaxMs)) {
    throw invalidSchedule('intervalMs', intervalMs, `must be a whole number from 1 to ${intervalMaxMs} (ten years)`)
  }
  return { kind: 'interval', intervalMs, anchor: instantOf(anchor, 'anchor') ?? bounds.startAt, ...bounds }
}

function boundsOf(spec: TimingSpec): Bounds {
  const startAt = instantOf(spec.startAt, 'startAt') ?? 0
  const endAt = instantOf(spec.endAt, 'endAt') ?? lastInstant
  if (endAt < startAt) throw invalidSchedule('endAt', spec.endAt, 'must not be before startAt')
  return { timezone: timezoneOf(spec.timezone), startAt, endAt, excludedDays: excludedDaysOf(spec.excludedDates) }
}

/** Offsets such as +02:00 are refused: a zone also says when its clocks change. */
function timezoneOf(input: unknown): string {
  if (isAbsent(input)) return 'UTC'
  if (typeof input === 'string' && /^[A-Za-z][A-Za-z0-9/_+-]{0,63}$/.test(input) && isKnown(input)) return input
  throw invalidSchedule('timezone', input, 'must be a time zone of IANA, such as Europe/Berlin')
}

function isKnown(timezone: string): boolean {
  try {
    zoneOf(timezone)
    return true
  } catch {
    return false
  }
}

function excludedDaysOf(input: unknown): ReadonlySet<number> {
  if (isAbsent(input)) return new Set()
  if (!Array.isArray(input) || input.length > excludedMax) {
    throw invalidSchedule('excludedDates', input, `must be an array of at most ${excludedMax} dates`)
  }
  return new Set(input.map((date, i) => dayOf(date, `excludedDates[${i}]`)))
}

function dayOf(date: unknown, field: string): number {
  const day = readDate(date)
  if (day !== null) return day
  throw invalidSchedule(field, date, 'must be a date that exists, as YYYY-MM-DD')
}

function instantOf(input: unknown, field: string): number | null {
  if (isAbsent(input)) return null
  if (isWhole(input, 0, lastInstant)) return input + 0
  throw invalidSchedule(field, input, 'must be an instant from 1970 to 9999')
}

/** One of the values; the first is the default. */
function oneOf<Value extends string>(
  input: unknown,
  field: string,
  values: readonly [Value, ...(readonly Value[])],
): Value {
  if (isAbsent(input)) return values[0]
  const value = values.find((known) => known === input)
  if (value !== undefined) return value
  throw invalidSchedule(field, input, `must be one of ${values.join(', ')}`)
}

function isWhole(input: unknown, min: number, max: number): input is number {
  return typeof input === 'number' && Number.isSafeInteger(input) && input >= min && input <= max
}

function isAbsent(input: unknown): input is null | undefined {
  return input === undefined || input === null
}
