import { expect, it } from 'vitest'
import { defineJob, JobName, StoppedError } from '../../src/index.ts'
import { counted, gate, onBothStores, startWorker, until, whenAborted } from '../support/stint.ts'

const cancelled = { code: 'job_cancelled' }

onBothStores('cancelling', (setup) => {
  it('ends at once what does not run: queued, delayed, in backoff, awaiting, and leaves what is over', async () => {
    const { stint } = await setup()
    const failing = defineJob('failing', {
      retry: { baseMs: 3_600_000 },
      run: () => {
        throw new Error('once')
      },
    })
    const waiting = defineJob('waiting', { run: (ctx) => ctx.later() })
    await startWorker(stint, { jobs: [failing, waiting] })
    const queued = await stint.submit('unknown')
    const delayed = await stint.submit('unknown', null, { scheduledFor: new Date(Date.now() + 3_600_000) })
    const backoff = await stint.submit(failing)
    const awaiting = await stint.submit(waiting)
    await until(
      () => stint.jobs.get(backoff.id),
      (job) => job?.state === 'error',
    )
    await until(
      () => stint.jobs.get(awaiting.id),
      (job) => job?.reason?.startsWith('awaits') === true,
    )
    for (const job of [queued, delayed, backoff, awaiting]) {
      expect(await stint.jobs.cancel(job.id, { reason: 'why' })).toMatchObject({ status: 'CANCELLED', state: 'final' })
      await expect(job.result()).rejects.toMatchObject(cancelled)
      const again = await stint.jobs.get(job.id)
      expect(await stint.jobs.cancel(job.id)).toEqual(again)
    }
    await expect(stint.jobs.cancel('/no/job', { branch: false })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('ends a pending job', async () => {
    const { stint } = await setup()
    const [started, open] = [gate(), gate()]
    const slow = defineJob('slow', {
      run: async () => {
        started.resolve()
        await open.promise
      },
    })
    await startWorker(stint, { jobs: [slow], cancelGraceMs: 60_000 })
    await stint.submit(slow, undefined, { name: '/a/b' })
    await started.promise
    const next = await stint.submit(slow, undefined, { name: '/a/b', onConflict: 'replace' })
    expect(next.reason).toContain('which it replaces')
    expect(await stint.jobs.cancel(next.id)).toMatchObject({ status: 'CANCELLED' })
    open.resolve()
  })

  it('tells a running handler, which can stop by itself', async () => {
    const { stint } = await setup()
    const started = gate()
    let reason: unknown
    const job = defineJob('job', {
      run: async ({ signal }) => {
        started.resolve()
        reason = await whenAborted(signal)
        signal.throwIfAborted()
      },
    })
    await startWorker(stint, { jobs: [job], cancelGraceMs: 60_000 })
    const submitted = await stint.submit(job)
    await started.promise
    await stint.jobs.cancel(submitted.id, { reason: 'enough' })
    await expect(submitted.result()).rejects.toMatchObject({ ...cancelled, message: /was cancelled: enough$/ })
    expect(reason).toBeInstanceOf(StoppedError)
    expect(reason).toMatchObject({ reason: 'cancelled' })
    expect(counted(stint, 'stint_attempts_abandoned')).toBe(0)
    expect((await stint.runs.list({ job: submitted.id })).items).toMatchObject([{ reason: 'cancelled' }])
  })

  it('reaches a handler in another process, and does not wait for one that ignores it', async () => {
    const { stint, open } = await setup()
    const started = gate()
    const job = defineJob('job', {
      run: () => {
        started.resolve()
        return new Promise(() => {})
      },
    })
    const worker = await startWorker(stint, { jobs: [job], cancelGraceMs: 20 })
    const submitted = await stint.submit(job)
    await started.promise
    const other = await open()
    await other.jobs.cancel(submitted.id)
    await expect(submitted.result()).rejects.toMatchObject(cancelled)
    await until(
      () => worker.heldCount,
      (held) => held === 0,
    )
  })

  it('lets a handler complete that finished all the same', async () => {
    const { stint } = await setup()
    const started = gate()
    const job = defineJob('job', {
      run: async ({ signal }) => {
        started.resolve()
        await whenAborted(signal)
        return 'done'
      },
    })
    await startWorker(stint, { jobs: [job], cancelGraceMs: 60_000 })
    const submitted = await stint.submit(job)
    await started.promise
    await stint.jobs.cancel(submitted.id)
    expect(await submitted.result()).toBe('done')
  })

  it('ends what was taken ahead and has not begun, without running it', async () => {
    const { stint } = await setup()
    const open = gate()
    const ran: unknown[] = []
    const job = defineJob('job', {
      run: async ({ params }) => {
        ran.push(params)
        if (params === 'long') await open.promise
      },
    })
    const short = Array.from({ length: 300 }, () => ({ job, params: 'short' }))
    await stint.submitMany(short)
    const long = await stint.submit(job, 'long')
    const behind = await stint.submit(job, 'behind')
    await startWorker(stint, { jobs: [job], concurrency: 1 })
    await until(
      () => ran.includes('long'),
      (isThere) => isThere,
    )
    await stint.jobs.cancel(behind.id)
    await expect(behind.result()).rejects.toMatchObject(cancelled)
    open.resolve()
    await long.result()
    expect(ran).not.toContain('behind')
  })

  it('takes the branch below the name with it, unless told not to', async () => {
    const { stint } = await setup()
    const names = ['/a/b', '/a/b/c', '/a/b/c/d', '/a/bc', '/a/x']
    const jobs = await Promise.all(names.map((name) => stint.submit('job', null, { name })))
    await stint.jobs.cancel('/a/b', { branch: false })
    const statuses = async () => (await Promise.all(jobs.map(({ id }) => stint.jobs.get(id)))).map((job) => job?.status)
    expect(await statuses()).toEqual(['CANCELLED', 'QUEUED', 'QUEUED', 'QUEUED', 'QUEUED'])
    await stint.jobs.cancel('/a/b')
    expect(await statuses()).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED', 'QUEUED', 'QUEUED'])
    // Below a name that no job has.
    expect(await stint.jobs.cancel('/a')).toBeNull()
    expect(new Set(await statuses())).toEqual(new Set(['CANCELLED']))
  })

  it('takes a branch by a JobName, too', async () => {
    const { stint } = await setup()
    const job = await stint.submit('job', null, { name: '/a/b/c' })
    expect(await stint.jobs.cancel(JobName.parse('/a/b'))).toBeNull()
    expect(await stint.jobs.get(job.id)).toMatchObject({ status: 'CANCELLED' })
  })
})
