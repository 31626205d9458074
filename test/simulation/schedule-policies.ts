import { expect, it } from 'vitest'
import type { CatchUp, Overlap } from '../../src/core/schedule/schedule.ts'
import { runYears } from './schedule-years.ts'

const dayMs = 86_400_000

const timings = [
  { cron: '30 2 * * *', timezone: 'America/New_York' },
  { cron: '30 1 * * *', timezone: 'America/New_York', fold: 'both' },
  { cron: '15 2 * * *', timezone: 'Australia/Lord_Howe', gap: 'skip' },
  { cron: '0 0 * * 1', timezone: 'Africa/Cairo', fold: 'second' },
  { cron: '0 12 29 2 *', timezone: 'Pacific/Apia' },
  { cron: '45 6 L * *', timezone: 'Europe/Berlin' },
  { intervalMs: 37 * 3_600_000 },
] as const

const catchUps: readonly CatchUp[] = [
  { mode: 'none' },
  { mode: 'latest' },
  { mode: 'all', windowMs: 3_000 * dayMs, max: 1_000 },
]
const overlaps: readonly Overlap[] = ['allow', 'skip', 'queue-one', 'cancel-running']
const policies = catchUps.flatMap((catchUp) => overlaps.map((overlap) => ({ catchUp, overlap, mode: catchUp.mode })))

/** One job for each due instant, under every policy, with a crash between any two steps. */
export function schedulePolicies(years: number): void {
  it.each(policies)('catchUp $mode, overlap $overlap', async ({ catchUp, overlap }) => {
    const from = Date.UTC(2026, 0, 1)
    const told = await runYears({ seed: years, from, years, catchUp, overlap, timings, downtimeMs: 40 * dayMs })
    expect(told.crashes).toBeGreaterThan(50 * years)
    expect(told.fired).toEqual(told.expected)
  })
}
