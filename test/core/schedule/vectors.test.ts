import { describe, expect, it } from 'vitest'
import { firesBetween, previousFire } from '../../../src/core/schedule/fires.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import type { TimingSpec } from '../../../src/core/schedule/timing.ts'
import { at, countWithin, next, previous } from './times.ts'

const newYork = 'America/New_York'
const lordHowe = 'Australia/Lord_Howe'
const apia = 'Pacific/Apia'

/** Cases that other schedulers got wrong, and the bug where it was reported. */
const vectors: [string, TimingSpec, string, (string | null)[]][] = [
  [
    'a time in the gap fires once after it, and the next day as usual (node-cron#518)',
    { cron: '30 2 * * *', timezone: newYork },
    '2026-03-08T06:30Z',
    ['2026-03-08T07:00Z', '2026-03-09T06:30Z'],
  ],
  [
    'a time in the gap is skipped, if that is wanted',
    { cron: '30 2 * * *', timezone: newYork, gap: 'skip' },
    '2026-03-08T06:30Z',
    ['2026-03-09T06:30Z', '2026-03-10T06:30Z'],
  ],
  [
    'a time that comes twice fires at the first',
    { cron: '30 1 * * *', timezone: newYork },
    '2026-11-01T04:00Z',
    ['2026-11-01T05:30Z', '2026-11-02T06:30Z'],
  ],
  [
    'a time that comes twice fires at the second',
    { cron: '30 1 * * *', timezone: newYork, fold: 'second' },
    '2026-11-01T04:00Z',
    ['2026-11-01T06:30Z', '2026-11-02T06:30Z'],
  ],
  [
    'a time that comes twice fires at both',
    { cron: '30 1 * * *', timezone: newYork, fold: 'both' },
    '2026-11-01T04:00Z',
    ['2026-11-01T05:30Z', '2026-11-01T06:30Z', '2026-11-02T06:30Z'],
  ],
  [
    'after the first of two times comes the next day, though the local time comes again',
    { cron: '30 1 * * *', timezone: newYork },
    '2026-11-01T06:15Z',
    ['2026-11-02T06:30Z'],
  ],
  [
    'several times that come twice: all the first, then all the second',
    { cron: '10,50 1 * * *', timezone: newYork, fold: 'both' },
    '2026-11-01T05:00Z',
    ['2026-11-01T05:10Z', '2026-11-01T05:50Z', '2026-11-01T06:10Z', '2026-11-01T06:50Z'],
  ],
  [
    'midnight is absent in Havana',
    { cron: '0 0 * * *', timezone: 'America/Havana' },
    '2026-03-08T00:00Z',
    ['2026-03-08T05:00Z', '2026-03-09T04:00Z'],
  ],
  [
    'midnight is absent in Cairo',
    { cron: '0 0 * * *', timezone: 'Africa/Cairo' },
    '2026-04-23T12:00Z',
    ['2026-04-23T22:00Z', '2026-04-24T21:00Z'],
  ],
  [
    'midnight was absent in São Paulo',
    { cron: '0 0 4 11 *', timezone: 'America/Sao_Paulo' },
    '2018-01-01T00:00Z',
    ['2018-11-04T03:00Z', '2019-11-04T03:00Z'],
  ],
  [
    'a gap of half an hour',
    { cron: '15 2 * * *', timezone: lordHowe },
    '2026-10-03T00:00Z',
    ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
  ],
  [
    'half an hour that comes twice: the first',
    { cron: '45 1 * * *', timezone: lordHowe },
    '2026-04-04T12:00Z',
    ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
  ],
  [
    'half an hour that comes twice: the second',
    { cron: '45 1 * * *', timezone: lordHowe, fold: 'second' },
    '2026-04-04T12:00Z',
    ['2026-04-04T15:15Z', '2026-04-05T15:15Z'],
  ],
  [
    'a day that did not exist',
    { cron: '0 12 30 12 *', timezone: apia },
    '2011-01-01T00:00Z',
    ['2011-12-30T10:00Z', '2012-12-29T22:00Z'],
  ],
  [
    'a day that did not exist, skipped',
    { cron: '0 12 30 12 *', timezone: apia, gap: 'skip' },
    '2011-01-01T00:00Z',
    ['2012-12-29T22:00Z'],
  ],
  [
    'a weekly time right after a change of clocks (cronie#218)',
    { cron: '0 12 * * 0', timezone: 'Europe/Berlin' },
    '2022-03-24T11:00Z',
    ['2022-03-27T10:00Z', '2022-04-03T10:00Z'],
  ],
  ['eight years without a 29 February', { cron: '0 0 29 2 *' }, '2096-03-01T00:00Z', ['2104-02-29T00:00Z']],
  [
    'the date or the weekday',
    { cron: '0 0 13 * 5' },
    '2026-02-06T00:00Z',
    ['2026-02-13T00:00Z', '2026-02-20T00:00Z', '2026-02-27T00:00Z', '2026-03-06T00:00Z', '2026-03-13T00:00Z'],
  ],
  [
    'months with 31 days',
    { cron: '0 0 31 * *' },
    '2026-01-01T00:00Z',
    [1, 3, 5, 7, 8, 10, 12].map((month) => `2026-${String(month).padStart(2, '0')}-31T00:00Z`),
  ],
  [
    'hours that are not evenly spaced (kubernetes#117166)',
    { cron: '30 6-16/4 * * 1-5' },
    '2026-01-02T14:00Z',
    ['2026-01-02T14:30Z', '2026-01-05T06:30Z', '2026-01-05T10:30Z', '2026-01-05T14:30Z', '2026-01-06T06:30Z'],
  ],
  [
    'a gap at the end of a day leads to the next',
    { cron: '30 23 * * *', timezone: 'America/Nuuk' },
    '2024-03-30T12:00Z',
    ['2024-03-31T01:00Z', '2024-04-01T00:30Z'],
  ],
]

