import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/engine/clock.ts'
import { clocked } from '../../src/engine/clocked-store.ts'
import { createStint, defineJob } from '../../src/index.ts'
import { setupSqlite } from '../support/fixture.ts'
import { startWorker } from '../support/stint.ts'

describe('a clock that is held', () => {
  it('holds the heartbeat, too: no thread renews leases by another time', async () => {
    const { store } = await setupSqlite()
    const held = clocked(store, { now: () => 5 })
    expect([typeof store.heartbeat, typeof held.heartbeat]).toEqual(['function', 'undefined'])
    expect(await held.now()).toBe(5)
  })

  it('is the time of all that happens', async () => {
    const clock = { ...systemClock, now: () => 1_000_000 }
    const stint = await createStint({ url: 'sqlite::memory:', clock })
    onTestFinished(() => stint.close())
    const job = defineJob('job', { run: () => 'ran' })
    await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job)
    expect(await submitted.result()).toBe('ran')
    const { items } = await stint.events.list()
    expect(new Set(items.map(({ occurredAt }) => occurredAt))).toEqual(new Set([1_000_000]))
  })
})
