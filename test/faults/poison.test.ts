import { describe, it } from 'vitest'
import { postgresPlace, sqlitePlace } from '../support/faults/place.ts'
import { poisons, poisonWorker } from '../support/faults/poison-worker.ts'

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', () => postgresPlace()],
] as const)('a job that takes its worker with it, on %s', (_, makePlace) => {
  it('fails after its own attempts, and costs no other job one', async () => {
    // Each kind has a database of its own; most of the time goes by with waiting for leases to end.
    const poisoned = poisons.map(async (kind) => {
      await poisonWorker(await makePlace(), { kind, others: 50, maxAttempts: 1 })
    })
    await Promise.all(poisoned)
  })
})
