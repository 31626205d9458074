import { describe, expect, it } from 'vitest'
import { runSeed, runSeeds } from './seeds.ts'
import { Sometimes } from './sometimes.ts'

/** A seed to look at alone, on both databases. */
const replayed = process.env['STINT_SEED']
/** What there must be in it: `shards` or `slots`. */
const wanted = process.env['STINT_WITH']

describe.skipIf(replayed === undefined)(`seed ${replayed}`, () => {
  it.each(['model', 'sqlite'] as const)('keeps every invariant on %s', async (on) => {
    const seed = Number(replayed)
    const { options, hash, steps, jobs } = await runSeed(seed, on, wanted === undefined ? {} : { [wanted]: true })
    console.info(JSON.stringify({ seed, on, hash, steps, jobs, options }))
  })
})

describe.skipIf(replayed !== undefined)('whole clusters', { timeout: 300_000 }, () => {
  const sometimes = new Sometimes()

  it('keep every invariant on the model', async () => {
    sometimes.merge(await runSeeds(1_000, 60, 'model'))
  })

  it('keep every invariant on SQLite', async () => {
    sometimes.merge(await runSeeds(1_500, 20, 'sqlite'))
  })

  it('meet every rare thing at least once', () => {
    expect(sometimes.missing()).toEqual([])
  })

  it('give the same on the model and on SQLite', async () => {
    for (const seed of [11, 12]) {
      const [model, sqlite] = [await runSeed(seed, 'model'), await runSeed(seed, 'sqlite')]
      expect([sqlite.hash, sqlite.steps]).toEqual([model.hash, model.steps])
    }
  })
})
