import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firesBetween, nextFire, previousFire } from '../../../src/core/schedule/fires.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import type { Timing } from '../../../src/core/schedule/timing.ts'
import { anyCron } from './cron-cases.ts'
import { at } from './times.ts'
import { changes } from './zones.ts'

const dayMs = 86_400_000
const zones = [...new Set(changes.map(([zone]) => zone))]

const anyInstant = fc.oneof(
  fc.integer({ min: at('1971-01-01'), max: at('2100-01-01') }),
  fc.constantFrom(...changes).chain(([, day]) => fc.integer({ min: at(day) - 2 * dayMs, max: at(day) + 2 * dayMs })),
)
const anyBounds = fc.record({
  timezone: fc.constantFrom(...zones),
  startAt: fc.option(anyInstant),
  excludedDates: fc.option(
    fc.array(
      anyInstant.map((instant) => new Date(instant).toISOString().slice(0, 10)),
      { maxLength: 3 },
    ),
  ),
})
const anyCronSpec = fc.record({
  cron: anyCron(true).map(({ text }) => text),
  gap: fc.constantFrom('shift', 'skip'),
  fold: fc.constantFrom('first', 'second', 'both'),
})
const anyIntervalSpec = fc.record({
  intervalMs: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 3_653 * dayMs })),
  anchor: fc.option(anyInstant),
})

/** Null for an expression that never fires. */
function timingOf(spec: Parameters<typeof parseTiming>[0]): Timing | null {
  try {
    return parseTiming(spec)
  } catch {
    return null
  }
}

const anyTiming: fc.Arbitrary<Timing> = fc
  .tuple(fc.oneof(anyCronSpec, anyIntervalSpec), anyBounds)
  .map(([when, bounds]) => timingOf({ ...when, ...bounds }))
  .filter((timing) => timing !== null)

const runs = { numRuns: 2_000 }

describe('laws of fires', () => {
  it('the next is later', () => {
    fc.assert(
      fc.property(anyTiming, anyInstant, (timing, after) => {
        const fire = nextFire(timing, after)
        if (fire !== null) expect(fire).toBeGreaterThan(after)
      }),
      runs,
    )
  })

  it('the previous is not later', () => {
    fc.assert(
      fc.property(anyTiming, anyInstant, (timing, before) => {
        const fire = previousFire(timing, before)
        if (fire !== null) expect(fire).toBeLessThanOrEqual(before)
      }),
      runs,
    )
  })

  it('a later moment never has an earlier next', () => {
    fc.assert(
      fc.property(anyTiming, anyInstant, fc.nat(400 * dayMs), (timing, after, more) => {
        const [first, second] = [nextFire(timing, after), nextFire(timing, after + more)]
        expect(second ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(first ?? Number.POSITIVE_INFINITY)
      }),
      runs,
    )
  })

  it('what comes next is what came last when it is there, and not a moment before', () => {
    fc.assert(
      fc.property(anyTiming, anyInstant, (timing, after) => {
        const fire = nextFire(timing, after)
        if (fire === null) return
        expect(previousFire(timing, fire)).toBe(fire)
        expect(previousFire(timing, fire - 1) ?? after).toBeLessThanOrEqual(after)
        expect(nextFire(timing, fire - 1)).toBe(fire)
      }),
      runs,
    )
  })

  it('from anywhere between two fires the next is the later, and the previous the earlier', () => {
    fc.assert(
      fc.property(anyTiming, anyInstant, fc.double({ min: 0, max: 1, noNaN: true }), (timing, after, part) => {
        const [first, second] = firesBetween(timing, after, Number.POSITIVE_INFINITY, 2)
        if (first === undefined || second === undefined) return
        const between = first + Math.floor((second - first - 1) * part)
        expect(nextFire(timing, between)).toBe(second)
        expect(previousFire(timing, between)).toBe(first)
      }),
      runs,
    )
  })

  it('no fire is out of bounds, or on an excluded date', () => {
    fc.assert(
      fc.property(anyTiming, anyInstant, (timing, after) => {
        const dates = new Intl.DateTimeFormat('sv-SE', { timeZone: timing.timezone, dateStyle: 'short' })
        for (const fire of [nextFire(timing, after), previousFire(timing, after)]) {
          if (fire === null) continue
          expect(fire).toBeGreaterThanOrEqual(timing.startAt)
          expect(timing.excludedDays.has(at(dates.format(fire)) / dayMs)).toBe(false)
        }
      }),
      runs,
    )
  })
})
