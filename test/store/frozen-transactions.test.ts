import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { applied, setupPostgres, submitOne } from '../support/fixture.ts'
import { freezingProxy } from '../support/freezing-proxy.ts'
import { claimOne, completion } from '../support/requests.ts'

/** Two stores on one database, of which the second has connections that can freeze. */
async function setup() {
  const { store, raw } = await setupPostgres()
  const [{ schema } = {}] = await raw('select current_schema() as schema')
  const { url, freezeAt } = await freezingProxy(inject('postgresUrl'))
  const freezing = await openPostgresStore({ url, schema: String(schema) })
  onTestFinished(() => freezing.close())
  return { store, freezing, freezeAt }
}

it('a worker that freezes in the middle of its heartbeat is found lost', async () => {
  const { store, freezing, freezeAt } = await setup()
  const worker = { workerId: 'w1', leaseMs: 1_000 }
  await freezing.register({ id: worker.workerId, name: 'test', leaseMs: worker.leaseMs })
  const frozen = freezeAt('heartbeat of')
  freezing.heartbeat?.(worker, () => {})
  await frozen
  const lost: string[] = []
  for (; lost.length === 0; await sleep(10)) lost.push(...(await store.buryLost()))
  expect(lost).toEqual(['w1'])
})

it('a process that freezes in the middle of a transaction does not hold up the rescue of its jobs for ever', async () => {
  const { store, freezing, freezeAt } = await setup()
  await submitOne(store)
  const claimed = await claimOne(freezing)
  const frozen = freezeAt('commit')
  const completed = freezing.apply([completion(claimed)]).catch((error: unknown) => error)
  await frozen
  const lose = { type: 'lose', token: 't1', random: 0, alone: false } as const
  const [result] = await store.apply([{ job: claimed.job.id, command: lose }])
  expect(applied(result).job).toMatchObject({ phase: 'queued', attempt: 1 })
  expect(await completed).toBeInstanceOf(Error)
})
