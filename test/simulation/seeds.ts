import { openSqliteStoreHere } from '../../src/store/sqlite/sqlite-store.ts'
import { type Planted, type SimulationReport, simulate } from './cluster.ts'
import { ModelStore } from './model-store.ts'
import { Sometimes } from './sometimes.ts'

export type Database = 'model' | 'sqlite'

/** One whole run on a database of its own. */
export async function runSeed(seed: number, on: Database, planted?: Planted): Promise<SimulationReport> {
  const store = on === 'model' ? new ModelStore() : await openSqliteStoreHere({ file: ':memory:' })
  try {
    return await simulate(seed, store, planted)
  } finally {
    await store.close()
  }
}

/** Runs seeds one after the other. The first that fails says everything. One of a hundred is run twice. */
export async function runSeeds(first: number, count: number, on: Database, planted?: Planted): Promise<Sometimes> {
  const sometimes = new Sometimes()
  for (let seed = first; seed < first + count; seed++) {
    const report = await runSeed(seed, on, planted)
    sometimes.merge(report.sometimes)
    if (seed % 100 !== 0) continue
    const again = await runSeed(seed, on, planted)
    if (again.hash !== report.hash || again.steps !== report.steps) {
      throw new Error(
        `Seed ${seed} gave ${report.hash} after ${report.steps} steps, then ${again.hash}, ${again.steps}.`,
      )
    }
  }
  return sometimes
}