describe('the vectors', () => {
  it.each(vectors)('%s', (_, spec, from, fires) => {
    expect(next(spec, from, fires.length)).toEqual(fires)
  })

  it('half hours follow real time: 50 on the long day, 46 on the short one', () => {
    const spec: TimingSpec = { cron: '*/30 * * * *', timezone: newYork }
    expect(countWithin(spec, '2026-11-01T04:00Z', '2026-11-02T05:00Z')).toBe(50)
    expect(countWithin(spec, '2026-03-08T05:00Z', '2026-03-09T04:00Z')).toBe(46)
  })

  it('no policy changes what has a star in its hour', () => {
    const policies = [{ gap: 'skip', fold: 'both' }, { gap: 'shift', fold: 'second' }, {}] as const
    for (const policy of policies) {
      const spec: TimingSpec = { cron: '15 */2 * * *', timezone: newYork, ...policy }
      expect(next(spec, '2026-03-08T04:00Z', 3)).toEqual([
        '2026-03-08T05:15Z',
        '2026-03-08T08:15Z',
        '2026-03-08T10:15Z',
      ])
      const hourly: TimingSpec = { cron: '@hourly', timezone: newYork, ...policy }
      expect(countWithin(hourly, '2026-11-01T04:00Z', '2026-11-02T05:00Z')).toBe(25)
    }
  })

  it('all hours by their numbers are fixed hours, which fire once', () => {
    const spec: TimingSpec = { cron: '0 0-23 * * *', timezone: newYork }
    expect(countWithin(spec, '2026-11-01T04:00Z', '2026-11-02T05:00Z')).toBe(24)
    expect(countWithin(spec, '2026-03-08T05:00Z', '2026-03-09T04:00Z')).toBe(23)
  })

  it('times of one gap fire once together', () => {
    const spec: TimingSpec = { cron: '*/10 2,3 * * *', timezone: newYork }
    expect(next(spec, '2026-03-08T06:00Z', 2)).toEqual(['2026-03-08T07:00Z', '2026-03-08T07:10Z'])
  })

  it('looking back loses no day (cron-parser#378)', () => {
    const spec: TimingSpec = { cron: '0 2 * * *', timezone: newYork }
    expect(previous(spec, '2020-03-08T03:01-04:00')).toBe('2020-03-08T07:00Z')
    expect(previous(spec, '2020-03-08T06:59Z')).toBe('2020-03-07T07:00Z')
    expect(previous({ ...spec, gap: 'skip' }, '2020-03-08T03:01-04:00')).toBe('2020-03-07T07:00Z')
  })

  it('looking back over a time that comes twice', () => {
    const spec: TimingSpec = { cron: '30 1 * * *', timezone: newYork }
    expect(previous(spec, '2026-11-01T06:45Z')).toBe('2026-11-01T05:30Z')
    expect(previous({ ...spec, fold: 'second' }, '2026-11-01T06:15Z')).toBe('2026-10-31T05:30Z')
    expect(previous({ ...spec, fold: 'second' }, '2026-11-01T06:30Z')).toBe('2026-11-01T06:30Z')
    expect(previous({ ...spec, fold: 'both' }, '2026-11-01T06:15Z')).toBe('2026-11-01T05:30Z')
  })

  it('every second comes, also when clocks go back (croner#343, node-cron#492)', () => {
    const timing = parseTiming({ cron: '* * * * * *', timezone: 'Europe/Vienna' })
    const from = at('2025-10-25T23:30Z')
    const fires = firesBetween(timing, from, from + 2 * 3_600_000, 10_000)
    expect(fires).toEqual(Array.from({ length: 7_200 }, (_, i) => from + (i + 1) * 1_000))
  })

  it('after a year of downtime the latest minute is found from its end', () => {
    const timing = parseTiming({ cron: '* * * * *', timezone: newYork })
    expect(previousFire(timing, at('2027-05-05T10:20:30Z'))).toBe(at('2027-05-05T10:20Z'))
  })
})
