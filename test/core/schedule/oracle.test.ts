import fc from 'fast-check'
import { describe, it } from 'vitest'
import { dayMs } from '../../../src/core/schedule/search.ts'
import { anyCron } from './cron-cases.ts'
import { expectEqualFires, expectEqualIntervals, type Scan, scan } from './oracle.ts'
import { at } from './times.ts'
import { changes } from './zones.ts'

/** Days around each change of clocks, minute by minute. */
const minutely = changes.map(([zone, day]) => scan(zone, at(day) - 2 * dayMs, at(day) + 3 * dayMs, 60_000))

/** The policies, and dates near the middle of a scan that may be excluded. */
function anyPolicies({ from, locals, stepMs }: Scan) {
  const middle = from + (locals.length * stepMs) / 2
  const dates = [-1, 0, 1].map((i) => new Date(middle + i * dayMs).toISOString().slice(0, 10))
  return fc.record({
    gap: fc.constantFrom('shift', 'skip'),
    fold: fc.constantFrom('first', 'second', 'both'),
    excludedDates: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(dates) }),
  })
}

describe('the engine against a scan of local times', () => {
  it('finds the same fires around changes of clocks', () => {
    const anyScan = fc.constantFrom(...minutely)
    const anyCase = anyScan.chain((scanned) => fc.tuple(fc.constant(scanned), anyCron(), anyPolicies(scanned)))
    fc.assert(
      fc.property(anyCase, ([scanned, cron, policies]) => expectEqualFires(scanned, cron, policies, dayMs)),
      { numRuns: 1_000 },
    )
  })

  it('finds the same fires of intervals, with dates excluded', () => {
    const anyScan = fc.constantFrom(...minutely)
    const anyCase = anyScan.chain((scanned) => {
      return fc.tuple(fc.constant(scanned), fc.integer({ min: 1, max: 600 }), fc.nat(599), anyPolicies(scanned))
    })
    fc.assert(
      fc.property(anyCase, ([scanned, every, first, { excludedDates }]) => {
        const interval = { intervalMs: every * 60_000, anchor: scanned.from + first * 60_000 }
        expectEqualIntervals(scanned, interval, excludedDates)
      }),
      { numRuns: 1_000 },
    )
  })
})
