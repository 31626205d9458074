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
})
