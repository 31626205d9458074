import { expect } from 'vitest'
import { StintError } from '../../../src/core/errors.ts'
import { firesBetween, previousFire } from '../../../src/core/schedule/fires.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import type { Fold, Gap, Timing } from '../../../src/core/schedule/timing.ts'
import type { CronCase } from './cron-cases.ts'

/**
 * What should fire, found without the engine: every minute (or second) of a stretch of time is shown by Intl in its
 * zone, one after the other, and compared with the expression. It knows nothing of offsets: local times that are
 * left out or come again are seen from the outside.
 */
export interface Scan {
  readonly zone: string
  readonly from: number
  readonly stepMs: number
  /** The local time at each step, as if it were UTC. */
  readonly locals: Float64Array
}

export function scan(zone: string, from: number, to: number, stepMs: number): Scan {
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  const locals = Float64Array.from({ length: (to - from) / stepMs }, (_, i) => {
    const [day, month, year, hour, minute, second] = format
      .format(from + i * stepMs)
      .split(/\D+/)
      .map(Number)
    return Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second)
  })
  return { zone, from, stepMs, locals }
}

export interface Policies {
  readonly gap: Gap
  readonly fold: Fold
  readonly excludedDates: readonly string[]
}

/** All fires of a scan, in order. */
export function expectedFires({ from, stepMs, locals }: Scan, cron: CronCase, policies: Policies): number[] {
  const matches = (local: number) => cron.matches(local) && !isExcluded(local, policies.excludedDates)
  const isShifting = !cron.followsRealTime && policies.gap === 'shift'
  const comesAgain = laterTwins(locals)
  const fires: number[] = []
  let highest = (locals[0] ?? 0) - stepMs
  locals.forEach((local, i) => {
    const cameBefore = local <= highest
    const isWanted = cron.followsRealTime || isOccurrence(policies.fold, cameBefore, comesAgain[i] === 1)
    const isShifted = isShifting && local > highest + stepMs && !isExcluded(local, policies.excludedDates)
    if ((isWanted && matches(local)) || (isShifted && leftOut(highest, local, stepMs).some(matches))) {
      fires.push(from + i * stepMs)
    }
    highest = Math.max(highest, local)
  })
  return fires
}

function isOccurrence(fold: Fold, cameBefore: boolean, comesAgain: boolean): boolean {
  return fold === 'both' || (fold === 'first' ? !cameBefore : !comesAgain)
}

/** Marks the steps whose local time comes once more. */
function laterTwins(locals: Float64Array): Uint8Array {
  const marks = new Uint8Array(locals.length)
  let lowest = Number.POSITIVE_INFINITY
  for (let i = locals.length - 1; i >= 0; i--) {
    const local = locals[i] ?? 0
    marks[i] = local >= lowest ? 1 : 0
    lowest = Math.min(lowest, local)
  }
  return marks
}

/** The local times between the highest that has been and the one that comes now. */
function leftOut(highest: number, local: number, stepMs: number): number[] {
  const count = (local - highest) / stepMs - 1
  return Array.from({ length: count }, (_, i) => highest + (i + 1) * stepMs)
}

function isExcluded(local: number, excludedDates: readonly string[]): boolean {
  return excludedDates.length > 0 && excludedDates.includes(new Date(local).toISOString().slice(0, 10))
}

/**
 * The engine finds what the scan finds, forwards and backwards. The margins of the scan are left out: whether a local time
 * came before it or comes again after it is not seen.
 */
export function expectEqualFires(scanned: Scan, cron: CronCase, policies: Policies, marginMs: number): void {
  const { zone, from, stepMs, locals } = scanned
  const start = from + marginMs
  const end = from + locals.length * stepMs - marginMs
  const expected = expectedFires(scanned, cron, policies).filter((fire) => fire >= start && fire < end)
  const timing = timingOf({ cron: cron.text, timezone: zone, ...policies })
  const found = timing === null ? [] : firesBetween(timing, start - 1, end - 1, Number.POSITIVE_INFINITY)
  expect(found).toEqual(expected)
  expect(timing === null ? [] : backwards(timing, start, end - 1)).toEqual(expected)
}

/** The same for an interval of whole steps. */
export function expectEqualIntervals(
  { zone, from, stepMs, locals }: Scan,
  interval: { readonly intervalMs: number; readonly anchor: number },
  excludedDates: readonly string[],
): void {
  const isFire = (instant: number) => (instant - interval.anchor) % interval.intervalMs === 0
  const expected = Array.from(locals, (local, i) => ({ local, instant: from + i * stepMs }))
    .filter(({ local, instant }) => isFire(instant) && !isExcluded(local, excludedDates))
    .map(({ instant }) => instant)
  const timing = parseTiming({ ...interval, timezone: zone, excludedDates })
  const end = from + locals.length * stepMs
  expect(firesBetween(timing, from - 1, end - 1, Number.POSITIVE_INFINITY)).toEqual(expected)
  expect(backwards(timing, from, end - 1)).toEqual(expected)
}

/** Null for an expression that never fires. */
function timingOf(spec: Parameters<typeof parseTiming>[0]): Timing | null {
  try {
    return parseTiming(spec)
  } catch (error) {
    if (error instanceof StintError && error.message.includes('never fires')) return null
    throw error
  }
}

function backwards(timing: Timing, start: number, end: number): number[] {
  const fires: number[] = []
  for (let fire = previousFire(timing, end); fire !== null && fire >= start; fire = previousFire(timing, fire - 1)) {
    fires.push(fire)
  }
  return fires.reverse()
}
