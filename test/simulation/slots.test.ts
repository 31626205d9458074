import { describe, expect, it } from 'vitest'
import { runSeeds } from './seeds.ts'
import { rareThingsOfSlots, Sometimes } from './sometimes.ts'

describe('clusters with slots', { timeout: 300_000 }, () => {
  const sometimes = new Sometimes()

  it('keep every invariant on the model', async () => {
    sometimes.merge(await runSeeds(1, 60, 'model', { slots: true }))
  })

  it('keep every invariant on SQLite', async () => {
    sometimes.merge(await runSeeds(1_001, 20, 'sqlite', { slots: true }))
  })

  it('meet every rare thing at least once', () => {
    expect(sometimes.missing(rareThingsOfSlots)).toEqual([])
  })
})
