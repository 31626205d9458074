import { expect, it } from 'vitest'
import { setupSqliteHere } from '../support/fixture.ts'
import { claimOf } from '../support/requests.ts'

it('somebody who calls again and again leaves others a turn of the event loop', async () => {
  const { store } = await setupSqliteHere()
  let turns = 0
  setImmediate(() => {
    turns += 1
  })
  // Where there is none, only the end of this loop is one.
  for (let calls = 0; turns === 0; calls++) {
    expect(calls).toBeLessThan(1_000)
    await store.claim(claimOf({ token: `t${calls}` }))
  }
})
