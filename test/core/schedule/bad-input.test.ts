import { describe, expect, it } from 'vitest'
import { StintError } from '../../../src/core/errors.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import type { TimingSpec } from '../../../src/core/schedule/timing.ts'
import { at } from './times.ts'

/** What a spec is refused for, as the field and the beginning of the rule. */
function refusal(spec: unknown): string {
  try {
    parseTiming(spec as TimingSpec)
  } catch (error) {
    if (!(error instanceof StintError)) throw error
    const { field, rule } = error.details
    expect(error.code).toBe('invalid_schedule')
    expect(error.message.startsWith(`${field} ${rule}; got `)).toBe(true)
    return `${field} ${rule}`
  }
  return 'accepted'
}

const fields = 'cron must have 5 fields, or 6 with seconds first, or be a name such as @daily'
const letters = 'cron must consist of letters, digits, spaces and * ? , - / # @'
const never = 'cron must match a day that exists; it never fires'
const minute = 'cron.minute must be from 0 to 59'
const date = 'cron.dayOfMonth must be from 1 to 31'
const weekday = 'cron.dayOfWeek must be from 0 to 7 or SUN to SAT'

describe('bad expressions', () => {
  it.each([
    ['', fields],
    ['   ', fields],
    ['* * * *', fields],
    ['* * * * * * *', fields],
    ['0 0 1 1 * 2030 *', fields],
    ['@reboot', fields],
    ['@', fields],
    ['@daily @daily', fields],
    ['0 0 * * *\n', letters],
    ['0 0 * * frı', letters],
    ['٣ 0 * * *', letters],
    ['1.5 * * * *', letters],
    ['0 0 * * * ; rm', letters],
    ['*'.repeat(257), 'cron must have at most 256 characters'],
    ['60 * * * *', minute],
    ['-1 * * * *', minute],
    ['1- * * * *', minute],
    ['1-2-3 * * * *', minute],
    ['a * * * *', minute],
    ['001 * * * *', minute],
    [', * * * *', minute],
    ['1, * * * *', minute],
    ['? * * * *', minute],
    ['** * * * *', minute],
    ['1#1 * * * *', minute],
    ['/5 * * * *', minute],
    ['@DAILY 0 * * *', minute],
    ['*/0 * * * *', 'cron.minute must have a step from 1 to 60'],
    ['*/ * * * *', 'cron.minute must have a step from 1 to 60'],
    ['*/90 * * * *', 'cron.minute must have a step from 1 to 60'],
    ['*/2/2 * * * *', 'cron.minute must have a step from 1 to 60'],
    ['*/x * * * *', 'cron.minute must have a step from 1 to 60'],
    ['30-10 * * * *', 'cron.minute must not have a range that runs backwards'],
    ['60 * * * * *', 'cron.second must be from 0 to 59'],
    ['0 24 * * *', 'cron.hour must be from 0 to 23'],
    ['0 22-2 * * *', 'cron.hour must not have a range that runs backwards'],
    ['0 ? * * *', 'cron.hour must be from 0 to 23'],
    ['0 */25 * * *', 'cron.hour must have a step from 1 to 24'],
    ['0 0 0 * *', date],
    ['0 0 32 * *', date],
    ['0 0 W * *', date],
    ['0 0 0W * *', date],
    ['0 0 1-5W * *', date],
    ['0 0 L-3 * *', date],
    ['0 0 WL * *', date],
    ['0 0 1,? * *', date],
    ['0 0 1 0 *', 'cron.month must be from 1 to 12 or JAN to DEC'],
    ['0 0 1 13 *', 'cron.month must be from 1 to 12 or JAN to DEC'],
    ['0 0 1 JANFEB *', 'cron.month must be from 1 to 12 or JAN to DEC'],
    ['0 0 1 JANUARY *', 'cron.month must be from 1 to 12 or JAN to DEC'],
    ['0 0 * * 8', weekday],
    ['0 0 * * L', weekday],
    ['0 0 * * #1', weekday],
    ['0 0 * * 8#1', weekday],
    ['0 0 * * XL', weekday],
    ['0 0 * * FRI-MON', 'cron.dayOfWeek must not have a range that runs backwards'],
    ['0 0 * * */8', 'cron.dayOfWeek must have a step from 1 to 7'],
    ['0 0 * * 1#0', 'cron.dayOfWeek must have a number from 1 to 5 after #'],
    ['0 0 * * 1#6', 'cron.dayOfWeek must have a number from 1 to 5 after #'],
    ['0 0 * * 1#', 'cron.dayOfWeek must have a number from 1 to 5 after #'],
    ['0 0 * * 1#2#3', 'cron.dayOfWeek must have a number from 1 to 5 after #'],
    ['0 0 30 2 *', never],
    ['0 0 31 2 *', never],
    ['0 0 31 4,6,9,11 ?', never],
    ['0 0 31W 2 *', never],
    [5, 'cron must be a text'],
    [['0 0 * * *'], 'cron must be a text'],
    [{}, 'cron must be a text'],
    [true, 'cron must be a text'],
  ])('%o: %s', (cron, rule) => {
    expect(refusal({ cron })).toBe(rule)
  })

  it('a date that does not exist is no harm beside a weekday', () => {
    expect(refusal({ cron: '0 0 30 2 MON' })).toBe('accepted')
  })
})

const instant = 'must be an instant from 1970 to 9999'
const interval = 'intervalMs must be a whole number from 1 to 315619200000 (ten years)'
const either = 'timing must have either cron or intervalMs, and not both'
const dates = 'excludedDates must be an array of at most 1000 dates'
const timezone = 'timezone must be a time zone of IANA, such as Europe/Berlin'
const exists = 'must be a date that exists, as YYYY-MM-DD'
const daily = { cron: '@daily' }

