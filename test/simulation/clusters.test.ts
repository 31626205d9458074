import { describe, it } from 'vitest'
import { runSeeds } from './seeds.ts'

/** As in simulation.test.ts, from other seeds: too long for every run. `npm run test:simulation` has them. */
describe('more whole clusters', { timeout: 300_000 }, () => {
  it('keep every invariant on the model', async () => {
    await runSeeds(2_000, 60, 'model')
  })

  it('keep every invariant on SQLite', async () => {
    await runSeeds(2_500, 20, 'sqlite')
  })
})
