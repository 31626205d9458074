import { expect, it } from 'vitest'
import { defineJob, type JobHandle } from '../../src/index.ts'
import { gate, onBothStores, startWorker, until, whenAborted } from '../support/stint.ts'

const echo = defineJob('echo', { run: ({ params }) => params })

onBothStores('children', (setup) => {
  it('stand below the job that submits them, unless their name is absolute', async () => {
    const { stint } = await setup()
    const parent = defineJob('parent', {
      run: async (ctx) => {
        const made = await ctx.submit(echo, 1)
        const named = await ctx.submit('echo', 2, { name: 'a/b' })
        const absolute = await ctx.submit('echo', 3, { name: '/elsewhere/c' })
        const results = await Promise.all([made, named, absolute].map((child) => child.result()))
        return { runId: ctx.runId, names: [made.name, named.name, absolute.name], results }
      },
    })
    await startWorker(stint, { jobs: [parent, echo] })
    const job = await stint.submit(parent, undefined, { name: '/test/top' })
    const { runId, names, results } = await job.result()
    expect(results).toEqual([1, 2, 3])
    expect(names[0]).toMatch(/^\/test\/top\/echo-[0-9a-z]+$/)
    expect(names.slice(1)).toEqual(['/test/top/a/b', '/elsewhere/c'])
    for (const name of names) expect(await stint.jobs.get(name)).toMatchObject({ submittedBy: runId })
  })

  it('of a failed attempt are cancelled, and the next attempt begins after their end', async () => {
    const { stint } = await setup()
    const [started, open] = [gate(), gate()]
    const order: string[] = []
    const child = defineJob('child', {
      run: async ({ signal }) => {
        started.resolve()
        await whenAborted(signal)
        await open.promise
        order.push('child ended')
        signal.throwIfAborted()
      },
    })
    const parent = defineJob('parent', {
      retry: { baseMs: 0 },
      run: async (ctx) => {
        if (ctx.attempt > 1) return void order.push(`attempt ${ctx.attempt}`)
        await ctx.submit('child', null, { name: 'running' })
        await ctx.submit('unknown', null, { name: 'queued' })
        await started.promise
        throw new Error('first')
      },
    })
    // In another worker: nothing that ends there wakes the one that waits for its parent, but its end.
    await startWorker(stint, { jobs: [child], cancelGraceMs: 60_000 })
    await startWorker(stint, { jobs: [parent] })
    const job = await stint.submit(parent, undefined, { name: '/a/b' })
    await until(
      () => stint.jobs.get('/a/b/queued'),
      (found) => found?.status === 'CANCELLED',
    )
    const waiting = await stint.jobs.get(job.id)
    expect(waiting?.reason).toBe('waits for the end of the jobs that attempt 1 submitted')
    open.resolve()
    await job.result()
    expect(order).toEqual(['child ended', 'attempt 2'])
    expect(await stint.jobs.get('/a/b/running')).toMatchObject({ status: 'CANCELLED' })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('are not begun by a job that is to stop, nor by an attempt that is over', async () => {
    const { stint } = await setup()
    const started = gate()
    const refused = gate<unknown>()
    let leak: (() => Promise<JobHandle>) | undefined
    const parent = defineJob('parent', {
      run: async (ctx) => {
        if (ctx.params === 'leak') {
          leak = () => ctx.submit('child')
          return
        }
        started.resolve()
        await whenAborted(ctx.signal)
        refused.resolve(await ctx.submit('child').catch((error: unknown) => error))
      },
    })
    await startWorker(stint, { jobs: [parent], cancelGraceMs: 60_000 })
    const job = await stint.submit(parent)
    await started.promise
    await stint.jobs.cancel(job.id)
    expect(await refused.promise).toMatchObject({ reason: 'cancelled' })
    await (await stint.submit(parent, 'leak')).result()
    await expect(leak?.()).rejects.toMatchObject({ code: 'stale_token' })
    expect((await stint.jobs.list({ type: 'child' })).items).toEqual([])
  })

  it('and their parent are cancelled together', async () => {
    const { stint } = await setup()
    const started = gate()
    const child = defineJob('child', {
      run: ({ signal }) => {
        started.resolve()
        return whenAborted(signal).then((reason) => Promise.reject(reason))
      },
    })
    const parent = defineJob('parent', {
      run: async (ctx) => {
        const handle = await ctx.submit(child, undefined, { name: 'c' })
        return await handle.result({ signal: ctx.signal })
      },
    })
    await startWorker(stint, { jobs: [parent, child] })
    const job = await stint.submit(parent, undefined, { name: '/a/b' })
    await started.promise
    await stint.jobs.cancel(job.id)
    await expect(job.result()).rejects.toMatchObject({ code: 'job_cancelled' })
    await expect(stint.jobs.result('/a/b/c')).rejects.toMatchObject({ code: 'job_cancelled' })
  })
})
