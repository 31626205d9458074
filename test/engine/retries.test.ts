import { expect, it } from 'vitest'
import { defineJob, TerminalError } from '../../src/index.ts'
import { onBothStores, startWorker } from '../support/stint.ts'

onBothStores('retries', (setup) => {
  it('tries again after the backoff, and completes', async () => {
    const { stint } = await setup()
    const flaky = defineJob('flaky', {
      retry: { baseMs: 40, factor: 1 },
      run: ({ attempt }) => {
        if (attempt < 4) throw new Error(`attempt ${attempt}`)
        return attempt
      },
    })
    await startWorker(stint, { jobs: [flaky] })
    const job = await stint.submit(flaky)
    expect(await job.result()).toBe(4)
    const { items } = await stint.runs.list({ job: job.id })
    expect(items.map(({ attempt, status, error }) => [attempt, status, error])).toEqual([
      [1, 'FAILED', 'attempt 1'],
      [2, 'FAILED', 'attempt 2'],
      [3, 'FAILED', 'attempt 3'],
      [4, 'COMPLETED', null],
    ])
    expect(await stint.jobs.get(job.id)).toMatchObject({ charged: 3, attempt: 4, error: null })
  })

  it('gives up after so many attempts, or at once when trying again is of no use', async () => {
    const { stint } = await setup()
    let runs = 0
    const run = ({ params }: { params: string }) => {
      runs += 1
      throw params === 'terminal' ? new TerminalError('never') : new Error('again')
    }
    const failing = defineJob('failing', { retry: { baseMs: 0 }, run })
    await startWorker(stint, { jobs: [failing] })
    const three = await stint.submit(failing, 'plain', { maxAttempts: 3 })
    await expect(three.result()).rejects.toMatchObject({ code: 'job_failed', details: { attempt: 3, error: 'again' } })
    expect(runs).toBe(3)
    const once = await stint.submit(failing, 'terminal')
    await expect(once.result()).rejects.toMatchObject({ code: 'job_failed', details: { attempt: 1, error: 'never' } })
    expect(runs).toBe(4)
  })

  it('snoozes when the handler asks for it, returned or thrown, and charges nothing', async () => {
    const { stint } = await setup()
    const patient = defineJob('patient', {
      run: (ctx) => {
        if (ctx.attempt === 1) return ctx.retryIn(20)
        if (ctx.attempt === 2) throw ctx.retryIn(0)
        return 'done'
      },
    })
    await startWorker(stint, { jobs: [patient] })
    const job = await stint.submit(patient, undefined, { maxAttempts: 1 })
    expect(await job.result()).toBe('done')
    expect(await stint.jobs.get(job.id)).toMatchObject({ attempt: 3, charged: 0 })
    const { items } = await stint.runs.list({ job: job.id })
    expect(items.map(({ reason }) => reason)).toEqual(['snoozed', 'snoozed', null])
  })

  it('says what is wrong with a time to snooze', async () => {
    const { stint } = await setup()
    const wrong = defineJob('wrong', { run: (ctx) => ctx.retryIn(ctx.params as number) })
    await startWorker(stint, { jobs: [wrong] })
    for (const ms of [-1, 1e300]) {
      const job = await stint.submit(wrong, ms)
      await expect(job.result()).rejects.toMatchObject({ code: 'job_failed', details: { attempt: 1 } })
    }
  })

  it('runs a delayed job when it is due, and not before', async () => {
    const { stint } = await setup()
    const now = defineJob('now', { run: () => Date.now() })
    await startWorker(stint, { jobs: [now] })
    const due = new Date(Date.now() + 150)
    const job = await stint.submit(now, undefined, { scheduledFor: due })
    expect(await job.result()).toBeGreaterThanOrEqual(due.getTime())
  })

  it('runs every one of many delayed jobs without another look for work', async () => {
    const { stint } = await setup()
    const now = defineJob('now', { run: () => Date.now() })
    await startWorker(stint, { jobs: [now] })
    const start = Date.now()
    const items = Array.from({ length: 100 }, (_, i) => {
      return { job: now, options: { scheduledFor: new Date(start + 100 + 3 * i) } }
    })
    const jobs = (await stint.submitMany(items)).map((each) => (each.status === 'fulfilled' ? each.value : null))
    const late = await Promise.all(jobs.map((job) => job?.result()))
    expect(late).toHaveLength(100)
  })
})
