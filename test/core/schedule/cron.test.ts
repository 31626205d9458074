import { describe, expect, it } from 'vitest'
import { parseCron } from '../../../src/core/schedule/cron.ts'
import { next } from './times.ts'

const days = (cron: string, from: string, count: number) => {
  return next({ cron: `0 0 ${cron}` }, from, count).map((fire) => fire?.slice(0, 10))
}

describe('the syntax of cron', () => {
  it.each([
    ['5', [5]],
    ['5,1,5', [1, 5]],
    ['1-4', [1, 2, 3, 4]],
    ['*/20', [0, 20, 40]],
    ['10-30/10', [10, 20, 30]],
    ['10-35/10', [10, 20, 30]],
    ['50/5', [50, 55]],
    ['*/60', [0]],
    ['58-59,*/30', [0, 30, 58, 59]],
    ['007'.slice(1), [7]],
  ])('minutes %s', (text, values) => {
    expect(parseCron(`${text} * * * *`).minute.values).toEqual(values)
  })

  it.each([
    ['JAN', [1]],
    ['jan-mar,DEC', [1, 2, 3, 12]],
    ['*/4', [1, 5, 9]],
  ])('months %s', (text, values) => {
    expect(parseCron(`0 0 1 ${text} *`).month.values).toEqual(values)
  })

  it.each([
    ['0', [0]],
    ['7', [0]],
    ['SUN,Sat', [0, 6]],
    ['MON-FRI', [1, 2, 3, 4, 5]],
    ['5-7', [0, 5, 6]],
    ['SAT-SUN', [0, 6]],
    ['MON-SUN', [0, 1, 2, 3, 4, 5, 6]],
    ['0-7', [0, 1, 2, 3, 4, 5, 6]],
    ['7-2', [0, 1, 2]],
    ['7-7', [0]],
    ['7-0', [0]],
    ['SUN-SUN', [0]],
    ['*/2', [0, 2, 4, 6]],
    ['1/2', [1, 3, 5]],
    ['7/3', [0, 3, 6]],
  ])('weekdays %s', (text, values) => {
    expect(parseCron(`0 0 * * ${text}`).dayOfWeek.items).toEqual([{ kind: 'weekdays', values }])
  })

  it('six fields have the seconds first', () => {
    const { second, minute, hour } = parseCron('10,40 30 2 * * *')
    expect([second.values, minute.values, hour.values]).toEqual([[10, 40], [30], [2]])
    expect(parseCron('30 2 * * *').second.values).toEqual([0])
  })

  it('spaces and tabs may be many, and case does not matter', () => {
    expect(parseCron('  0\t0  1   jan  Mon ')).toMatchObject({
      text: '0\t0  1   jan  Mon',
      month: { values: [1] },
      dayOfWeek: { items: [{ kind: 'weekdays', values: [1] }] },
    })
  })

  it.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * 0'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@Hourly', '0 * * * *'],
  ])('%s is %s', (name, cron) => {
    expect(parseCron(name)).toEqual({ ...parseCron(cron), text: name })
  })

  it('a question mark is a star for days', () => {
    expect(days('? * MON', '2026-01-01', 2)).toEqual(['2026-01-05', '2026-01-12'])
    expect(days('13 * ?', '2026-01-01', 2)).toEqual(['2026-01-13', '2026-02-13'])
    expect(days('? * ?', '2026-01-01', 2)).toEqual(['2026-01-02', '2026-01-03'])
  })
})

describe('days', () => {
  it('L is the last of the month', () => {
    expect(days('L * *', '2024-01-31', 3)).toEqual(['2024-02-29', '2024-03-31', '2024-04-30'])
  })

  it('LW is the last workday of the month', () => {
    // The last of January 2026 is a Saturday, the last of May a Sunday.
    expect(days('LW * *', '2026-01-01', 5)).toEqual([
      '2026-01-30',
      '2026-02-27',
      '2026-03-31',
      '2026-04-30',
      '2026-05-29',
    ])
  })

  it('W is the nearest workday, within the month', () => {
    // The 15th of August 2026 is a Saturday, the 15th of November a Sunday.
    expect(days('15W 8,9,11 *', '2026-08-01', 3)).toEqual(['2026-08-14', '2026-09-15', '2026-11-16'])
    // A Saturday at the beginning goes to Monday the 3rd, a Sunday at the end to Friday.
    expect(days('1W 8 *', '2026-01-01', 1)).toEqual(['2026-08-03'])
    expect(days('31W 5 *', '2026-01-01', 1)).toEqual(['2026-05-29'])
    expect(days('1W 2 *', '2026-01-01', 1)).toEqual(['2026-02-02'])
  })

  it('W of a date that a month does not have is nothing', () => {
    expect(days('31W 4,5 *', '2026-04-01', 2)).toEqual(['2026-05-29', '2027-05-31'])
  })

  it('# is the n-th of a weekday', () => {
    expect(days('* * FRI#2', '2026-01-01', 3)).toEqual(['2026-01-09', '2026-02-13', '2026-03-13'])
    expect(days('* * 7#5', '2026-01-01', 2)).toEqual(['2026-03-29', '2026-05-31'])
  })

  it('a weekday with L is the last of it', () => {
    expect(days('* * 5L', '2026-01-01', 3)).toEqual(['2026-01-30', '2026-02-27', '2026-03-27'])
    expect(days('* * sunL', '2026-05-01', 1)).toEqual(['2026-05-31'])
  })

  it('lists take all kinds together', () => {
    expect(days('1,15W,L 2 *', '2026-01-01', 3)).toEqual(['2026-02-01', '2026-02-16', '2026-02-28'])
    expect(days('* 2 MON#1,WED,FRIL', '2026-02-01', 6)).toEqual([
      ...['2026-02-02', '2026-02-04', '2026-02-11', '2026-02-18', '2026-02-25', '2026-02-27'],
    ])
  })

  it('two restricted fields match by either, one with a star only by both', () => {
    expect(days('L * MON#1', '2026-01-01', 4)).toEqual(['2026-01-05', '2026-01-31', '2026-02-02', '2026-02-28'])
    // Odd dates that are Mondays.
    expect(days('*/2 * MON', '2026-01-01', 3)).toEqual(['2026-01-05', '2026-01-19', '2026-02-09'])
    expect(days('1-7 * */6', '2026-01-01', 3)).toEqual(['2026-01-03', '2026-01-04', '2026-02-01'])
  })

  it('a 29 February on a certain weekday can be forty years away', () => {
    expect(days('29 2 */7', '2032-03-01', 3)).toEqual(['2060-02-29', '2088-02-29', '2128-02-29'])
  })
})
