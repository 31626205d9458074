import { describe, expect, it, onTestFinished } from 'vitest'
import { overriding } from '../../src/engine/observed-store.ts'
import { startServer } from '../../src/http/server.ts'
import { Dispatcher } from '../../src/http/webhooks/dispatcher.ts'
import { newSecret } from '../../src/http/webhooks/sign.ts'
import { defineJob, defineShardedJob, type Stint } from '../../src/index.ts'
import type { Store } from '../../src/store/store.ts'
import { newId } from '../support/fixture.ts'
import { setupHttp } from '../support/http.ts'
import { quickWebhooks, startReceiver } from '../support/receiver.ts'
import { onBothStores, setupStint, startWorker, until } from '../support/stint.ts'

const work = defineJob('work', { run: () => null })

/** On PostgreSQL the newest events are seen when all transactions that began before have ended, in whatever database. */
async function dispatched(dispatcher: Dispatcher, stint: Stint, wanted: number): Promise<readonly string[]> {
  await until(
    async () => {
      await dispatcher.round()
      return (await stint.jobs.list({ type: 'stint.webhook' })).items.length
    },
    (count) => count >= wanted,
  )
  return (await stint.jobs.list({ type: 'stint.webhook', limit: 1_000 })).items.map(({ name }) => name)
}

function createWebhook(store: Store, fields: object = {}) {
  const url = 'https://example.com/'
  return store.control('webhook.create', { id: newId(), url, scope: null, secret: newSecret(), ...fields })
}

onBothStores('the messages of webhooks', (setup) => {
  it('are made once though whoever makes them dies before the cursor is written', async () => {
    let isDead = true
    const dying = (store: Store) => {
      return overriding(store, {
        control: (name, input, options) => {
          if (name === 'webhook.advance' && isDead) return Promise.reject(new Error('dead'))
          return store.control(name, input, options)
        },
      })
    }
    const { stint, store } = await setup({ wrap: dying })
    const { id } = await createWebhook(store, { types: ['job.created'] })
    for (let i = 0; i < 3; i++) await stint.submit(work, null, { name: `/a/n${i}` })
    const dispatcher = new Dispatcher(stint, quickWebhooks)
    const round = () => dispatcher.round().then(String, ({ message }: Error) => message)
    await until(round, (result) => result === 'dead')
    await until(
      async () => [await round(), (await stint.jobs.list({ type: 'stint.webhook' })).items.length],
      ([, count]) => count === 3,
    )
    isDead = false
    await stint.submit(work, null, { name: '/a/last' })
    const names = await dispatched(dispatcher, stint, 4)
    expect(new Set(names).size).toBe(4)
    expect(names).toHaveLength(4)
    expect(names.every((name) => name.startsWith(`/~stint/webhooks/${id}/`))).toBe(true)
    // What was told is behind the cursor: nothing is looked at twice.
    const [active] = await store.control('webhook.active', {})
    const { entries } = await store.events({ after: active?.cursor ?? null, limit: 1_000 })
    expect(entries.filter(({ namespace }) => namespace !== '~stint')).toEqual([])
  })

  it('are each made once by two servers, each with its own', async () => {
    const { stint, open } = await setup()
    const receiver = await startReceiver()
    const servers = [stint, await open()].map((each) => startServer({ stint: each, port: 0, webhooks: quickWebhooks }))
    for (const server of servers) onTestFinished(async () => (await server).close())
    await Promise.all(servers)
    await createWebhook(stint.store, { url: receiver.url })
    await startWorker(stint, { jobs: [work] })
    const jobs = 12
    await Promise.all(Array.from({ length: jobs }, (_, i) => stint.submit(work, null, { name: `/a/n${i}` })))
    await receiver.count(jobs)
    await until(
      async () => (await stint.jobs.list({ type: 'stint.webhook', limit: 1_000 })).items,
      (items) => items.length >= jobs && items.every(({ outcome }) => outcome === 'COMPLETED'),
    )
    const names = receiver.received.map(({ json }) => json.data.job.name)
    expect([names.length, new Set(names).size]).toEqual([jobs, jobs])
  })
})

describe('the messages of webhooks', () => {
  it('wait for no other receiver: not for one that does not answer', async () => {
    const arrived: string[] = []
    const slow = await startReceiver(() => void arrived.push('slow'))
    const fast = await startReceiver((response) => {
      arrived.push('fast')
      response.end()
    })
    const { stint, store } = await setupHttp({ webhooks: quickWebhooks })
    await startWorker(stint, { jobs: [work] })
    for (const { url } of [slow, fast]) await createWebhook(store, { url })
    const jobs = 12
    await Promise.all(Array.from({ length: jobs }, (_, i) => stint.submit(work, null, { name: `/a/n${i}` })))
    await fast.count(jobs)
    // The one has all of its own; the other holds its four, and nothing else.
    expect(arrived.filter((name) => name === 'slow').length).toBeLessThanOrEqual(4)
    await slow.count(4)
    expect(slow.received).toHaveLength(4)
  })

  it('are of what happened since the webhook was made, and go on after a webhook that has come less far', async () => {
    const { stint, store } = await setupStint()
    const before = await stint.submit(work, null, { name: '/a/before' })
    const [a, b] = [
      await createWebhook(store, { types: ['*'] }),
      await createWebhook(store, { types: ['job.created'] }),
    ]
    await store.control('webhook.advance', { webhooks: [a.id], from: await cursorOf(store, a.id), to: '0' })
    await stint.submit(work, null, { name: '/a/after' })
    const dispatcher = new Dispatcher(stint, quickWebhooks)
    // The first that has come less far makes events of Stint's own, which the other has still to pass.
    for (let i = 0; i < 2; i++) expect(await dispatcher.round()).toBe(false)
    const { items } = await stint.jobs.list({ type: 'stint.webhook' })
    expect(items.map(({ name }) => name.split('/')[3]).sort()).toEqual([a.id, b.id].sort())
    expect(JSON.stringify(items)).not.toContain(before.id)
    expect(await cursorOf(store, a.id)).toBe(await cursorOf(store, b.id))
  })

  it('are not made of tasks, nor of what Stint does for itself', async () => {
    const { stint, store } = await setupStint()
    await createWebhook(store, { types: ['job.run.completed'] })
    const split = defineShardedJob('split', {
      plan: () => [1, 2],
      slice: ({ state }) => ({ state, done: true }),
      reduce: (tasks) => tasks.length,
    })
    await startWorker(stint, { jobs: [work, split] })
    const jobs = [
      await stint.submit(work, null, { name: '/~stint/own' }),
      await stint.submit(split, null, { name: '/a/split' }),
    ]
    for (const job of jobs) await job.result()
    const dispatcher = new Dispatcher(stint, quickWebhooks)
    for (let i = 0; i < 3; i++) await dispatcher.round()
    const { items } = await stint.jobs.list({ type: 'stint.webhook' })
    expect(items.map(({ params }) => JSON.parse((params as { body: string }).body).data.job)).toEqual([
      expect.objectContaining({ name: '/a/split', result: 2 }),
    ])
  })
})

async function cursorOf(store: Store, id: string): Promise<string> {
  const found = (await store.control('webhook.active', {})).find((webhook) => webhook.id === id)
  return found?.cursor ?? ''
}
