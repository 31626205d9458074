import { describe, expect, it } from 'vitest'
import { setupPostgres, setupSqlite } from '../support/fixture.ts'
import { submitMany } from '../support/racing.ts'
import { claimOf } from '../support/requests.ts'

const [leaseMs, now] = [1_000, 1_700_000_000_000]

describe.each([
  ['SQLite', setupSqlite],
  ['PostgreSQL', setupPostgres],
] as const)('the row of a worker on %s', (_, setup) => {
  it('may be made twice, for when the answer was lost: its lease begins anew', async () => {
    const { store } = await setup()
    await store.register({ id: 'w1', name: 'test', leaseMs }, { now })
    await store.register({ id: 'w1', name: 'test', leaseMs }, { now: now + 500 })
    expect(await store.workers()).toMatchObject([{ id: 'w1', startedAt: now, leaseUntil: now + 1_500, lostAt: null }])
  })

  it('does not come to life again when it was found lost', async () => {
    const { store } = await setup()
    await store.register({ id: 'w1', name: 'test', leaseMs }, { now })
    expect(await store.buryLost({ now: now + 2_000 })).toEqual(['w1'])
    const again = store.register({ id: 'w1', name: 'test', leaseMs }, { now: now + 2_000 })
    await expect(again).rejects.toMatchObject({ code: 'id_taken' })
    expect(await store.workers()).toMatchObject([{ leaseUntil: now + 1_000, lostAt: now + 2_000 }])
  })

  it('stays while it holds jobs, so that none of them counts as its only one', async () => {
    const { store } = await setup()
    await submitMany(store, 2)
    await store.register({ id: 'w1', name: 'test', leaseMs })
    await store.claim(claimOf({ workerId: 'w1', limit: 2 }))
    await store.retire('w1')
    expect(await store.buryLost({ now: Date.now() + 60_000 })).toEqual(['w1'])
    await store.retire('w1')
    const { attempts } = await store.orphans({ after: null, limit: 10 })
    expect(attempts.map(({ alone }) => alone)).toEqual([false, false])
  })

  it('goes when its worker has stopped and holds nothing', async () => {
    const { store } = await setup()
    await store.register({ id: 'w1', name: 'test', leaseMs })
    await store.retire('w1')
    expect(await store.workers()).toEqual([])
  })
})
