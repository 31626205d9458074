import { describe, expect, it } from 'vitest'
import { newPostgres, newSqlite, submission } from '../support/fixture.ts'
import { openStores } from '../support/racing.ts'
import { claimOf } from '../support/requests.ts'

const indexes = {
  SQLite: `select 1 from sqlite_schema where name = 'ready_namespace'`,
  PostgreSQL: `select 1 from pg_indexes where schemaname = current_schema() and indexname = 'ready_namespace'`,
} as const

describe.each([
  ['SQLite', newSqlite],
  ['PostgreSQL', newPostgres],
] as const)('the index for claims of branches and in turns on %s', (name, make) => {
  it('is made by the first claim that needs it, and not before', async () => {
    const { open, raw } = make()
    const store = await open()
    await store.submit([1, 2, 3, 4].map((i) => submission({ name: `/a/j-${i}` })))
    await store.register({ id: 'w9', name: 'nine', leaseMs: 1_000, paths: ['/a'] })
    expect(await store.claim(claimOf({ limit: 1 }))).toHaveLength(1)
    expect(await raw(indexes[name])).toEqual([])
    const stores = await openStores({ store, open, raw }, 3)
    const claims = [{ paths: ['/a'] }, { fairness: { after: null } }, { paths: ['/a'], fairness: { after: 'a' } }]
    const claimed = await Promise.all(
      claims.map((kind, i) => stores[i]?.claim(claimOf({ ...kind, limit: 1, token: `t${i}` }))),
    )
    expect(claimed.flat().map((each) => each?.job.attempt)).toEqual([1, 1, 1])
    expect(await raw(indexes[name])).toHaveLength(1)
    await store.submit([submission({ name: '/a/last' })])
    expect(await store.claim(claimOf({ paths: ['/a'], token: 'last' }))).toHaveLength(1)
  })
})
