import { expect, it } from 'vitest'
import { overriding } from '../../../src/engine/observed-store.ts'
import { defineJob, StoppedError } from '../../../src/index.ts'
import type { Store, StoredJob } from '../../../src/store/store.ts'
import { gate, onBothStores, startWorker, until, whenAborted } from '../../support/stint.ts'

onBothStores('a worker that stops', (setup) => {
  it('lets what runs finish within the grace time, and takes nothing new', async () => {
    const { stint } = await setup()
    const [started, open] = [gate(), gate()]
    const slow = defineJob('slow', {
      run: async () => {
        started.resolve()
        await open.promise
        return 'finished'
      },
    })
    const worker = await startWorker(stint, { jobs: [slow], concurrency: 1 })
    const first = await stint.submit(slow)
    await started.promise
    const second = await stint.submit(slow)
    const stopped = worker.stop()
    expect(worker.stop()).toBe(stopped)
    open.resolve()
    await stopped
    expect(await first.result()).toBe('finished')
    expect(await stint.jobs.get(second.id)).toMatchObject({ status: 'QUEUED', attempt: 0 })
    expect((await stint.workers.list()).items).toEqual([])
    expect([worker.id, worker.heldCount]).toEqual([null, 0])
  })

  it('stops the rest after it, gives it back uncharged, and another runs it', async () => {
    const { stint, open } = await setup()
    const started = gate()
    const reasons: unknown[] = []
    const stubborn = defineJob('job', {
      run: async ({ signal, params }) => {
        started.resolve()
        reasons.push(await whenAborted(signal))
        if (params === 'obeys') throw signal.reason
        await new Promise(() => {})
      },
    })
    const worker = await startWorker(stint, { jobs: [stubborn], cancelGraceMs: 20 })
    const jobs = await Promise.all(['obeys', 'ignores'].map((params) => stint.submit(stubborn, params)))
    await started.promise
    await until(
      () => worker.heldCount,
      (held) => held === 2,
    )
    await worker.stop({ graceMs: 1 })
    expect(reasons.every((reason) => reason instanceof StoppedError && reason.reason === 'stopping')).toBe(true)
    for (const { id } of jobs) expect(await stint.jobs.get(id)).toMatchObject({ status: 'QUEUED', charged: 0 })
    await startWorker(await open(), { jobs: [defineJob('job', { run: ({ attempt }) => attempt })] })
    expect(await Promise.all(jobs.map((job) => job.result()))).toEqual([2, 2])
  })

  it('gives back what a claim that is under way brings', async () => {
    const claimed = gate<readonly StoredJob[]>()
    const open = gate()
    const wrap = (store: Store) =>
      overriding(store, {
        async claim(request) {
          const jobs = await store.claim(request)
          if (jobs.length === 0) return jobs
          claimed.resolve(jobs)
          await open.promise
          return jobs
        },
      })
    const { stint } = await setup({ wrap })
    const worker = await startWorker(stint, { jobs: [defineJob('job', { run: () => expect.unreachable() })] })
    const job = await stint.submit('job')
    await claimed.promise
    const stopped = worker.stop()
    // The answer comes when everything else of the stop is done.
    setTimeout(open.resolve, 100)
    await stopped
    expect(await stint.jobs.get(job.id)).toMatchObject({ status: 'QUEUED', charged: 0, attempt: 1 })
    expect((await stint.runs.list({ job: job.id })).items).toMatchObject([{ reason: 'released' }])
  })

  it('ends within its lease when the database is away', async () => {
    let isAway = false
    const wrap = (store: Store) =>
      new Proxy(store, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name, target)
          if (typeof method !== 'function') return method
          if (name === 'heartbeat') return undefined
          return (...args: unknown[]) => {
            const isUsed = name !== 'close' && name !== 'watch'
            return isAway && isUsed ? Promise.reject(new Error('connection lost')) : method.apply(target, args)
          }
        },
      })
    const { stint, open } = await setup({ wrap })
    const started = gate()
    const job = defineJob('job', {
      run: async ({ signal }) => {
        started.resolve()
        await whenAborted(signal)
      },
    })
    const worker = await startWorker(stint, { jobs: [job], leaseMs: 500 })
    const submitted = await stint.submit(job, undefined, { retry: { baseMs: 0 } })
    await started.promise
    isAway = true
    await worker.stop({ graceMs: 60_000 })
    isAway = false
    const other = await open()
    await startWorker(other, { jobs: [defineJob('job', { run: () => 'rescued' })], leaseMs: 5_000 })
    expect(await other.jobs.result(submitted.id)).toBe('rescued')
  })

  it('is stopped by closing its Stint, and is not started twice', async () => {
    const { stint } = await setup()
    const worker = await startWorker(stint, { jobs: [] })
    await expect(worker.start()).rejects.toMatchObject({ code: 'illegal_transition' })
    const unstarted = stint.worker({ jobs: [] })
    await stint.close()
    expect([worker.id, unstarted.id]).toEqual([null, null])
    await unstarted.start()
    expect(unstarted.id).toBeNull()
  })
})
