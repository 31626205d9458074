import { type ClockEffect, clockChanges } from '../core/schedule/clock-changes.ts'
import { describeTiming } from '../core/schedule/describe.ts'
import { firesBetween } from '../core/schedule/fires.ts'
import { invalidSchedule } from '../core/schedule/invalid-schedule.ts'
import { parseTiming } from '../core/schedule/parse-timing.ts'
import type { TimingSpec } from '../core/schedule/timing.ts'
import { checkInteger, checkObject, refuse } from '../store/check-input.ts'
import { systemClock } from './clock.ts'
import { type Instant, instantRule, readInstant } from './instants.ts'

/** When a schedule fires, as users say it. */
export interface TimingOptions extends Omit<TimingSpec, InstantField> {
  /** No fire before this moment. */
  readonly startAt?: Instant | null
  /** No fire after this moment. */
  readonly endAt?: Instant | null
  /** A moment at which an interval fires, and from which all its other fires are counted. Default `startAt`, else 1970. */
  readonly anchor?: Instant | null
}

type InstantField = 'startAt' | 'endAt' | 'anchor'

export interface PreviewOptions {
  /** Fires come strictly after this moment. Default now. */
  readonly from?: Instant
  /** And not after this one. Default never. */
  readonly until?: Instant | null
  /** From 1 to 1,000; default 10. */
  readonly count?: number
}

/** The next fires of a schedule, and what is worth knowing about them. */
export interface Outlook {
  /** When it fires, in words. */
  readonly description: string
  readonly fires: readonly Date[]
  /** When the clocks of its zone are changed meanwhile, within the first two years. */
  readonly changes: readonly ClockChangeView[]
}

export interface ClockChangeView {
  readonly at: Date
  /** What is added to UTC, in milliseconds. */
  readonly beforeMs: number
  readonly afterMs: number
  readonly effect: ClockEffect
  /** The first local time that it concerns, `2027-03-28T02:30:00`; null for none. */
  readonly localTime: string | null
}

/** Whoever looks further than that does not look for single days. */
const changesMs = 2 * 366 * 86_400_000

/** The next fires of a schedule, as ISO texts; fewer than asked for if it ends. They are searched as the scheduler does it. */
export function previewFires(timing: TimingOptions, options: PreviewOptions = {}): string[] {
  return outlookOf(timing, options).fires.map((fire) => fire.toISOString())
}

export function outlookOf(options: TimingOptions, asked: PreviewOptions = {}): Outlook {
  const { from = systemClock.now(), until = null, count = 10 }: PreviewOptions = checkObject(asked, 'options')
  const after = requireInstant('from', from)
  const last = until === null ? Number.POSITIVE_INFINITY : requireInstant('until', until)
  const max = checkInteger(count, 'count', 1, 1_000)
  const timing = parseTiming(timingSpecOf(options))
  const fires = firesBetween(timing, after, last, max)
  const end = until === null ? (fires.at(-1) ?? after) : last
  return {
    description: describeTiming(timing),
    fires: fires.map((fire) => new Date(fire)),
    changes: clockChanges(timing, after, Math.min(end, after + changesMs)).map(
      ({ at, before: beforeMs, after: afterMs, effect, local }) => {
        const localTime = local === null ? null : new Date(local).toISOString().slice(0, -'.000Z'.length)
        return { at: new Date(at), beforeMs, afterMs, effect, localTime }
      },
    ),
  }
}

function requireInstant(field: string, value: unknown): number {
  const instant = readInstant(value)
  if (instant === null) throw refuse(field, value, instantRule)
  return instant
}

/** With all instants in epoch milliseconds, as they are stored. */
export function timingSpecOf(timing: TimingOptions): TimingSpec {
  // What is no object is refused where everything else is.
  if (typeof timing !== 'object' || timing === null) return timing
  const { startAt, endAt, anchor, ...rest } = timing
  return { ...rest, ...given({ startAt, endAt, anchor }) }
}

/** Null is said, too: it takes back what a schedule had. */
function given(
  instants: Readonly<Record<InstantField, Instant | null | undefined>>,
): Partial<Record<InstantField, number | null>> {
  const read = Object.entries(instants).flatMap(([field, value]): [string, number | null][] => {
    if (value === undefined) return []
    if (value === null) return [[field, null]]
    const instant = readInstant(value)
    if (instant === null) throw invalidSchedule(field, value, instantRule)
    return [[field, instant]]
  })
  return Object.fromEntries(read)
}
