import { beforeEach, describe, expect, it, type TestContext } from 'vitest'
import { ModelData } from '../simulation/model-data.ts'
import { ModelStore } from '../simulation/model-store.ts'
import { countRows } from '../simulation/model-tables.ts'
import { type Fixture, submission } from '../support/fixture.ts'
import { claimOf } from '../support/requests.ts'
import { concurrencyContract } from './concurrency.ts'
import { storeContract } from './store-contract.ts'

let current: TestContext

function setupModel(): Promise<Fixture> {
  const data = new ModelData()
  const open = () => Promise.resolve(new ModelStore(data))
  const raw = (sql: string) => {
    const rows = countRows(data, sql)
    if (rows !== null) return Promise.resolve(rows)
    // Only tests that plant something in the tables, or ask how they were made, may be left out; no other question.
    if (/^(update|insert|delete) |\bmigrations\b/.test(sql))
      current.skip('The model has no tables: nothing to plant in.')
    return Promise.reject(new Error(`The model cannot answer: ${sql}`))
  }
  return open().then((store) => ({ store, open, raw }))
}

/** Simulations compare with the model, so it must keep every promise that the real stores keep. */
describe('store contract: model', () => {
  beforeEach((context) => {
    current = context
  })

  storeContract(setupModel)
  concurrencyContract(setupModel)
})

describe('the model', () => {
  it('leaves everything as it was when a method throws in the middle', async () => {
    const data = new ModelData()
    const store = new ModelStore(data)
    const [kept, late] = [submission({ scheduledFor: 9_000 }), submission()]
    await store.submit([kept], { now: 1_000 })
    const failing = data.transact(async () => {
      data.counters.set('pk', 99)
      data.jobs.delete(1)
      data.ids.set(late.id, 2)
      await Promise.resolve()
      data.ids.delete(late.id)
      data.ready.set(1, true)
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    const [next] = await store.submit([late], { now: 1_000 })
    expect(next).toMatchObject({ outcome: 'created', stored: { guard: { pk: 2 } } })
    expect((await store.claim(claimOf({ now: 1_000 }))).map(({ job }) => job.id)).toEqual([late.id])
    expect((await store.find([{ id: kept.id }]))[0]?.job.phase).toBe('queued')
  })
})
