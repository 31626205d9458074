import { describe, it } from 'vitest'
import { postgresPlace, sqlitePlace } from '../support/faults/place.ts'
import { blockWorker, stopGracefully, suspendWorker } from '../support/faults/stop-workers.ts'

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', () => postgresPlace()],
] as const)('a worker on %s', (_, makePlace) => {
  it('that was suspended for too long writes nothing of its old life and begins a new one', async () => {
    await suspendWorker(await makePlace())
  })

  it('gives back what it holds when it is stopped, and nothing is charged', async () => {
    await stopGracefully(await makePlace(), { stops: 2 })
  })

  it('keeps its lease while a handler lets nothing else happen', async () => {
    await blockWorker(await makePlace(), { leaseMs: 2_000 })
  })
})
