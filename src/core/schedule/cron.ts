import { type DayItem, type MonthDay, matchesItem, parseDates, parseWeekdays } from './cron-days.ts'
import { type FieldRule, sorted, valuesOf } from './cron-values.ts'
import { invalidSchedule } from './invalid-schedule.ts'

/** A field of a cron expression, as it was written. */
interface Field {
  readonly text: string
  /** Whether it has a `*`, alone or with a step; a field with one does not restrict by itself. */
  readonly star: boolean
}

export interface ValueField extends Field {
  /** In order, at least one. */
  readonly values: readonly number[]
  readonly first: number
  readonly last: number
}

export interface DayField extends Field {
  readonly items: readonly DayItem[]
}

/**
 * A cron expression. It says which local times match, and knows nothing of zones: `search.ts` looks through the
 * calendar, and `zone.ts` says when a local time is.
 */
export interface Cron {
  readonly text: string
  readonly second: ValueField
  readonly minute: ValueField
  readonly hour: ValueField
  readonly dayOfMonth: DayField
  readonly month: ValueField
  readonly dayOfWeek: DayField
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const secondRule: FieldRule = { name: 'second', min: 0, max: 59, top: 59, names: [] }
const minuteRule: FieldRule = { name: 'minute', min: 0, max: 59, top: 59, names: [] }
const hourRule: FieldRule = { name: 'hour', min: 0, max: 23, top: 23, names: [] }
const monthRule: FieldRule = { name: 'month', min: 1, max: 12, top: 12, names: months }

const nicknames: ReadonlyMap<string, string> = new Map([
  ['@YEARLY', '0 0 1 1 *'],
  ['@ANNUALLY', '0 0 1 1 *'],
  ['@MONTHLY', '0 0 1 * *'],
  ['@WEEKLY', '0 0 * * 0'],
  ['@DAILY', '0 0 * * *'],
  ['@MIDNIGHT', '0 0 * * *'],
  ['@HOURLY', '0 * * * *'],
])

/** Enough for anything that a person would write. A longer text is refused before it costs anything. */
const lengthMax = 256

/** Reads 5 fields, or 6 with the seconds first, or a nickname such as `@daily`. */
export function parseCron(input: unknown): Cron {
  if (typeof input !== 'string') throw invalidSchedule('cron', input, 'must be a text')
  if (input.length > lengthMax) throw invalidSchedule('cron', input, `must have at most ${lengthMax} characters`)
  if (!/^[A-Za-z0-9*?,/#@ \t-]*$/.test(input)) {
    throw invalidSchedule('cron', input, 'must consist of letters, digits, spaces and * ? , - / # @')
  }
  const text = input.trim().toUpperCase()
  const fields = (nicknames.get(text) ?? text).split(/[ \t]+/)
  if (fields.length === 5) fields.unshift('0')
  const [second, minute, hour, dayOfMonth, month, dayOfWeek, more] = fields
  if (second === undefined || minute === undefined || hour === undefined) throw wrongFields(input)
  if (dayOfMonth === undefined || month === undefined || dayOfWeek === undefined) throw wrongFields(input)
  if (more !== undefined) throw wrongFields(input)
  return {
    text: input.trim(),
    second: valueField(second, secondRule),
    minute: valueField(minute, minuteRule),
    hour: valueField(hour, hourRule),
    dayOfMonth: dayField(dayOfMonth, parseDates),
    month: valueField(month, monthRule),
    dayOfWeek: dayField(dayOfWeek, parseWeekdays),
  }
}

function wrongFields(input: string): Error {
  return invalidSchedule('cron', input, 'must have 5 fields, or 6 with seconds first, or be a name such as @daily')
}

function valueField(text: string, rule: FieldRule): ValueField {
  const values = sorted(text.split(',').flatMap((item) => valuesOf(item, rule)))
  return { text, star: text.includes('*'), values, first: Math.min(...values), last: Math.max(...values) }
}

function dayField(text: string, parse: (items: readonly string[]) => DayItem[]): DayField {
  const items = parse((text === '?' ? '*' : text).split(','))
  return { text, star: text === '?' || text.includes('*'), items }
}

/**
 * As in Vixie cron: if both fields of days restrict, either is enough, so `0 0 13 * 5` is every 13th and every Friday.
 * A field with a star, with or without a step, does not count as restricting: then the day must match both.
 */
export function matchesDay({ dayOfMonth, dayOfWeek }: Cron, day: MonthDay): boolean {
  const byDate = dayOfMonth.items.some((item) => matchesItem(item, day))
  const byWeekday = dayOfWeek.items.some((item) => matchesItem(item, day))
  return dayOfMonth.star || dayOfWeek.star ? byDate && byWeekday : byDate || byWeekday
}
