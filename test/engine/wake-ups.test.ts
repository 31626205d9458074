import { expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { gate, onBothStores, startWorker, whenAborted } from '../support/stint.ts'

const echo = defineJob('echo', { run: ({ params }) => params })

// No worker here polls within the time of a test: what is not told does not happen.
onBothStores('wake-ups', (setup) => {
  it('a job that another process submits is picked up', async () => {
    const { stint, open } = await setup()
    await startWorker(stint, { jobs: [echo] })
    const other = await open()
    for (const params of [1, 2, 3]) expect(await (await other.submit(echo, params)).result()).toBe(params)
  })

  it('a job that is cancelled by another process is told to stop, and who waits for its result hears of it', async () => {
    const { stint, open } = await setup()
    const started = gate()
    const job = defineJob('job', {
      run: async ({ signal }) => {
        started.resolve()
        await whenAborted(signal)
        throw signal.reason
      },
    })
    await startWorker(stint, { jobs: [job], cancelGraceMs: 60_000 })
    const other = await open()
    const submitted = await other.submit(job)
    await started.promise
    await other.jobs.cancel(submitted.id)
    await expect(submitted.result()).rejects.toMatchObject({ code: 'job_cancelled' })
  })

  it('a job that replaces another runs when that has ended, in whichever worker', async () => {
    const { stint } = await setup()
    const started = gate()
    const slow = defineJob('slow', {
      run: async ({ signal }) => {
        started.resolve()
        await whenAborted(signal)
        throw signal.reason
      },
    })
    await startWorker(stint, { jobs: [echo] })
    await startWorker(stint, { jobs: [slow], cancelGraceMs: 60_000 })
    const old = await stint.submit(slow, undefined, { name: '/a/b' })
    await started.promise
    const next = await stint.submit(echo, 'new', { name: '/a/b', onConflict: 'replace' })
    expect(await next.result()).toBe('new')
    await expect(old.result()).rejects.toMatchObject({ code: 'job_cancelled' })
  })

  it('a job in backoff runs when it is due, though another worker has passed that instant', async () => {
    const { stint } = await setup()
    const flaky = defineJob('flaky', {
      retry: { baseMs: 60, factor: 1, maxAttempts: 10 },
      run: ({ attempt }) => {
        if (attempt < 5) throw new Error('x')
        return attempt
      },
    })
    await startWorker(stint, { jobs: [echo] })
    await startWorker(stint, { jobs: [flaky] })
    const jobs = await Promise.all(Array.from({ length: 5 }, () => stint.submit(flaky)))
    expect(await Promise.all(jobs.map((job) => job.result()))).toEqual([5, 5, 5, 5, 5])
  })
})
