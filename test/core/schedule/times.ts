import { firesBetween, nextFire, previousFire } from '../../../src/core/schedule/fires.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import type { TimingSpec } from '../../../src/core/schedule/timing.ts'

/** Times as people write them: `2026-03-08T07:00Z`. */
export function at(text: string): number {
  const instant = Date.parse(text)
  if (Number.isNaN(instant)) throw new Error(`${text} is no instant`)
  return instant
}

export function show(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString().replace(':00.000Z', 'Z')
}

/** The next fires strictly after a moment. */
export function next(spec: TimingSpec, from: string, count = 1): (string | null)[] {
  const timing = parseTiming(spec)
  const fires: (number | null)[] = []
  for (let fire: number | null = at(from); fires.length < count && fire !== null; ) {
    fire = nextFire(timing, fire)
    fires.push(fire)
  }
  return fires.map(show)
}

export function previous(spec: TimingSpec, from: string): string | null {
  return show(previousFire(parseTiming(spec), at(from)))
}

/** How many fires there are from one moment on, before another. */
export function countWithin(spec: TimingSpec, from: string, to: string): number {
  return firesBetween(parseTiming(spec), at(from) - 1, at(to) - 1, 100_000).length
}
