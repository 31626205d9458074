import { expect, it } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { setupSqliteHere, submitOne } from '../support/fixture.ts'
import { claimOne } from '../support/requests.ts'

it('a completion that is there twice in one batch is one end', async () => {
  const { store } = await setupSqliteHere()
  await submitOne(store)
  const job = await claimOne(store)
  const ends = [1, 2].map((result) => ({ job, result: String(result) }))
  expect((await store.complete(ends)).done).toEqual([true, false])
  expect(await store.find([{ id: job.job.id }])).toMatchObject([{ result: '1' }])
  expect(await verify(store)).toEqual([])
})
