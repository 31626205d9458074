import { type Cron, matchesDay, type ValueField } from './cron.ts'

/**
 * Search on the calendar. A local time is a number of milliseconds, as if the local calendar were that of UTC; days are
 * counted from 1970-01-01. No zone is known here, so every day has 24 hours.
 */

export const dayMs = 86_400_000

/** The way of a search: 1 to later times, -1 to earlier ones. */
export type Direction = 1 | -1

/**
 * Whatever matches at all does so again within 40 years: a 29 February that must also be a certain weekday. So what is
 * not found within 100 years never comes, and every search has an end.
 */
const horizonMonths = 1_200

/** The first local time at or after one, or the last at or before it, that matches and is not on an excluded day. */
export function findLocal(
  cron: Cron,
  excludedDays: ReadonlySet<number>,
  from: number,
  direction: Direction,
): number | null {
  const second = direction === 1 ? Math.ceil(from / 1_000) : Math.floor(from / 1_000)
  const today = Math.floor(second / 86_400)
  const day = findDay(cron, excludedDays, today, direction)
  if (day !== today) return firstOn(cron, day, direction)
  const time = findTime(cron, second - today * 86_400, direction)
  if (time !== null) return today * dayMs + time * 1_000
  return firstOn(cron, findDay(cron, excludedDays, today + direction, direction), direction)
}

function firstOn({ hour, minute, second }: Cron, day: number | null, direction: Direction): number | null {
  if (day === null) return null
  return day * dayMs + clock(edge(hour, direction), edge(minute, direction), edge(second, direction)) * 1_000
}

function findDay(cron: Cron, excludedDays: ReadonlySet<number>, from: number, direction: Direction): number | null {
  const date = new Date(from * dayMs)
  const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
  for (let i = 0; i <= horizonMonths; i++) {
    const day = findDayOfMonth(cron, excludedDays, month + i * direction, from, direction)
    if (day !== null) return day
  }
  return null
}

/** Months are counted from January 1970. */
function findDayOfMonth(
  cron: Cron,
  excludedDays: ReadonlySet<number>,
  month: number,
  from: number,
  direction: Direction,
): number | null {
  if (!cron.month.values.includes(mod(month, 12) + 1)) return null
  const first = Date.UTC(1970, month) / dayMs
  const length = Date.UTC(1970, month + 1) / dayMs - first
  const last = first + length - 1
  const start = direction === 1 ? Math.max(first, from) : Math.min(last, from)
  for (let day = start; day >= first && day <= last; day += direction) {
    // The first day of 1970 was a Thursday.
    const isDay = matchesDay(cron, { date: day - first + 1, weekday: mod(day + 4, 7), length })
    if (isDay && !excludedDays.has(day)) return day
  }
  return null
}

/** The second of the day that matches first from one on, or last up to it. */
function findTime(cron: Cron, from: number, direction: Direction): number | null {
  const { hour, minute, second } = cron
  const h = Math.floor(from / 3_600)
  const m = Math.floor(from / 60) % 60
  if (hour.values.includes(h)) {
    const nextSecond = minute.values.includes(m) ? nearest(second, from % 60, direction) : undefined
    if (nextSecond !== undefined) return clock(h, m, nextSecond)
    const nextMinute = nearest(minute, m + direction, direction)
    if (nextMinute !== undefined) return clock(h, nextMinute, edge(second, direction))
  }
  const nextHour = nearest(hour, h + direction, direction)
  if (nextHour === undefined) return null
  return clock(nextHour, edge(minute, direction), edge(second, direction))
}

function nearest({ values }: ValueField, from: number, direction: Direction): number | undefined {
  return direction === 1 ? values.find((value) => value >= from) : values.findLast((value) => value <= from)
}

/** The value at which a search begins. */
function edge({ first, last }: ValueField, direction: Direction): number {
  return direction === 1 ? first : last
}

function clock(hour: number, minute: number, second: number): number {
  return (hour * 60 + minute) * 60 + second
}

function mod(a: number, b: number): number {
  return ((a % b) + b) % b
}
