import { describe, expect, it } from 'vitest'
import { SimulationFailure } from './cluster.ts'
import { type Mutant, mutants } from './mutants.ts'
import { runSeed } from './seeds.ts'

const seedMax = 150

/** The invariant that a planted bug breaks first, and with which seed; null when it survives. */
async function caught({ plant, on = 'model', patch }: Mutant): Promise<{ invariant: string; seed: number } | null> {
  const undo = patch?.()
  try {
    for (let seed = 1; seed <= seedMax; seed++) await runSeed(seed, on, plant())
    return null
  } catch (error) {
    if (!(error instanceof SimulationFailure)) throw error
    return { invariant: error.invariant, seed: error.seed }
  } finally {
    undo?.()
  }
}

describe('a planted bug is caught:', { timeout: 300_000 }, () => {
  it.each(mutants)('$name', async (mutant) => {
    const found = await caught(mutant)
    expect(mutant.caughtBy).toContain(found?.invariant)
  })
})
