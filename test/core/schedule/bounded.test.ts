import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Cron, parseCron } from '../../../src/core/schedule/cron.ts'
import { nextFire, previousFire } from '../../../src/core/schedule/fires.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import { findLocal } from '../../../src/core/schedule/search.ts'
import { Zone, zoneOf } from '../../../src/core/schedule/zone.ts'
import { at, next, show } from './times.ts'

/** An expression that counts how often any of its fields is looked at. */
function counted(text: string): { cron: Cron; looks: () => number } {
  let looks = 0
  const cron = new Proxy(parseCron(text), {
    get(target, name, receiver) {
      looks++
      return Reflect.get(target, name, receiver)
    },
  })
  return { cron, looks: () => looks }
}

/** How often a moment is formatted, which is what costs time. */
function countFormats() {
  // Its type says that it is a method, but it is a getter.
  const prototype: { readonly format: unknown } = Intl.DateTimeFormat.prototype
  return vi.spyOn(prototype, 'format', 'get')
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a search has an end', () => {
  it.each([
    ['0 0 30 2 *', 10_000],
    ['0 0 31 2,4,6,9,11 *', 40_000],
    ['0 0 31W 2,4,6,9,11 *', 40_000],
    ['59 59 23 31 2,4,6,9,11 ?', 40_000],
  ])('%s never fires, which is found out in at most %i looks', (text, max) => {
    for (const direction of [1, -1] as const) {
      const { cron, looks } = counted(text)
      expect(findLocal(cron, new Set(), at('2026-01-01'), direction)).toBeNull()
      expect(looks()).toBeLessThan(max)
    }
  })

  it('a list as long as it may be is no work', () => {
    const list = Array.from({ length: 59 }, (_, i) => i).join()
    const text = `${list} ${'0-23,'.repeat(14)}0 * * *`
    expect(text.length).toBeGreaterThan(240)
    const { cron, looks } = counted(text)
    expect(findLocal(cron, new Set(), at('2026-01-01'), 1)).toBe(at('2026-01-01'))
    expect(looks()).toBeLessThan(50)
  })

  it('what is far away is not walked to', () => {
    for (const text of ['* * * * * *', '0 0 29 2 *', '0 0 1 1 *']) {
      const { cron, looks } = counted(text)
      expect(findLocal(cron, new Set(), at('2027-05-05T10:20:30.500Z'), -1)).not.toBeNull()
      expect(looks()).toBeLessThan(500)
    }
  })

  it('a thousand excluded dates are a thousand looks', () => {
    const dates = Array.from({ length: 1_000 }, (_, i) => {
      return new Date(at('2026-01-01') + i * 86_400_000).toISOString().slice(0, 10)
    })
    const daily = parseTiming({ cron: '@daily', excludedDates: dates })
    expect(show(nextFire(daily, at('2025-12-31T12:00Z')))).toBe('2028-09-27T00:00Z')
    const often = parseTiming({ intervalMs: 1, excludedDates: dates, timezone: 'Europe/Oslo' })
    const formats = countFormats()
    expect(show(nextFire(often, at('2026-01-01T12:00Z')))).toBe('2028-09-26T22:00Z')
    expect(previousFire(often, at('2028-09-26T12:00Z'))).toBe(at('2025-12-31T23:00Z') - 1)
    expect(formats.mock.calls.length).toBeLessThan(1_500)
  })

  it('a timing that was made of it has no fires', () => {
    const timing = { ...parseTiming({ cron: '@daily' }), cron: parseCron('0 0 30 2 *') }
    expect([nextFire(timing, at('2026-01-01')), previousFire(timing, at('2026-01-01'))]).toEqual([null, null])
  })

  it('what would always fall into a gap is given up', () => {
    const spec = { cron: '30 2 * 3 SUNL', timezone: 'Europe/Warsaw' }
    const timing = parseTiming({ ...spec, gap: 'skip' })
    const formats = countFormats()
    expect(nextFire(timing, at('2026-01-01'))).toBeNull()
    expect(formats.mock.calls.length).toBeLessThan(5_000)
    // Until 1987 clocks went from one to two there.
    expect(show(previousFire(timing, at('2026-01-01')))).toBe('1987-03-29T00:30Z')
    expect(next(spec, '2026-01-01')).toEqual(['2026-03-29T01:00Z'])
  })
})

describe('a zone', () => {
  it('is read once', () => {
    const timing = parseTiming({ cron: '30 2 * * *', timezone: 'Europe/Madrid' })
    const formats = countFormats()
    nextFire(timing, at('2026-03-27'))
    expect(formats.mock.calls.length).toBeLessThan(100)
    formats.mockClear()
    for (let hour = 0; hour < 24; hour++) nextFire(timing, at('2026-03-27') + hour * 3_600_000)
    expect(formats).not.toHaveBeenCalled()
  })

  it('is remembered, but not for ever', () => {
    const oslo = zoneOf('Europe/Oslo')
    expect(zoneOf('Europe/Oslo')).toBe(oslo)
    // Every way to write it is another name for the memory.
    const letters = 'singapore'
    for (let i = 0; i < 500; i++) {
      zoneOf([...letters].map((letter, at) => ((i >> at) & 1 ? letter.toUpperCase() : letter)).join(''))
    }
    expect(zoneOf('Europe/Oslo')).not.toBe(oslo)
  })

  it('remembers a hundred years of offsets, and reads them again after that', () => {
    const zone = new Zone('America/New_York')
    const summer = (year: number) => zone.offsetAt(Date.UTC(year, 6))
    for (let year = 1970; year < 2080; year++)
      for (let month = 0; month < 12; month++) zone.offsetAt(Date.UTC(year, month))
    expect([summer(1970), summer(2026), summer(2079)]).toEqual([-14_400_000, -14_400_000, -14_400_000])
  })

  it('tells all changes between two moments, and offsets with seconds', () => {
    const zone = new Zone('America/New_York')
    const [from, to] = [at('2026-03-08T07:00Z'), at('2026-11-01T06:00Z')]
    const [summer, winter] = [-4 * 3_600_000, -5 * 3_600_000]
    expect(zone.changesBetween(from - 1, to)).toEqual([
      { at: from, before: winter, after: summer },
      { at: to, before: summer, after: winter },
    ])
    expect(zone.changesBetween(from, to - 1)).toEqual([])
    expect(new Zone('Africa/Monrovia').offsetAt(0)).toBe(-2_670_000)
    expect(() => new Zone('Europe/Nowhere')).toThrow(RangeError)
  })

  it('a change at the first moment of a block is known to both', () => {
    const zone = new Zone('Europe/Berlin')
    for (let year = 1980; year < 2040; year++) {
      for (const { at: moment, before, after } of zone.changesBetween(Date.UTC(year, 0), Date.UTC(year + 1, 0))) {
        expect([zone.offsetAt(moment - 1), zone.offsetAt(moment)]).toEqual([before, after])
      }
    }
  })
})
