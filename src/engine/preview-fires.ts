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
  /** From 1 to 1,000; default 10. */
  readonly count?: number
}

/** The next fires of a schedule, as ISO texts; fewer than asked for if it ends. They are searched as the scheduler does it. */
export function previewFires(timing: TimingOptions, options: PreviewOptions = {}): string[] {
  const { from = systemClock.now(), count = 10 }: PreviewOptions = checkObject(options, 'options')
  const after = readInstant(from)
  if (after === null) throw refuse('from', from, instantRule)
  const max = checkInteger(count, 'count', 1, 1_000)
  const fires = firesBetween(parseTiming(timingSpecOf(timing)), after, Number.POSITIVE_INFINITY, max)
  return fires.map((fire) => new Date(fire).toISOString())
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
