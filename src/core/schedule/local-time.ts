import { dayMs } from './search.ts'
import type { OffsetChange, Zone } from './zone.ts'

/**
 * From local times to moments, and back. Where clocks are set back a local time comes twice, and one says which of the two
 * is meant. Where they are set forward local times are left out; such a time means the moment of the change.
 *
 * For one occurrence this is monotone: a later local time never means an earlier moment. The whole search rests on
 * that: it needs only to look at local times in their order.
 */
export type Occurrence = 'first' | 'second'

export interface Moment {
  readonly instant: number
  /** The local times that the change of clocks left out, if this is one of them. */
  readonly gap: { readonly start: number; readonly end: number } | null
}

/** No zone is farther than this from UTC, or changes its clocks by more. */
const reachMs = 2 * dayMs

export function momentOf(zone: Zone, local: number, occurrence: Occurrence): Moment {
  let offset = zone.offsetAt(local - reachMs)
  let change: OffsetChange | null = null
  for (const next of zone.changesBetween(local - reachMs, local + reachMs)) {
    if (local < beginningOf(next, occurrence)) break
    offset = next.after
    change = next
  }
  const instant = local - offset
  if (change === null || instant >= change.at) return { instant, gap: null }
  return { instant: change.at, gap: { start: change.at + change.before, end: change.at + change.after } }
}

/** The last local time that means this moment or an earlier one; all later ones mean a later moment. */
export function lastLocalBy(zone: Zone, instant: number, occurrence: Occurrence): number {
  let local = instant + zone.offsetAt(instant)
  for (const change of zone.changesBetween(instant - reachMs, instant + reachMs)) {
    const beginning = beginningOf(change, occurrence)
    local = change.at <= instant ? Math.max(local, beginning - 1) : Math.min(local, beginning - 1)
  }
  return local
}

/** The local time from which on local times mean moments after a change. */
function beginningOf({ at, before, after }: OffsetChange, occurrence: Occurrence): number {
  return at + (occurrence === 'first' ? before : Math.min(before, after))
}
