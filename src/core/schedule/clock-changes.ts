import { dayMs, findLocal } from './search.ts'
import type { CronTiming, Timing } from './timing.ts'
import { type OffsetChange, zoneOf } from './zone.ts'

/**
 * What becomes of the local times of a schedule that clocks are set forward over (`shifted`, `skipped`), or back over (which of
 * the two occurrences fires).
 */
export type ClockEffect = 'none' | 'shifted' | 'skipped' | 'first' | 'second' | 'both'

/** A moment at which the clocks of a schedule's zone are changed, and what that does to its fires. */
export interface ClockChange extends OffsetChange {
  readonly effect: ClockEffect
  /** The first local time that it concerns, as if it were one of UTC; null for none. */
  readonly local: number | null
}

const nothing = { effect: 'none', local: null } as const

/** The changes later than one moment, up to and with another. */
export function clockChanges(timing: Timing, after: number, until: number): ClockChange[] {
  return zoneOf(timing.timezone)
    .changesBetween(after, until)
    .map((change) => ({ ...change, ...effectOn(timing, change) }))
}

function effectOn(timing: Timing, { at, before, after }: OffsetChange): Pick<ClockChange, 'effect' | 'local'> {
  // An interval, and what has a `*` in its hour, follows the time that really passes.
  if (timing.kind === 'interval' || timing.cron.hour.star) return nothing
  const [start, end] = [at + Math.min(before, after), at + Math.max(before, after)]
  const local = findLocal(timing.cron, timing.excludedDays, start, 1)
  if (local === null || local >= end) return nothing
  return { local, effect: after > before ? atGap(timing, end) : timing.fold }
}

/** What is shifted comes at the end of the gap, unless that is on a day on which nothing fires. */
function atGap({ gap, excludedDays }: CronTiming, end: number): ClockEffect {
  return gap === 'shift' && !excludedDays.has(Math.floor(end / dayMs)) ? 'shifted' : 'skipped'
}
