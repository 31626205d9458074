import type { Cron, DayField, ValueField } from './cron.ts'
import type { DayItem } from './cron-days.ts'
import { dayMs } from './search.ts'
import { type Bounds, type CronTiming, lastInstant, type Timing } from './timing.ts'
import { zoneOf } from './zone.ts'

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const ordinals = ['zeroth', 'first', 'second', 'third', 'fourth', 'fifth']
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** Of more times a day than this not each is named. */
const timesMax = 6
/** Of more values than this the field of the expression is shown. */
const valuesMax = 12

/**
 * The times of a schedule in words, for people: `Every 15 minutes`, `At 02:30 every day, Europe/Berlin time, from 2026-01-01, but
 * not on 2026-12-25`. Moments are told by the clocks of its zone.
 */
export function describeTiming(timing: Timing): string {
  const when = timing.kind === 'cron' ? describeCron(timing.cron) : describeInterval(timing.intervalMs)
  const bounds = describeBounds(timing)
  const isLocal = bounds !== '' || (timing.kind === 'cron' && dependsOnZone(timing))
  const zone = timing.timezone === 'UTC' ? 'UTC' : `${timing.timezone} time`
  return `${when}${isLocal ? `, ${zone}` : ''}${bounds}`
}

function describeBounds({ timezone, startAt, endAt, excludedDays }: Bounds): string {
  const from = startAt === 0 ? '' : ` from ${describeStart(localOf(startAt, timezone))}`
  const until = endAt === lastInstant ? '' : ` until ${describeEnd(localOf(endAt, timezone))}`
  const except = excludedDays.size === 0 ? '' : `, but not on ${describeDates(excludedDays)}`
  return `${from === '' && until === '' ? '' : ','}${from}${until}${except}`
}

function localOf(instant: number, timezone: string): number {
  return instant + zoneOf(timezone).offsetAt(instant)
}

/** A date alone is its first moment. */
function describeStart(local: number): string {
  return local % dayMs === 0 ? nameOfDay(local / dayMs) : nameOfMoment(local)
}

/** A date alone is all of it: expressions know nothing shorter than its last second. */
function describeEnd(local: number): string {
  const day = Math.floor(local / dayMs)
  return local - day * dayMs >= dayMs - 1_000 ? nameOfDay(day) : nameOfMoment(local)
}

function describeDates(days: ReadonlySet<number>): string {
  const dates = rowsOf(
    [...days].sort((a, b) => a - b),
    nameOfDay,
  )
  return dates.length > valuesMax ? `${days.size} dates` : joined(dates)
}

function nameOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** `2026-01-01 09:30`; seconds only where there are some. */
function nameOfMoment(local: number): string {
  return new Date(local)
    .toISOString()
    .replace('T', ' ')
    .replace(/(:00)?(\.000)?Z$/, '')
}

function describeInterval(ms: number): string {
  if (ms % 86_400_000 === 0) return every(ms / 86_400_000, 'day')
  if (ms % 3_600_000 === 0) return every(ms / 3_600_000, 'hour')
  if (ms % 60_000 === 0) return every(ms / 60_000, 'minute')
  return ms % 1_000 === 0 ? every(ms / 1_000, 'second') : every(ms, 'millisecond')
}

function describeCron(cron: Cron): string {
  const times = describeTimes(cron)
  const days = describeDays(cron)
  const inMonths = isEveryMonth(cron) ? '' : `in ${listed(cron.month.values, nameOfMonth)}`
  const isDaily = days === '' && times.startsWith('At') && cron.hour.text !== '*'
  return [times, isDaily ? 'every day' : days, inMonths].filter((part) => part !== '').join(' ')
}

/** What happens in every hour of every day is the same everywhere, or nearly so. */
function dependsOnZone({ cron }: CronTiming): boolean {
  return cron.hour.text !== '*' || describeDays(cron) !== '' || !isEveryMonth(cron)
}

function isEveryMonth({ month }: Cron): boolean {
  return month.values.length === 12
}

