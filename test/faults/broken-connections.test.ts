import { afterAll, beforeAll, describe, it } from 'vitest'
import { endConnections, restartServer } from '../support/faults/break-connections.ts'
import { postgresPlace } from '../support/faults/place.ts'
import { type OwnPostgresServer, startOwnPostgres } from '../support/postgres-server.ts'

let server: OwnPostgresServer
beforeAll(async () => {
  server = await startOwnPostgres()
})
afterAll(() => server.stop())

describe('workers and submitters on PostgreSQL go on', () => {
  it('when the server restarts as after a crash, again and again', async () => {
    await restartServer(await postgresPlace(server.url), () => server.restart(), { restarts: 3 })
  })

  it('when all their connections are ended, again and again', async () => {
    await endConnections({ ends: 5 })
  })
})
