import { describe, expect, it } from 'vitest'
import { firesBetween, nextFire, previousFire } from '../../../src/core/schedule/fires.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import { at, countWithin, next, previous, show } from './times.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

describe('an interval', () => {
  it('counts from 1970 unless something else is said', () => {
    expect(next({ intervalMs: 7 * minuteMs }, '1970-01-01T00:00Z', 2)).toEqual([
      '1970-01-01T00:07Z',
      '1970-01-01T00:14Z',
    ])
    expect(next({ intervalMs: 15 * minuteMs }, '2026-01-01T00:01Z')).toEqual(['2026-01-01T00:15Z'])
  })

  it('counts from its start, which is a fire itself', () => {
    const spec = { intervalMs: 10 * minuteMs, startAt: at('2026-01-01T00:03Z') }
    expect(next(spec, '2025-01-01T00:00Z', 2)).toEqual(['2026-01-01T00:03Z', '2026-01-01T00:13Z'])
    expect(previous(spec, '2026-01-01T00:02Z')).toBeNull()
    expect(previous(spec, '2026-01-01T00:03Z')).toBe('2026-01-01T00:03Z')
  })

  it('counts from its anchor in both directions, within its bounds', () => {
    const spec = { intervalMs: hourMs, anchor: at('2026-06-01T00:20Z'), startAt: at('2026-01-01T00:00Z') }
    expect(next(spec, '2025-01-01T00:00Z')).toEqual(['2026-01-01T00:20Z'])
    expect(next(spec, '2027-01-01T00:00Z')).toEqual(['2027-01-01T00:20Z'])
  })

  it('does not drift, however long it runs', () => {
    const timing = parseTiming({ intervalMs: 7_001 })
    const far = at('2900-01-01')
    expect((nextFire(timing, far) ?? 0) % 7_001).toBe(0)
    expect((nextFire(timing, far) ?? 0) - (previousFire(timing, far) ?? 0)).toBe(7_001)
  })

  it('does not know of changes of clocks', () => {
    const spec = { intervalMs: hourMs, timezone: 'America/New_York' }
    expect(countWithin(spec, '2026-11-01T04:00Z', '2026-11-02T05:00Z')).toBe(25)
  })

  it('leaves out excluded dates of its zone', () => {
    const spec = { intervalMs: 6 * hourMs, timezone: 'America/New_York', excludedDates: ['2026-11-01', '2026-11-02'] }
    expect(next(spec, '2026-11-01T00:00Z', 2)).toEqual(['2026-11-03T06:00Z', '2026-11-03T12:00Z'])
    expect(previous(spec, '2026-11-03T05:59Z')).toBe('2026-11-01T00:00Z')
  })

  it('leaves out an excluded date that ends twice, and nothing between', () => {
    // On 7 November 2010, one minute past midnight, the clocks of St John’s went back to 23:01 of the sixth.
    const zone = { intervalMs: minuteMs / 2, timezone: 'America/St_Johns' }
    const midnight = at('2010-11-07T02:30Z')
    const back = parseTiming({ ...zone, excludedDates: ['2010-11-06'] })
    const half = minuteMs / 2
    expect(firesBetween(back, midnight - hourMs, midnight + 2 * hourMs, 3)).toEqual([
      ...[midnight, midnight + half, midnight + hourMs],
    ])
    expect(previousFire(back, midnight + hourMs - 1)).toBe(midnight + half)
    expect(show(previousFire(back, midnight - 1))).toBe('2010-11-06T02:29:30.000Z')
    const forth = parseTiming({ ...zone, excludedDates: ['2010-11-07'] })
    expect(nextFire(forth, midnight - 1)).toBe(midnight + minuteMs)
    expect(previousFire(forth, midnight + minuteMs - 1)).toBe(midnight - half)
    expect(previousFire(forth, midnight + 5 * hourMs)).toBe(midnight + hourMs - half)
    expect(show(nextFire(forth, midnight + hourMs - half))).toBe('2010-11-08T03:30Z')
  })
})

describe('bounds', () => {
  const spec = { cron: '0 12 * * *', startAt: at('2026-01-10T12:00Z'), endAt: at('2026-01-12T12:00Z') }

  it('belong to the time between them', () => {
    expect(next(spec, '2020-01-01T00:00Z', 9)).toEqual([
      ...['2026-01-10T12:00Z', '2026-01-11T12:00Z', '2026-01-12T12:00Z', null],
    ])
    expect(previous(spec, '2030-01-01T00:00Z')).toBe('2026-01-12T12:00Z')
    expect(previous(spec, '2026-01-10T12:00Z')).toBe('2026-01-10T12:00Z')
    expect(previous(spec, '2026-01-10T11:59Z')).toBeNull()
    expect(previous({ ...spec, startAt: at('2026-01-10T13:00Z') }, '2026-01-11T11:00Z')).toBeNull()
  })

  it('a list of fires is as long as allowed, and ends where it should', () => {
    const timing = parseTiming(spec)
    const [first, second] = [at('2026-01-10T12:00Z'), at('2026-01-11T12:00Z')]
    expect(firesBetween(timing, 0, Number.POSITIVE_INFINITY, 1)).toEqual([first])
    expect(firesBetween(timing, 0, second, 9)).toEqual([first, second])
    expect(firesBetween(timing, first, second - 1, 9)).toEqual([])
    expect(firesBetween(timing, 0, second, 0)).toEqual([])
  })

  it('nothing fires before 1970 or after 9999', () => {
    const daily = parseTiming({ cron: '@daily', timezone: 'Africa/Monrovia' })
    expect(nextFire(daily, -5 * dayMs)).toBe(at('1970-01-01T00:44:30Z'))
    expect(previousFire(daily, 0)).toBeNull()
    expect(previousFire(daily, -dayMs)).toBeNull()
    expect(nextFire(daily, at('9999-12-31T00:00Z'))).toBeNull()
    expect(nextFire(daily, 8_640_000_000_000_000)).toBeNull()
    expect(show(previousFire(daily, 8_640_000_000_000_000))).toBe('9999-12-31T00:00Z')
  })
})

describe('excluded dates', () => {
  it('are local dates', () => {
    const spec = { cron: '0 22 * * *', timezone: 'America/New_York', excludedDates: ['2026-01-02'] }
    expect(next(spec, '2026-01-02T00:00Z', 2)).toEqual(['2026-01-02T03:00Z', '2026-01-04T03:00Z'])
    expect(previous(spec, '2026-01-03T12:00Z')).toBe('2026-01-02T03:00Z')
  })

  it('are left out by what follows real time', () => {
    const spec = { cron: '30 * * * *', timezone: 'Asia/Kathmandu', excludedDates: ['2026-01-02'] }
    expect(next(spec, '2026-01-01T17:45Z', 2)).toEqual(['2026-01-02T18:45Z', '2026-01-02T19:45Z'])
  })

  it('count for what was moved from them, and for what was moved to them', () => {
    // The last hour of 30 March 2024 did not exist in Nuuk.
    const spec = { cron: '30 23 * * *', timezone: 'America/Nuuk' }
    const nextDay = '2024-04-01T00:30Z'
    expect(next({ ...spec, excludedDates: ['2024-03-30'] }, '2024-03-30T12:00Z')).toEqual([nextDay])
    expect(next({ ...spec, excludedDates: ['2024-03-31'] }, '2024-03-30T12:00Z')).toEqual(['2024-04-02T00:30Z'])
    expect(previous({ ...spec, excludedDates: ['2024-03-31'] }, '2024-03-31T12:00Z')).toBe('2024-03-30T01:30Z')
  })
})
