import { describe, expect, it } from 'vitest'
import { runSeed } from './seeds.ts'
import { rareThingsOfSlots, Sometimes } from './sometimes.ts'

describe('clusters with slots', { timeout: 300_000 }, () => {
  const sometimes = new Sometimes()
  const run = async (first: number, count: number, on: 'model' | 'sqlite') => {
    for (let seed = first; seed < first + count; seed++)
      sometimes.merge((await runSeed(seed, on, { slots: true })).sometimes)
  }

  it('keep every invariant on the model', () => run(1, 60, 'model'))

  it('keep every invariant on SQLite', () => run(1_001, 20, 'sqlite'))

  it('meet every rare thing at least once', () => {
    expect(sometimes.missing(rareThingsOfSlots)).toEqual([])
  })
})
