import { describe, expect, test } from 'vitest'
import { clockChanges } from '../../../src/core/schedule/clock-changes.ts'
import { firesBetween } from '../../../src/core/schedule/fires.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import type { TimingSpec } from '../../../src/core/schedule/timing.ts'

const hourMs = 3_600_000
const year = [Date.UTC(2027, 0), Date.UTC(2028, 0)] as const
const [spring, autumn] = [Date.UTC(2027, 2, 28, 1), Date.UTC(2027, 9, 31, 1)]

/** What the changes of a year in Berlin do: in spring 02:00 to 03:00 is left out, in autumn it comes twice. */
function effects(spec: TimingSpec): unknown[] {
  const timing = parseTiming({ timezone: 'Europe/Berlin', ...spec })
  return clockChanges(timing, ...year).map(({ effect, local }) => [effect, local && new Date(local).toISOString()])
}

describe('changes of clocks', () => {
  test('are told with their offsets', () => {
    const timing = parseTiming({ cron: '0 9 * * *', timezone: 'Europe/Berlin' })
    expect(clockChanges(timing, ...year)).toEqual([
      { at: spring, before: hourMs, after: 2 * hourMs, effect: 'none', local: null },
      { at: autumn, before: 2 * hourMs, after: hourMs, effect: 'none', local: null },
    ])
    expect(clockChanges(parseTiming({ cron: '0 9 * * *' }), ...year)).toEqual([])
  })

  test('say what they do to local times that do not come, or come twice', () => {
    const [gap, fold] = ['2027-03-28T02:30:00.000Z', '2027-10-31T02:30:00.000Z']
    expect(effects({ cron: '30 2 * * *' })).toEqual([
      ['shifted', gap],
      ['first', fold],
    ])
    expect(effects({ cron: '30 2 * * *', gap: 'skip', fold: 'both' })).toEqual([
      ['skipped', gap],
      ['both', fold],
    ])
    expect(effects({ cron: '30 2 * * *', fold: 'second', excludedDates: ['2027-03-28'] })).toEqual([
      ['none', null],
      ['second', fold],
    ])
  })

  test('do nothing to what follows the time that passes', () => {
    const none = [
      ['none', null],
      ['none', null],
    ]
    expect(effects({ cron: '*/20 * * * *' })).toEqual(none)
    expect(effects({ intervalMs: hourMs })).toEqual(none)
  })

  test('do nothing to what never comes again', () => {
    // Within a hundred years there is none other, and no search goes further.
    const leapDays = Array.from({ length: 40 }, (_, i) => 2004 + i * 4).filter((y) => y !== 2100)
    const excludedDates = leapDays.map((y) => `${y}-02-29`)
    expect(effects({ cron: '30 2 29 2 *', excludedDates })).toEqual([
      ['none', null],
      ['none', null],
    ])
  })

  test('shift nothing to a day on which nothing fires', () => {
    // Samoa had no 30 December 2011.
    const spec = { cron: '0 12 30 12 *', timezone: 'Pacific/Apia' }
    const [from, until] = [Date.UTC(2011, 11, 29), Date.UTC(2012, 0, 2)]
    const seen = (timing: TimingSpec) => {
      const parsed = parseTiming(timing)
      return [clockChanges(parsed, from, until)[0]?.effect, firesBetween(parsed, from, until, 9).length]
    }
    expect(seen(spec)).toEqual(['shifted', 1])
    expect(seen({ ...spec, excludedDates: ['2011-12-31'] })).toEqual(['skipped', 0])
  })
})
