import { expect, it, onTestFinished } from 'vitest'
import { defineJob, defineShardedJob } from '../../src/index.ts'
import { createTestStint } from '../../src/testing/index.ts'

it('drains a job whose end the store refuses: it has failed, and says why', async () => {
  const wrong = defineJob('wrong', { run: (ctx) => ctx.later({ events: [{ eventType: '' }] }) })
  const kit = await createTestStint({ jobs: [wrong] })
  onTestFinished(() => kit.close())
  const job = await kit.stint.submit(wrong)
  await kit.drain()
  await expect(job.result({ timeoutMs: 1 })).rejects.toMatchObject({
    code: 'job_failed',
    message: /awaits\.events\[0\]/,
  })
})

it('drains a sharded job: its plan, every slice of every task, and what is made of them', async () => {
  const squares = defineShardedJob('squares', {
    plan: () => [1, 2, 3].map((number) => ({ number, left: number, sum: 0 })),
    slice: ({ state: { number, left, sum } }) => {
      if (left === 2 && sum === 0) throw new Error('once more')
      return { state: { number, left: left - 1, sum: sum + number }, done: left === 1 }
    },
    reduce: (tasks, { failed }) => ({
      sum: tasks.reduce((all, { state }) => all + state.sum, 0),
      failed: failed.length,
    }),
    tolerate: 1,
    retry: { maxAttempts: 2 },
    sliceRetry: { maxFailures: 3 },
  })
  const kit = await createTestStint({ jobs: [squares] })
  onTestFinished(() => kit.close())
  const job = await kit.stint.submit(squares)
  await kit.drain()
  // The task of 2 fails in all its slices and attempts, an hour of backoff long.
  await kit.advance(3_600_000)
  await kit.drain()
  expect(await job.result({ timeoutMs: 1 })).toEqual({ sum: 10, failed: 1 })
})

it('runs what is ready before time passes, so that what follows from it is due within that time', async () => {
  const flaky = defineJob('flaky', {
    run: ({ attempt }) => {
      if (attempt === 1) throw new Error('once more')
      return attempt
    },
  })
  const kit = await createTestStint({ jobs: [flaky] })
  onTestFinished(() => kit.close())
  const began = kit.clock.now()
  const job = await kit.stint.submit(flaky)
  await kit.advance(60_000)
  expect(await job.result({ timeoutMs: 1 })).toBe(2)
  const { items } = await kit.stint.runs.list({ job })
  const [first = 0, second = 0] = items.map(({ startedAt }) => (startedAt?.getTime() ?? 0) - began)
  expect(first).toBeLessThan(1_000)
  expect(second).toBeLessThan(10_000)
})
