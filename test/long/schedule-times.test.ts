import fc from 'fast-check'
import { describe, it } from 'vitest'
import { anyCron } from '../core/schedule/cron-cases.ts'
import { expectEqualFires, type Scan, scan } from '../core/schedule/oracle.ts'
import { changes } from '../core/schedule/zones.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Two years around changes of clocks. */
const years: readonly (readonly [zone: string, year: number])[] = [
  ['America/New_York', 2025],
  ['Europe/Berlin', 2026],
  ['Australia/Lord_Howe', 2026],
  ['Pacific/Apia', 2011],
  ['America/Havana', 2026],
  ['Africa/Cairo', 2026],
  ['America/St_Johns', 2010],
  ['America/Sao_Paulo', 2018],
  ['America/Nuuk', 2023],
  ['Antarctica/Troll', 2026],
  ['Africa/Casablanca', 2026],
  ['Asia/Tehran', 2021],
  ['Asia/Gaza', 2026],
]

const policies = fc.record({ gap: fc.constantFrom('shift', 'skip'), fold: fc.constantFrom('first', 'second', 'both') })

/** Dates of a scan that may be excluded. */
function anyDates({ from, locals, stepMs }: Scan): fc.Arbitrary<readonly string[]> {
  const anyDate = fc
    .integer({ min: from, max: from + locals.length * stepMs })
    .map((instant) => new Date(instant).toISOString().slice(0, 10))
  return fc.oneof(fc.constant([]), fc.array(anyDate, { maxLength: 100 }))
}

/** Part of a scan, so that dense expressions do not take all the time. */
function part({ zone, from, stepMs, locals }: Scan, start: number, length: number): Scan {
  return { zone, from: from + start * stepMs, stepMs, locals: locals.subarray(start, start + length) }
}

describe('the times of schedules against a scan of two years', () => {
  it.each(years)('of minutes, %s from %i', (zone, year) => {
    const whole = scan(zone, Date.UTC(year, 0), Date.UTC(year + 2, 0), 60_000)
    const length = 60 * 24 * 60
    const anyPart = fc.nat(whole.locals.length - length).map((start) => part(whole, start, length))
    fc.assert(
      fc.property(anyCron(), anyPart, policies, anyDates(whole), (cron, scanned, policy, excludedDates) => {
        expectEqualFires(scanned, cron, { ...policy, excludedDates }, dayMs)
      }),
      { numRuns: 500 },
    )
    // Sparse expressions see both years as a whole.
    const sparse = anyCron().filter(({ text }) => /^\d+(,\d+)* \d+ /.test(text))
    fc.assert(
      fc.property(sparse, policies, anyDates(whole), (cron, policy, excludedDates) => {
        expectEqualFires(whole, cron, { ...policy, excludedDates }, dayMs)
      }),
      { numRuns: 50 },
    )
  })

  it.each(changes)('of seconds, %s around %s', (zone, day) => {
    const around = changeNear(scan(zone, Date.parse(day) - dayMs, Date.parse(day) + 2 * dayMs, 60_000))
    const scanned = scan(zone, around - 5 * hourMs, around + 5 * hourMs, 1_000)
    fc.assert(
      fc.property(anyCron(true), policies, (cron, policy) => {
        expectEqualFires(scanned, cron, { ...policy, excludedDates: [] }, 2.5 * hourMs)
      }),
      { numRuns: 200 },
    )
  })
})

/** The moment within a scan at which clocks are changed, or its middle if they are not. */
function changeNear({ from, stepMs, locals }: Scan): number {
  const found = locals.findIndex((local, i) => i > 0 && local - (locals[i - 1] ?? 0) !== stepMs)
  return from + (found < 0 ? locals.length / 2 : found) * stepMs
}
