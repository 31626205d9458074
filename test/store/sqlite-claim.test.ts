import { expect, it } from 'vitest'
import { setupSqlite, submission, submitOne } from '../support/fixture.ts'
import { claimOf } from '../support/requests.ts'

it.each([
  ['of all', {}],
  ['of a namespace', { paths: ['/test'] }],
  ['of jobs by name', { paths: ['/test/job-0-x', '/test/job-1-x', '/test/job-2-x', '/test/job-3-x', '/test/job-4-x'] }],
  ['in turns', { fairness: { after: null } }],
])('a claim %s passes over rows that cannot be read, and takes those behind them', async (_, kind) => {
  const { store, raw } = await setupSqlite()
  for (let i = 0; i < 5; i++) await submitOne(store, submission({ name: `/test/job-${i}-x` }))
  await raw(`update jobs set detail = '{' where name in ('/test/job-0-x', '/test/job-2-x')`)
  const names = async (limit: number) => (await store.claim(claimOf({ limit, ...kind }))).map(({ job }) => job.name)
  expect(await names(1)).toEqual(['/test/job-1-x'])
  expect(await names(10)).toEqual(['/test/job-3-x', '/test/job-4-x'])
  expect(await names(10)).toEqual([])
  await raw('update jobs set detail = null')
  expect(await names(10)).toEqual(['/test/job-0-x', '/test/job-2-x'])
})