function describeTimes({ second, minute, hour }: Cron): string {
  const [seconds, minutes, hours] = [evenStep(second, 60), evenStep(minute, 60), evenStep(hour, 24)]
  if (seconds !== null && minutes === 1 && hours === 1) return every(seconds, 'second')
  if (isZero(second) && minutes !== null && hours === 1) return every(minutes, 'minute')
  if (isZero(second) && isZero(minute) && hours !== null) return every(hours, 'hour')
  if (second.values.length * minute.values.length * hour.values.length <= timesMax) {
    return `At ${joined(clockTimes(second, minute, hour))}`
  }
  const parts = [describeField(minute, 'minute'), describeField(hour, 'hour')]
  return `At ${(isZero(second) ? parts : [describeField(second, 'second'), ...parts]).join(' of ')}`
}

function clockTimes(second: ValueField, minute: ValueField, hour: ValueField): string[] {
  const ends = isZero(second) ? [''] : second.values.map((value) => `:${twoDigits(value)}`)
  return hour.values.flatMap((h) =>
    minute.values.flatMap((m) => ends.map((end) => `${twoDigits(h)}:${twoDigits(m)}${end}`)),
  )
}

/** The step of a field whose values are as far from each other as the last is from the first of the next round. */
function evenStep({ text, values }: ValueField, size: number): number | null {
  const isStep = /^\*(\/\d+)?$/.test(text) && values.length > 1 && size % values.length === 0
  return isStep && values.includes(size / values.length) ? size / values.length : null
}

function describeField({ text, values }: ValueField, unit: string): string {
  if (text === '*') return `every ${unit}`
  const plural = values.length === 1 ? unit : `${unit}s`
  return `${plural} ${values.length > valuesMax ? text : listed(values, String)}`
}

/** Nothing if every day counts. */
function describeDays({ dayOfMonth, dayOfWeek }: Cron): string {
  const [byDate, byWeekday] = [describeDayField(dayOfMonth), describeDayField(dayOfWeek)]
  if (byDate === '' || byWeekday === '') return `${byDate}${byWeekday}`
  if (!dayOfMonth.star && !dayOfWeek.star) return `${byDate} or ${byWeekday}`
  return `on days that match both ${dayOfMonth.text} (of the month) and ${dayOfWeek.text} (of the week)`
}

function describeDayField({ text, items }: DayField): string {
  return text === '*' || text === '?' ? '' : `on ${joined(items.map(describeDayItem))}`
}

function describeDayItem(item: DayItem): string {
  switch (item.kind) {
    case 'dates':
      return `${item.values.length === 1 ? 'day' : 'days'} ${listed(item.values, String)} of the month`
    case 'weekdays':
      return listed(item.values, nameOfWeekday)
    case 'last':
      return 'the last day of the month'
    case 'lastWorkday':
      return 'the last workday of the month'
    case 'nearestWorkday':
      return `the workday nearest to day ${item.date} of the month`
    case 'nth':
      return `the ${ordinals[item.n]} ${nameOfWeekday(item.weekday)} of the month`
    case 'lastOf':
      return `the last ${nameOfWeekday(item.weekday)} of the month`
  }
}

/** Three or more in a row are told by the first and the last of them. */
function listed(values: readonly number[], nameOf: (value: number) => string): string {
  return joined(rowsOf(values, nameOf))
}

function rowsOf(values: readonly number[], nameOf: (value: number) => string): string[] {
  // Within a row, values rise as fast as their places do.
  const rows = Map.groupBy(values, (value, place) => value - place).values()
  return [...rows].flatMap((row) => (row.length < 3 ? row.map(nameOf) : [nameOfRow(row, nameOf)]))
}

function nameOfRow(row: readonly number[], nameOf: (value: number) => string): string {
  return `${nameOf(Math.min(...row))} to ${nameOf(Math.max(...row))}`
}

function joined(texts: readonly string[]): string {
  return texts.length === 1 ? texts.join() : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`
}

function every(count: number, unit: string): string {
  return count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`
}

function isZero({ first, last }: ValueField): boolean {
  return first === 0 && last === 0
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

function nameOfMonth(month: number): string {
  return `${months[month - 1]}`
}

function nameOfWeekday(weekday: number): string {
  return `${weekdays[weekday]}`
}
