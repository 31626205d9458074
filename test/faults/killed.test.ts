import { describe, it } from 'vitest'
import { killPipeline, killShards, killSubmitters, killWorkers } from '../support/faults/kill-workers.ts'
import { postgresPlace, sqlitePlace } from '../support/faults/place.ts'

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', () => postgresPlace()],
] as const)('processes that are killed, on %s', (_, makePlace) => {
  it('leave their jobs to others: every job ends once', async () => {
    await killWorkers(await makePlace(), { jobs: 500, kills: 4 })
  })

  it('leave a sharded job to others: every slice counts once', async () => {
    await killShards(await makePlace(), { shards: 40, slices: 8, kills: 4 })
  })

  it('leave a pipeline to others: every value arrives', async () => {
    await killPipeline(await makePlace(), { leaves: 60, kills: 4 })
  })

  it('lose nothing that they had submitted and were told', async () => {
    await killSubmitters(await makePlace(), { kills: 3 })
  })
})
