import { expect, it } from 'vitest'
import { defineJob, StoppedError } from '../../src/index.ts'
import { gate, onBothStores, type StintFixture, startWorker, whenAborted } from '../support/stint.ts'

/** So far away that no test reaches it by waiting, however slow the machine is. */
const deadlineAt = new Date(4e12)

/** Time passes behind the store's back. */
async function reachDeadlines(raw: StintFixture['raw']): Promise<void> {
  await raw('update jobs set deadline_at = 1 where deadline_at is not null')
  await raw('update deadlines set at = 1')
}

onBothStores('time', (setup) => {
  it('ends an attempt that takes too long; the next may do better', async () => {
    const { stint } = await setup()
    let reason: unknown
    const job = defineJob('job', {
      timeoutMs: 1_000,
      retry: { baseMs: 0 },
      run: async ({ signal, attempt }) => {
        if (attempt > 1) return 'later'
        reason = await whenAborted(signal)
        throw reason
      },
    })
    await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job)
    expect(await submitted.result()).toBe('later')
    expect(reason).toBeInstanceOf(StoppedError)
    expect(reason).toMatchObject({ reason: 'timeout' })
    const { items } = await stint.runs.list({ job: submitted.id })
    expect(items[0]).toMatchObject({ reason: 'timeout', error: 'Attempt 1 ran out of time.' })
  })

  it('ends the whole job at its deadline, whether it runs or has not started', async () => {
    const { stint, raw } = await setup()
    const started = gate()
    const job = defineJob('job', {
      run: ({ signal }) => {
        started.resolve()
        return whenAborted(signal)
      },
    })
    await startWorker(stint, { jobs: [job] })
    const running = await stint.submit(job, undefined, { deadlineAt })
    const unstarted = await stint.submit('unknown', null, { deadlineAt })
    await started.promise
    await reachDeadlines(raw)
    await expect(running.result()).rejects.toMatchObject({ code: 'job_failed', message: /The job ran out of time/ })
    await expect(unstarted.result()).rejects.toMatchObject({ code: 'job_skipped', details: { error: 'deadline' } })
  })

  it('skips a job that has not started before it expires', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [] })
    const job = await stint.submit('unknown', null, { expiresAt: new Date(Date.now() + 30) })
    await expect(job.result()).rejects.toMatchObject({ code: 'job_skipped' })
    expect(await stint.jobs.get(job.id)).toMatchObject({ outcome: 'SKIPPED', error: 'expired', attempt: 0 })
    expect((await stint.runs.list({ job: job.id })).items).toMatchObject([{ attempt: 0, status: 'SKIPPED' }])
  })

  it('submits the job for the failure, which is told what has failed', async () => {
    const { stint } = await setup()
    const told = gate<unknown>()
    const cleanUp = defineJob('clean-up', { run: ({ params }) => told.resolve(params) })
    // It waits in another worker of the same process, which nothing but the failure can wake.
    await startWorker(stint, { jobs: [cleanUp] })
    const failing = defineJob('failing', {
      retry: { maxAttempts: 1 },
      run: () => {
        throw new Error('broken')
      },
    })
    await startWorker(stint, { jobs: [failing] })
    const onFailure = { type: 'clean-up', name: 'cleaning', params: { deep: true } }
    const job = await stint.submit(failing, undefined, { name: '/shop/job', onFailure })
    await expect(job.result()).rejects.toMatchObject({ code: 'job_failed' })
    expect(await told.promise).toMatchObject({ deep: true, failed: { name: '/shop/job', error: 'broken' } })
    expect(await stint.jobs.get('/shop/cleaning')).toMatchObject({ type: 'clean-up' })
  })

  it('submits the job for the failure also after a deadline', async () => {
    const { stint, raw } = await setup()
    const told = gate<unknown>()
    await startWorker(stint, { jobs: [defineJob('clean-up', { run: ({ params }) => told.resolve(params) })] })
    const started = gate()
    const slow = defineJob('slow', {
      run: ({ signal }) => {
        started.resolve()
        return whenAborted(signal)
      },
    })
    await startWorker(stint, { jobs: [slow] })
    await stint.submit(slow, undefined, { deadlineAt, onFailure: 'clean-up' })
    await started.promise
    await reachDeadlines(raw)
    expect(await told.promise).toMatchObject({ failed: { error: 'The job ran out of time.' } })
  })
})
