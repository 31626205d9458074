import { cut, type FieldRule, numberOf, sorted, valuesOf } from './cron-values.ts'
import { invalidSchedule } from './invalid-schedule.ts'

/** One item of a field of days. Weekdays count from Sunday, 0. */
export type DayItem =
  | { readonly kind: 'dates' | 'weekdays'; readonly values: readonly number[] }
  /** `L`: the last day of the month. */
  | { readonly kind: 'last' }
  /** `LW`: the last day from Monday to Friday. */
  | { readonly kind: 'lastWorkday' }
  /** `15W`: the day from Monday to Friday nearest to a date, within its month. */
  | { readonly kind: 'nearestWorkday'; readonly date: number }
  /** `5#2`: the second Friday. */
  | { readonly kind: 'nth'; readonly weekday: number; readonly n: number }
  /** `5L`: the last Friday. */
  | { readonly kind: 'lastOf'; readonly weekday: number }

/** A date of a month, and what its month looks like around it. */
export interface MonthDay {
  readonly date: number
  readonly weekday: number
  /** How many days the month has. */
  readonly length: number
}

const dateRule: FieldRule = { name: 'dayOfMonth', min: 1, max: 31, top: 31, names: [] }
const weekdayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const weekdayRule: FieldRule = { name: 'dayOfWeek', min: 0, max: 7, top: 6, names: weekdayNames }

/** What stands between the commas: all plain dates together, and each of the others. */
export function parseDates(items: readonly string[]): DayItem[] {
  const [special, plain] = split(items, (item) => /[LW]$/.test(item))
  const values = sorted(plain.flatMap((item) => valuesOf(item, dateRule)))
  return [...(values.length > 0 ? [{ kind: 'dates', values } as const] : []), ...special.map(parseSpecialDate)]
}

function parseSpecialDate(item: string): DayItem {
  if (item === 'L') return { kind: 'last' }
  if (item === 'LW') return { kind: 'lastWorkday' }
  return { kind: 'nearestWorkday', date: numberOf(item.slice(0, -1), dateRule) }
}

export function parseWeekdays(items: readonly string[]): DayItem[] {
  const [special, plain] = split(items, (item) => /#|L$/.test(item))
  const values = sorted(plain.flatMap((item) => valuesOf(item, weekdayRule)).map((value) => value % 7))
  return [...(values.length > 0 ? [{ kind: 'weekdays', values } as const] : []), ...special.map(parseSpecialWeekday)]
}

function parseSpecialWeekday(item: string): DayItem {
  const [day, n] = cut(item, '#')
  if (n !== null) return { kind: 'nth', weekday: numberOf(day, weekdayRule) % 7, n: nthOf(n) }
  return { kind: 'lastOf', weekday: numberOf(item.slice(0, -1), weekdayRule) % 7 }
}

function split(items: readonly string[], isSpecial: (item: string) => boolean): [string[], string[]] {
  return [items.filter(isSpecial), items.filter((item) => !isSpecial(item))]
}

function nthOf(text: string): number {
  if (/^[1-5]$/.test(text)) return Number(text)
  throw invalidSchedule('cron.dayOfWeek', text, 'must have a number from 1 to 5 after #')
}

export function matchesItem(item: DayItem, day: MonthDay): boolean {
  switch (item.kind) {
    case 'dates':
      return item.values.includes(day.date)
    case 'weekdays':
      return item.values.includes(day.weekday)
    case 'last':
      return day.date === day.length
    case 'lastWorkday':
      return day.date === nearestWorkday(day.length, day)
    case 'nearestWorkday':
      return item.date <= day.length && day.date === nearestWorkday(item.date, day)
    case 'nth':
      return day.weekday === item.weekday && Math.ceil(day.date / 7) === item.n
    case 'lastOf':
      return day.weekday === item.weekday && day.date + 7 > day.length
  }
}

/** The workday nearest to a date, without leaving the month. */
function nearestWorkday(date: number, day: MonthDay): number {
  const weekday = (((day.weekday + date - day.date) % 7) + 7) % 7
  if (weekday === 6) return date === 1 ? 3 : date - 1
  if (weekday === 0) return date === day.length ? date - 2 : date + 1
  return date
}
