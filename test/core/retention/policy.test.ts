import { describe, expect, it } from 'vitest'
import { builtInRetention, keptUntil, retentionBelow, shortestMs } from '../../../src/core/retention/policy.ts'

describe('a retention policy', () => {
  it('is what the nearest path says, field by field, and what is built in where none says anything', () => {
    expect(retentionBelow([])).toEqual(builtInRetention)
    expect(builtInRetention).toEqual({ jobsMs: 2_592_000_000, runsMs: null, eventsMs: null })
    const above = { jobsMs: 1, runsMs: 2 }
    expect(retentionBelow([above, { runsMs: null, eventsMs: 3 }, {}])).toEqual({ jobsMs: 1, runsMs: null, eventsMs: 3 })
  })

  it('has a shortest time over all paths, if any of them lets something go', () => {
    expect(shortestMs([{ jobsMs: 9 }, { jobsMs: null }, { runsMs: 3 }], 'jobsMs')).toBe(9)
    expect(shortestMs([{ jobsMs: null }], 'jobsMs')).toBe(builtInRetention.jobsMs)
    expect(shortestMs([{ eventsMs: 0 }, { eventsMs: 5 }], 'eventsMs')).toBe(0)
    expect(shortestMs([{ jobsMs: 1 }, { eventsMs: null }], 'eventsMs')).toBeNull()
  })

  it('keeps for a time, or for ever', () => {
    expect([keptUntil(100, 5), keptUntil(100, 0), keptUntil(100, null)]).toEqual([105, 100, null])
  })
})
