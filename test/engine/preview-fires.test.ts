import { describe, expect, it } from 'vitest'
import { previewFires, StintError } from '../../src/index.ts'

const from = '2026-03-07T12:00:00Z'

/** The code and the field that a call was refused for. */
function refusal(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    if (error instanceof StintError) return `${error.code} ${error.details['field']}`
    throw error
  }
  return 'accepted'
}

describe('previewFires', () => {
  it('gives the fires after a moment as ISO texts', () => {
    expect(previewFires({ cron: '30 2 * * *', timezone: 'America/New_York' }, { from, count: 2 })).toEqual([
      ...['2026-03-08T07:00:00.000Z', '2026-03-09T06:30:00.000Z'],
    ])
    expect(previewFires({ intervalMs: 60_000 }, { from, count: 1 })).toEqual(['2026-03-07T12:01:00.000Z'])
  })

  it('takes moments as dates, ISO texts and numbers', () => {
    const expected = ['2026-03-08T00:00:00.000Z']
    const forms = [
      from,
      new Date(from),
      Date.parse(from),
      '2026-03-07',
      '2026-03-07T14:00+02:00',
      '2026-03-07T12:00:00.123456Z',
    ]
    for (const form of forms) expect(previewFires({ cron: '@daily' }, { from: form, count: 1 })).toEqual(expected)
    const spec = { intervalMs: 86_400_000, startAt: new Date('2026-03-08T05:00Z'), endAt: '2026-03-10T04:00Z' }
    expect(previewFires(spec, { from })).toEqual(['2026-03-08T05:00:00.000Z', '2026-03-09T05:00:00.000Z'])
    expect(previewFires({ ...spec, anchor: 1, endAt: null }, { from, count: 1 })).toEqual(['2026-03-09T00:00:00.001Z'])
  })

  it('gives ten unless asked for more, from now on', () => {
    const before = Date.now()
    const fires = previewFires({ cron: '* * * * *' })
    expect(fires).toHaveLength(10)
    expect(Date.parse(fires[0] ?? '')).toBeGreaterThan(before)
    expect(previewFires({ cron: '* * * * *' }, { count: 1_000 })).toHaveLength(1_000)
  })

  it.each<[string, unknown, unknown]>([
    ['invalid_schedule timing', null, {}],
    ['invalid_schedule timing', '@daily', {}],
    ['invalid_schedule timing', {}, {}],
    ['invalid_schedule cron', { cron: '0 0 30 2 *' }, {}],
    ['invalid_schedule timezone', { cron: '@daily', timezone: 'Mars/Base' }, {}],
    ['invalid_schedule startAt', { cron: '@daily', startAt: 'tomorrow' }, {}],
    ['invalid_schedule startAt', { cron: '@daily', startAt: '2026-01-01T00:00' }, {}],
    ['invalid_schedule startAt', { cron: '@daily', startAt: '1960-01-01' }, {}],
    ['invalid_schedule endAt', { cron: '@daily', endAt: new Date(Number.NaN) }, {}],
    ['invalid_schedule endAt', { cron: '@daily', startAt: '2026-01-02', endAt: '2026-01-01' }, {}],
    ['invalid_schedule anchor', { intervalMs: 5, anchor: {} }, {}],
    ['invalid_argument from', { cron: '@daily' }, { from: '2026-02-30T00:00Z' }],
    ['invalid_argument from', { cron: '@daily' }, { from: '2026-02-01 00:00' }],
    ['invalid_argument from', { cron: '@daily' }, { from: 1.5 }],
    ['invalid_argument from', { cron: '@daily' }, { from: null }],
    ['invalid_argument count', { cron: '@daily' }, { count: 0 }],
    ['invalid_argument count', { cron: '@daily' }, { count: 1_001 }],
    ['invalid_argument count', { cron: '@daily' }, { count: '5' }],
    ['invalid_argument options', { cron: '@daily' }, null],
  ])('refuses with %s: %o, %o', (expected, spec, options) => {
    const call = previewFires as (spec: unknown, options: unknown) => unknown
    expect(refusal(() => call(spec, options))).toBe(expected)
  })
})
