/** How to test jobs: a database in memory, a clock that stands still, and `drain` to run what is ready. */
import { createTestStint } from 'stint/testing'
import { expect, onTestFinished, test } from 'vitest'
import { charge, deliver, flaky, greet, hopeless } from './jobs.ts'

async function setup() {
  const kit = await createTestStint({ jobs: [greet, flaky, hopeless, charge, deliver] })
  onTestFinished(() => kit.close())
  return kit
}

test('a greeting', async () => {
  const { stint, drain } = await setup()
  const job = await stint.submit(greet, { who: 'Ada' })
  await drain()
  expect(await job.result()).toBe('Hello, Ada!')
})

test('a job that fails twice is tried a third time, and the waits cost nothing', async () => {
  const { stint, drain, advance } = await setup()
  const job = await stint.submit(flaky, { failTimes: 2 }, { name: '/test/flaky' })
  await drain()
  expect(await stint.jobs.get('/test/flaky')).toMatchObject({ status: 'QUEUED', attempt: 1 })
  await advance(60_000)
  expect(await job.result()).toBe('attempt 3 succeeded')
})

test('a hopeless job is not tried again', async () => {
  const { stint, drain } = await setup()
  const job = await stint.submit(hopeless)
  await drain()
  await expect(job.result()).rejects.toMatchObject({ code: 'job_failed', details: { attempt: 1 } })
})

test('a charge completes when the provider answers, and times out after three days', async () => {
  const { stint, drain, advance } = await setup()
  const answered = await stint.submit(charge, { cents: 100 }, { key: 'order-1' })
  const forgotten = await stint.submit(charge, { cents: 200 }, { key: 'order-2', maxAttempts: 1 })
  await drain()
  await stint.complete({ type: 'charge', key: 'order-1' }, { receipt: 'R-1' })
  expect(await answered.result()).toEqual({ receipt: 'R-1' })
  await advance(3 * 86_400_000)
  await expect(forgotten.result()).rejects.toMatchObject({ code: 'job_failed' })
})

test('a delivery counts parcels in any order, each once', async () => {
  const { stint, drain } = await setup()
  const job = await stint.submit(deliver, { order: 'A' })
  await drain()
  for (const id of ['parcel-2', 'parcel-2', 'parcel-1']) {
    await stint.events.append({ type: 'parcel.arrived', source: 'carrier', id, job: job.id })
  }
  expect(await job.result()).toBeNull()
})

test('a delayed job runs when its time has come', async () => {
  const { stint, clock, drain, advance } = await setup()
  const tomorrow = new Date(clock.now() + 86_400_000)
  const job = await stint.submit(greet, { who: 'tomorrow' }, { scheduledFor: tomorrow })
  await drain()
  expect((await stint.jobs.get(job.id))?.reason).toContain('is due at')
  await advance(86_400_000)
  expect(await job.result()).toBe('Hello, tomorrow!')
})
