import { describe, expect, it } from 'vitest'
import { runSeeds } from '../simulation/seeds.ts'
import { Sometimes } from '../simulation/sometimes.ts'

describe('whole clusters, ten thousand seeds', () => {
  const sometimes = new Sometimes()

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('keep every invariant on the model, thousand %i', async (part) => {
    sometimes.merge(await runSeeds(part * 100_000, 1_000, 'model'))
  })

  it('keep every invariant on SQLite', async () => {
    sometimes.merge(await runSeeds(1_000_000, 1_000, 'sqlite'))
  })

  it.each(['shards', 'slots'] as const)('keep every invariant with %s', async (kind) => {
    await runSeeds(2_000_000, 1_000, 'model', { [kind]: true })
    await runSeeds(3_000_000, 200, 'sqlite', { [kind]: true })
  })

  it('meet every rare thing at least once', () => {
    expect(sometimes.missing()).toEqual([])
  })
})
