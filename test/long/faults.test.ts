import { afterAll, beforeAll, describe, it } from 'vitest'
import { endConnections, restartServer } from '../support/faults/break-connections.ts'
import { killPipeline, killShards, killSubmitters, killWorkers } from '../support/faults/kill-workers.ts'
import { postgresPlace, sqlitePlace } from '../support/faults/place.ts'
import { poisons, poisonWorker } from '../support/faults/poison-worker.ts'
import { blockWorker, stopGracefully, suspendWorker } from '../support/faults/stop-workers.ts'
import { type OwnPostgresServer, startOwnPostgres } from '../support/postgres-server.ts'

/** The faults of `test/faults`, for longer. */
describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', () => postgresPlace()],
] as const)('faults on %s, for long', (_, makePlace) => {
  it('workers are killed', async () => {
    await killWorkers(await makePlace(), { jobs: 8_000, kills: 40 })
  })

  it('workers of a sharded job are killed', async () => {
    await killShards(await makePlace(), { shards: 200, slices: 20, kills: 30 })
  })

  it('workers of a pipeline are killed', async () => {
    await killPipeline(await makePlace(), { leaves: 2_000, kills: 30 })
  })

  it('submitters are killed', async () => {
    await killSubmitters(await makePlace(), { kills: 12 })
  })

  it('a worker is suspended', async () => {
    for (let i = 0; i < 10; i++) await suspendWorker(await makePlace())
  })

  it('workers are stopped', async () => {
    await stopGracefully(await makePlace(), { stops: 12 })
  })

  it('a handler lets nothing else happen', async () => {
    await blockWorker(await makePlace(), { leaseMs: 5_000 })
  })

  it.each(poisons)('a job takes its worker with it: %s', async (kind) => {
    await poisonWorker(await makePlace(), { kind, others: 300, maxAttempts: 5 })
  })
})

describe('broken connections to PostgreSQL, for long', () => {
  let server: OwnPostgresServer
  beforeAll(async () => {
    server = await startOwnPostgres()
  })
  afterAll(() => server.stop())

  it('the server restarts as after a crash', async () => {
    await restartServer(await postgresPlace(server.url), () => server.restart(), { restarts: 15 })
  })

  it('all connections are ended', async () => {
    await endConnections({ ends: 60 })
  })
})