describe('bad timings', () => {
  it.each<[unknown, string]>([
    [undefined, 'timing must be an object'],
    [null, 'timing must be an object'],
    ['@daily', 'timing must be an object'],
    [{}, either],
    [[], either],
    [{ cron: null, intervalMs: null }, either],
    [{ cron: '@daily', intervalMs: 5 }, either],
    [{ intervalMs: 0 }, interval],
    [{ intervalMs: -5 }, interval],
    [{ intervalMs: 1.5 }, interval],
    [{ intervalMs: Number.NaN }, interval],
    [{ intervalMs: Number.POSITIVE_INFINITY }, interval],
    [{ intervalMs: '60000' }, interval],
    [{ intervalMs: 5n }, interval],
    [{ intervalMs: 3_653 * 86_400_000 + 1 }, interval],
    [{ ...daily, anchor: 5 }, 'anchor is only for an interval'],
    [{ intervalMs: 5, anchor: 0.5 }, `anchor ${instant}`],
    [{ ...daily, timezone: 'Europe/Nowhere' }, timezone],
    [{ ...daily, timezone: '' }, timezone],
    [{ ...daily, timezone: '+02:00' }, timezone],
    [{ ...daily, timezone: 'Europe/Berlin ' }, timezone],
    [{ ...daily, timezone: 'A'.repeat(10_000) }, timezone],
    [{ ...daily, timezone: 2 }, timezone],
    [{ ...daily, timezone: {} }, timezone],
    [{ ...daily, gap: 'jump' }, 'gap must be one of shift, skip'],
    [{ intervalMs: 5, gap: 'jump' }, 'gap must be one of shift, skip'],
    [{ ...daily, gap: 1 }, 'gap must be one of shift, skip'],
    [{ ...daily, fold: 'third' }, 'fold must be one of first, second, both'],
    [{ cron: '@hourly', fold: ['both'] }, 'fold must be one of first, second, both'],
    [{ ...daily, startAt: -1 }, `startAt ${instant}`],
    [{ ...daily, startAt: '2026-01-01' }, `startAt ${instant}`],
    [{ ...daily, startAt: new Date(0) }, `startAt ${instant}`],
    [{ ...daily, endAt: at('9999-12-31T23:59:59.999Z') + 1 }, `endAt ${instant}`],
    [{ ...daily, endAt: Number.NaN }, `endAt ${instant}`],
    [{ ...daily, startAt: 2, endAt: 1 }, 'endAt must not be before startAt'],
    [{ ...daily, startAt: 1, endAt: 2 }, 'endAt must leave a fire after startAt that is not excluded'],
    [{ intervalMs: 5, anchor: 0, startAt: 1, endAt: 4 }, 'endAt must leave a fire after startAt that is not excluded'],
    [
      { intervalMs: 5, endAt: at('1970-01-02') - 1, excludedDates: ['1970-01-01'] },
      'endAt must leave a fire after startAt that is not excluded',
    ],
    [{ ...daily, excludedDates: '2026-01-01' }, dates],
    [{ ...daily, excludedDates: Array(1_001).fill('2026-01-01') }, dates],
    [{ ...daily, excludedDates: ['2026-01-01', '2026-02-30'] }, `excludedDates[1] ${exists}`],
    [{ ...daily, excludedDates: ['2026-13-01'] }, `excludedDates[0] ${exists}`],
    [{ ...daily, excludedDates: ['26-01-01'] }, `excludedDates[0] ${exists}`],
    [{ ...daily, excludedDates: ['2026-01-01T00:00Z'] }, `excludedDates[0] ${exists}`],
    [{ ...daily, excludedDates: [new Date(0)] }, `excludedDates[0] ${exists}`],
    [{ ...daily, excludedDates: [null] }, `excludedDates[0] ${exists}`],
  ])('%o: %s', (spec, rule) => {
    expect(refusal(spec)).toBe(rule)
  })
})

describe('good timings', () => {
  it('have defaults', () => {
    const bounds = { timezone: 'UTC', startAt: 0, endAt: at('9999-12-31T23:59:59.999Z'), excludedDays: new Set() }
    expect(parseTiming({ intervalMs: 60_000 })).toEqual({ kind: 'interval', intervalMs: 60_000, anchor: 0, ...bounds })
    const nothing = {
      anchor: null,
      timezone: null,
      gap: null,
      fold: null,
      startAt: null,
      endAt: null,
      excludedDates: null,
    }
    expect(parseTiming({ cron: '@daily', intervalMs: null, ...nothing })).toMatchObject({
      ...{ kind: 'cron', cron: { text: '@daily' }, gap: 'shift', fold: 'first' },
      ...bounds,
    })
  })

  it('keep what is said', () => {
    const spec: TimingSpec = {
      cron: '@daily',
      timezone: 'Asia/Kolkata',
      gap: 'skip',
      fold: 'second',
      startAt: 5,
      endAt: at('2026-01-01'),
    }
    expect(parseTiming({ ...spec, excludedDates: ['1970-01-03', '2024-02-29'] })).toMatchObject({
      ...{ ...spec, cron: { text: '@daily' } },
      excludedDays: new Set([2, at('2024-02-29') / 86_400_000]),
    })
  })

  it('may end where they start, if that is a fire', () => {
    const spec = { cron: '@daily', startAt: at('2026-01-01'), endAt: at('2026-01-01') }
    expect(refusal(spec)).toBe('accepted')
  })

  it('zero has no sign', () => {
    expect(parseTiming({ intervalMs: 5, startAt: -0 }).startAt).toBe(0)
  })
})
