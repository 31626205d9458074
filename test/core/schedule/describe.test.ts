import { describe, expect, it } from 'vitest'
import { describeTiming } from '../../../src/core/schedule/describe.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'

describe('a timing in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['*/7 * * * *', 'At minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour'],
    ['* * * * * *', 'Every second'],
    ['*/10 * * * * *', 'Every 10 seconds'],
    ['*/10 0 * * * *', 'At seconds 0, 10, 20, 30, 40 and 50 of minute 0 of every hour'],
    ['0 * * * *', 'Every hour'],
    ['@hourly', 'Every hour'],
    ['5 * * * *', 'At minute 5 of every hour'],
    ['0,30 * * * *', 'At minutes 0 and 30 of every hour'],
    ['1-59/2 * * * *', 'At minutes 1-59/2 of every hour'],
    ['0 */6 * * *', 'Every 6 hours, UTC'],
    ['0 */5 * * *', 'At 00:00, 05:00, 10:00, 15:00 and 20:00 every day, UTC'],
    ['30 */12 * * *', 'At 00:30 and 12:30 every day, UTC'],
    ['0 */24 * * *', 'At 00:00 every day, UTC'],
    ['30 2 * * *', 'At 02:30 every day, UTC'],
    ['15 30 2 * * *', 'At 02:30:15 every day, UTC'],
    ['0,30 9,17 * * MON-FRI', 'At 09:00, 09:30, 17:00 and 17:30 on Monday to Friday, UTC'],
    ['*/10 9-17 * * *', 'At minutes 0, 10, 20, 30, 40 and 50 of hours 9 to 17 every day, UTC'],
    ['* 2 * * *', 'At every minute of hour 2 every day, UTC'],
    ['*/15 * * * 1-5', 'Every 15 minutes on Monday to Friday, UTC'],
    ['0 0 * * 0', 'At 00:00 on Sunday, UTC'],
    ['0 0 * * 1,4', 'At 00:00 on Monday and Thursday, UTC'],
    ['0 0 * * SAT,SUN', 'At 00:00 on Sunday and Saturday, UTC'],
    ['0 0 1 * *', 'At 00:00 on day 1 of the month, UTC'],
    ['0 0 1,15,16 * ?', 'At 00:00 on days 1, 15 and 16 of the month, UTC'],
    ['0 0 L * *', 'At 00:00 on the last day of the month, UTC'],
    ['0 0 LW * *', 'At 00:00 on the last workday of the month, UTC'],
    ['0 0 1,15W * *', 'At 00:00 on day 1 of the month and the workday nearest to day 15 of the month, UTC'],
    ['0 0 ? * FRI#2', 'At 00:00 on the second Friday of the month, UTC'],
    ['0 0 * * 5L', 'At 00:00 on the last Friday of the month, UTC'],
    ['0 0 13 * 5', 'At 00:00 on day 13 of the month or on Friday, UTC'],
    ['0 0 */2 * 5', 'At 00:00 on days that match both */2 (of the month) and 5 (of the week), UTC'],
    ['@yearly', 'At 00:00 on day 1 of the month in January, UTC'],
    ['0 0 * 1,6-8 *', 'At 00:00 every day in January and June to August, UTC'],
    ['* * * 12 *', 'Every minute in December, UTC'],
  ])('%s: %s', (cron, words) => {
    expect(describeTiming(parseTiming({ cron }))).toBe(words)
  })

  it('names the zone', () => {
    const timing = parseTiming({ cron: '30 2 * * *', timezone: 'Europe/Berlin' })
    expect(describeTiming(timing)).toBe('At 02:30 every day, Europe/Berlin time')
  })

  it.each([
    [1, 'Every millisecond'],
    [1_500, 'Every 1500 milliseconds'],
    [90_000, 'Every 90 seconds'],
    [900_000, 'Every 15 minutes'],
    [3_600_000, 'Every hour'],
    [7 * 86_400_000, 'Every 7 days'],
  ])('an interval of %i ms: %s', (intervalMs, words) => {
    expect(describeTiming(parseTiming({ intervalMs }))).toBe(words)
  })

  it.each([
    [{ startAt: '2026-01-01T00:00Z' }, 'At 09:00 every day, UTC, from 2026-01-01'],
    [{ startAt: '2026-01-01T09:30Z' }, 'At 09:00 every day, UTC, from 2026-01-01 09:30'],
    [{ startAt: '2026-01-01T00:00:05Z' }, 'At 09:00 every day, UTC, from 2026-01-01 00:00:05'],
    [{ startAt: '2026-01-01T09:30:00.250Z' }, 'At 09:00 every day, UTC, from 2026-01-01 09:30:00.250'],
    [{ endAt: '2026-12-31T23:59:59.999Z' }, 'At 09:00 every day, UTC, until 2026-12-31'],
    [{ endAt: '2026-12-31T23:59:59Z' }, 'At 09:00 every day, UTC, until 2026-12-31'],
    [{ endAt: '2026-12-31T23:59Z' }, 'At 09:00 every day, UTC, until 2026-12-31 23:59'],
    [{ endAt: '2026-12-31T00:00Z' }, 'At 09:00 every day, UTC, until 2026-12-31 00:00'],
    [{ excludedDates: ['2026-12-26', '2026-12-25'] }, 'At 09:00 every day, UTC, but not on 2026-12-25 and 2026-12-26'],
    [
      { excludedDates: ['2026-12-31', '2027-01-01', '2027-01-02', '2027-05-01'] },
      'At 09:00 every day, UTC, but not on 2026-12-31 to 2027-01-02 and 2027-05-01',
    ],
  ])('says from when, until when, and when not: %o', ({ startAt, endAt, excludedDates }: SomeBounds, words) => {
    const bounds = { startAt: instantOf(startAt), endAt: instantOf(endAt), excludedDates: excludedDates ?? null }
    expect(describeTiming(parseTiming({ cron: '0 9 * * *', ...bounds }))).toBe(words)
  })

  it('says all of it by the clocks of the zone', () => {
    const timing = parseTiming({
      cron: '0 9 * * *',
      timezone: 'Europe/Berlin',
      startAt: Date.parse('2026-01-01T00:00+01:00'),
      endAt: Date.parse('2026-07-31T23:59:59+02:00'),
      excludedDates: ['2026-05-01'],
    })
    expect(describeTiming(timing)).toBe(
      'At 09:00 every day, Europe/Berlin time, from 2026-01-01 until 2026-07-31, but not on 2026-05-01',
    )
  })

  it('names the zone of dates, also where times need none', () => {
    const excludedDates = ['2026-12-25']
    const timing = { timezone: 'Europe/Berlin', excludedDates }
    const words = 'Every 15 minutes, Europe/Berlin time, but not on 2026-12-25'
    expect(describeTiming(parseTiming({ ...timing, intervalMs: 900_000 }))).toBe(words)
    expect(describeTiming(parseTiming({ ...timing, cron: '*/15 * * * *' }))).toBe(words)
  })

  it('counts excluded dates that would be too many to name', () => {
    const dates = Array.from({ length: 13 }, (_, i) => `2026-01-${String(2 * i + 1).padStart(2, '0')}`)
    const words = (count: number) => {
      return describeTiming(parseTiming({ cron: '@hourly', excludedDates: dates.slice(0, count) }))
    }
    expect(words(12)).toMatch(/^Every hour, UTC, but not on 2026-01-01, .* and 2026-01-23$/)
    expect(words(13)).toBe('Every hour, UTC, but not on 13 dates')
  })
})

interface SomeBounds {
  readonly startAt?: string
  readonly endAt?: string
  readonly excludedDates?: readonly string[]
}

function instantOf(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text)
}
