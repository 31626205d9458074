import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { newPostgres, setupPostgres, submission, submitOne } from '../support/fixture.ts'
import { claimOf } from '../support/requests.ts'
import { completedJob, day, pruneAll } from '../support/retention.ts'
import { until } from '../support/stint.ts'

const hour = 3_600_000

async function connected(schema = 'public'): Promise<pg.Client> {
  const client = new pg.Client(inject('postgresUrl'))
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`set search_path = ${schema}`)
  return client
}

/** Whether somebody waits for the end of this transaction. */
async function isWaitedFor(client: pg.Client): Promise<boolean> {
  const waits = 'select from pg_locks where not granted and transactionid = pg_current_xact_id()::xid'
  return (await client.query(waits)).rows.length > 0
}

const isGone = async (store: Store, id: string) => (await store.find([{ id }]))[0] === null

describe('retention on PostgreSQL', () => {
  it('finds a job whose transaction committed after the walk had passed it', async () => {
    const { store } = await setupPostgres()
    const client = await connected()
    await client.query('begin')
    const late = submission({ name: '/r/late' })
    await store.submitWithin?.(client, [late])
    const now = await store.now()
    const old = await completedJob(store, { name: '/r/old' }, now)
    expect(await pruneAll(store, now + 31 * day)).toBe(1)
    expect(await isGone(store, old.job.id)).toBe(true)
    await client.query('commit')
    const [claimed] = await store.claim(claimOf({ now }))
    await store.complete(claimed === undefined ? [] : [{ job: claimed, result: null }], { now })
    expect(await pruneAll(store, now + 31 * day + hour)).toBe(0)
    expect(await pruneAll(store, now + 33 * day)).toBe(1)
    expect(await isGone(store, late.id)).toBe(true)
  })

  it('leaves a job alone that somebody is at, and waits for nobody', async () => {
    const { open, place } = newPostgres()
    const store = await open()
    const client = await connected(place.schema)
    const [held, free] = [await completedJob(store, {}, 0), await completedJob(store, {}, 0)]
    await client.query('begin')
    await client.query(`select from jobs where pk = ${held.guard.pk} for no key update`)
    expect(await pruneAll(store, 31 * day)).toBe(1)
    expect([await isGone(store, held.job.id), await isGone(store, free.job.id)]).toEqual([false, true])
    await client.query('commit')
    expect(await pruneAll(store, 31 * day + hour)).toBe(1)
  })

  it('follows a policy that is set while somebody begins the first walk by the policies before it', async () => {
    const { open, place } = newPostgres()
    const store = await open()
    const client = await connected(place.schema)
    const { job } = await completedJob(store, { name: '/r/old' }, 0)
    await client.query('begin')
    await client.query(`insert into walks (kind, front, shortest_ms) values (1, '0', ${30 * day})`)
    const setting = store.control('retention.set', { id: randomUUID(), path: '/r', policy: { jobsMs: 0 } })
    // It waits for the walk; if it does not, it has missed it by now.
    await Promise.race([setting, until(() => isWaitedFor(client), Boolean)])
    await client.query('commit')
    await setting
    expect(await pruneAll(store, day)).toBe(1)
    expect(await isGone(store, job.id)).toBe(true)
  })

  it('leaves a walk or a stretch to who is at it', async () => {
    const { open, place } = newPostgres()
    const store = await open()
    const client = await connected(place.schema)
    await completedJob(store, {}, 0)
    await submitOne(store, {}, 0)
    await pruneAll(store, 31 * day)
    await client.query('begin')
    await client.query('select from walks for update')
    await client.query('select from stretches for update')
    await completedJob(store, {}, 0)
    expect(await pruneAll(store, 300 * day)).toBe(0)
    await client.query('commit')
    expect(await pruneAll(store, 300 * day)).toBe(1)
  })
})
