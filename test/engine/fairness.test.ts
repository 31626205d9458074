import { expect, it } from 'vitest'
import { systemClock } from '../../src/engine/clock.ts'
import { defineJob } from '../../src/index.ts'
import { gate, onBothStores, startWorker, until } from '../support/stint.ts'

onBothStores('fairness', (setup) => {
  it('a worker that is bound to branches runs their jobs and no others, and those say why they wait', async () => {
    const { stint, open } = await setup()
    const ran: string[] = []
    const job = defineJob('job', { run: ({ name }) => void ran.push(name) })
    await startWorker(stint, { jobs: [job], paths: ['/reports', '/tenant/a', '/reports/daily'] })
    const elsewhere = await stint.submit(job, null, { name: '/tenant/b' })
    const names = ['/reports/daily', '/tenant/a/x', '/reports']
    const handles = await Promise.all(names.map((name) => stint.submit(job, null, { name })))
    await Promise.all(handles.map((handle) => handle.result()))
    expect(ran.toSorted()).toEqual(names.toSorted())
    expect((await stint.jobs.get(elsewhere.id))?.reason).toBe(
      'no worker for this path: all that know the type job are bound elsewhere',
    )
    expect((await stint.workers.list()).items.map(({ paths }) => paths)).toEqual([['/reports', '/tenant/a']])
    const busy = gate()
    await startWorker(await open(), { jobs: [defineJob('job', { run: () => busy.promise })], concurrency: 1 })
    await until(
      () => stint.jobs.get(elsewhere.id),
      (view) => view?.status === 'RUNNING',
    )
    const next = await stint.submit(job, null, { name: '/tenant/c' })
    expect((await stint.jobs.get(next.id))?.reason).toBe('ready: waits for a free worker')
    busy.resolve()
    await Promise.all([elsewhere.result(), next.result()])
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('a bound worker that is alone runs what becomes due, and what is tried again', async () => {
    const { stint } = await setup()
    const job = defineJob('job', {
      retry: { baseMs: 0 },
      run: ({ attempt }) => {
        if (attempt === 1) throw new Error('boom')
        return attempt
      },
    })
    await startWorker(stint, { jobs: [job], paths: ['/a'], fairness: 'namespace' })
    const handle = await stint.submit(job, null, { name: '/a/late', scheduledFor: new Date(Date.now() + 50) })
    expect(await handle.result()).toBe(2)
  })

  it('a thousand jobs of one namespace do not delay the first of another', async () => {
    const { stint } = await setup()
    const ran: string[] = []
    const started = gate()
    const job = defineJob('job', {
      run: async ({ name }) => {
        ran.push(name)
        if (ran.length === 20) started.resolve()
        await new Promise((resolve) => setImmediate(resolve))
      },
    })
    const many = Array.from({ length: 1_000 }, (_, i) => ({ job, options: { name: `/big/j${i}`, priority: 9 } }))
    await stint.submitMany(many)
    await startWorker(stint, { jobs: [job], concurrency: 1, prefetchMax: 0, fairness: 'namespace' })
    await started.promise
    const first = await stint.submit(job, null, { name: '/small/first' })
    const before = ran.length
    await first.result()
    // The one that runs, and one whose claim was on its way.
    expect(ran.indexOf('/small/first') - before).toBeLessThanOrEqual(2)
    expect(ran.length).toBeLessThan(1_000)
  })

  it('jobs begin in turns, whatever one claim brings and whatever waits in the worker', async () => {
    // Nothing waits for so long that it is given back, and the more have ended, the more may wait.
    const { stint } = await setup({ clock: { ...systemClock, monotonic: () => 0 } })
    const ran: string[] = []
    const job = defineJob('job', {
      run: async ({ name }) => {
        ran.push(name)
        await new Promise((resolve) => setTimeout(resolve, 2))
      },
    })
    const of = (namespace: string, count: number, priority: number) => {
      return Array.from({ length: count }, (_, i) => ({ job, options: { name: `/${namespace}/j${i}`, priority } }))
    }
    const settled = await stint.submitMany([...of('c', 60, 5), ...of('a', 40, 0), ...of('b', 50, -5)])
    await startWorker(stint, { jobs: [job], concurrency: 1, fairness: 'namespace' })
    await Promise.all(settled.map((each) => (each.status === 'fulfilled' ? each.value.result() : null)))
    const counts = { a: 40, b: 50, c: 60 }
    const expected = Array.from({ length: 60 }, (_, i) => {
      return Object.entries(counts).flatMap(([name, count]) => (i < count ? [`/${name}/j${i}`] : []))
    })
    expect(ran).toEqual(expected.flat())
  })

  it('options that make no sense are refused, with the field and the rule', async () => {
    const { stint } = await setup()
    const jobs = [defineJob('job', { run: () => null })]
    const refused = (options: object, field: string) => {
      expect(() => stint.worker({ jobs, ...options })).toThrow(
        expect.objectContaining({ code: 'invalid_argument', details: expect.objectContaining({ field }) }),
      )
    }
    refused({ paths: [] }, 'paths')
    refused({ paths: '/a' }, 'paths')
    refused({ paths: ['/a', 5] }, 'paths[1]')
    refused({ fairness: 'type' }, 'fairness')
    expect(() => stint.worker({ jobs, paths: ['reports'] })).toThrow(expect.objectContaining({ code: 'invalid_name' }))
  })
})
