import { lastLocalBy, momentOf, type Occurrence } from './local-time.ts'
import { type Direction, dayMs, findLocal } from './search.ts'
import type { CronTiming, IntervalTiming, Timing } from './timing.ts'
import { type Zone, zoneOf } from './zone.ts'

/** The first fire strictly after a moment; null if there is none. */
export function nextFire(timing: Timing, after: number): number | null {
  if (after >= timing.endAt) return null
  const fire = find(timing, Math.max(after, timing.startAt - 1), 1)
  return fire <= timing.endAt ? fire : null
}

/** The latest fire at or before a moment, so that what is due just now counts; null if there is none. */
export function previousFire(timing: Timing, at: number): number | null {
  if (at < timing.startAt) return null
  const fire = find(timing, Math.min(at, timing.endAt), -1)
  return fire >= timing.startAt ? fire : null
}

/** The fires after one moment, up to and with another: the first of them, at most `max`. */
export function firesBetween(timing: Timing, after: number, until: number, max: number): number[] {
  const fires: number[] = []
  let fire = nextFire(timing, after)
  while (fire !== null && fire <= until && fires.length < max) {
    fires.push(fire)
    fire = nextFire(timing, fire)
  }
  return fires
}

/** The nearest fire strictly after a moment, or at or before it; endlessly far if there is none. */
function find(timing: Timing, from: number, direction: Direction): number {
  return timing.kind === 'cron' ? findCron(timing, from, direction) : findInterval(timing, from, direction)
}

/** Both occurrences are those of the first and those of the second, so the nearest of either is the nearest of all. */
function findCron(timing: CronTiming, from: number, direction: Direction): number {
  if (timing.fold !== 'both') return findOccurrence(timing, timing.fold, from, direction)
  const fires = [findOccurrence(timing, 'first', from, direction), findOccurrence(timing, 'second', from, direction)]
  return direction === 1 ? Math.min(...fires) : Math.max(...fires)
}

/** What falls into gaps so many times in a row, such as 02:30 on the last Sunday of March, will do so for ever. */
const gapsMax = 60

function findOccurrence(timing: CronTiming, occurrence: Occurrence, from: number, direction: Direction): number {
  const { cron, excludedDays, gap: atGap } = timing
  const zone = zoneOf(timing.timezone)
  let start = lastLocalBy(zone, from, occurrence) + (direction === 1 ? 1 : 0)
  for (let gaps = 0; gaps < gapsMax; gaps++) {
    const local = findLocal(cron, excludedDays, start, direction)
    if (local === null) break
    const { instant, gap } = momentOf(zone, local, occurrence)
    if (gap === null) return instant
    if (atGap === 'shift' && !excludedDays.has(Math.floor(gap.end / dayMs))) return instant
    start = direction === 1 ? gap.end : gap.start - 1
  }
  return direction * Number.POSITIVE_INFINITY
}

function findInterval(timing: IntervalTiming, from: number, direction: Direction): number {
  const { intervalMs, anchor, excludedDays } = timing
  const zone = zoneOf(timing.timezone)
  let bound = from
  for (;;) {
    const count = Math.floor((bound - anchor) / intervalMs) + (direction === 1 ? 1 : 0)
    const fire = anchor + count * intervalMs
    if (excludedDays.size === 0) return fire
    const offset = zone.offsetAt(fire)
    const day = Math.floor((fire + offset) / dayMs)
    if (!excludedDays.has(day)) return fire
    bound = direction === 1 ? endOf(zone, fire, day, offset) : startOf(zone, fire, day, offset) - 1
  }
}

/** The last moment up to which it is this day for sure: clocks that go back over midnight can end a day twice. */
function endOf(zone: Zone, instant: number, day: number, offset: number): number {
  const midnight = (day + 1) * dayMs - offset
  return (zone.changesBetween(instant, midnight).at(0)?.at ?? midnight) - 1
}

function startOf(zone: Zone, instant: number, day: number, offset: number): number {
  const midnight = day * dayMs - offset
  return zone.changesBetween(midnight, instant).at(-1)?.at ?? midnight
}
