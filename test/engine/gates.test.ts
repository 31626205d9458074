import { expect, it } from 'vitest'
import { defineJob, type JobView } from '../../src/index.ts'
import { gate, onBothStores, startWorker, until } from '../support/stint.ts'

onBothStores('gates', (setup) => {
  it('a limit is kept by all workers, and everything behind it runs in the end', async () => {
    const { stint, open } = await setup()
    const other = await open()
    let [running, most] = [0, 0]
    const job = defineJob('job', {
      limits: [{ key: 'gpu', concurrency: 2 }],
      run: async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running -= 1
      },
    })
    await startWorker(stint, { jobs: [job], concurrency: 10 })
    await startWorker(other, { jobs: [job], concurrency: 10 })
    const handles = await Promise.all(Array.from({ length: 30 }, () => stint.submit(job)))
    await Promise.all(handles.map((handle) => handle.result()))
    expect(most).toBe(2)
    expect(await stint.limits.get('gpu')).toMatchObject({ key: 'gpu', concurrency: 2, held: 0, waiting: 0 })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('a job says why it is not running', async () => {
    const { stint } = await setup()
    const { promise, resolve: open } = gate()
    const job = defineJob('job', { run: () => promise })
    const reasonOf = async ({ id }: Pick<JobView, 'id'>) => (await stint.jobs.get(id))?.reason
    const stranger = await stint.submit('stranger')
    expect(await reasonOf(stranger)).toBe('no worker knows the type stranger')
    await startWorker(stint, { jobs: [job], concurrency: 2, pollMs: 20 })
    const holder = await stint.submit(job, null, { name: '/t/holder', limits: [{ key: 'gpu', concurrency: 1 }] })
    await until(
      () => stint.jobs.get(holder.id),
      (view) => view?.status === 'RUNNING',
    )
    expect(await reasonOf(holder)).toBe(null)
    const limited = await stint.submit(job, null, { limits: ['gpu'] })
    await until(
      () => reasonOf(limited),
      (reason) => reason === 'limit gpu is full: held by /t/holder',
    )
    await stint.pause('/reports', { reason: 'maintenance' })
    const paused = await stint.submit(job, null, { name: '/reports/daily' })
    expect(await reasonOf(paused)).toBe('paused at /reports: maintenance')
    await stint.pause({ type: 'stranger' })
    expect(await reasonOf(stranger)).toBe('the type stranger is paused')
    const listed = await stint.jobs.list({ status: 'QUEUED' })
    expect(listed.items.map(({ reason }) => reason)).toEqual([
      'paused at /reports: maintenance',
      'limit gpu is full: held by /t/holder',
      'the type stranger is paused',
    ])
    expect((await stint.pauses.list()).items.map(({ path, type }) => path ?? type)).toEqual(['/reports', 'stranger'])
    expect(await stint.resume('/reports')).toBe(true)
    expect(await stint.resume('/reports')).toBe(false)
    open()
    await Promise.all([holder.result(), limited.result(), paused.result()])
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('the queue is shown in the order in which a worker takes it, after moves and edits', async () => {
    const { stint } = await setup()
    const ran: string[] = []
    const job = defineJob('job', {
      run: (ctx) => {
        ran.push(ctx.name)
      },
    })
    const names = ['/t/a', '/t/b', '/t/c', '/t/d', '/t/e']
    const handles = await Promise.all(names.map((name) => stint.submit(job, { v: 1 }, { name })))
    await stint.jobs.move('/t/c', 'front')
    await stint.jobs.move('/t/a', 'end')
    await stint.jobs.move('/t/e', { before: '/t/b' })
    expect(await stint.jobs.edit('/t/d', { priority: 3, params: { v: 2 } })).toMatchObject({ params: { v: 2 } })
    await expect(stint.jobs.edit('/t/d', { scheduledFor: 'now' as never })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { field: 'scheduledFor' },
    })
    const shown = (await stint.jobs.queue()).items.map(({ name }) => name)
    expect(shown).toEqual(['/t/d', '/t/c', '/t/e', '/t/b', '/t/a'])
    await startWorker(stint, { jobs: [job], concurrency: 1 })
    await Promise.all(handles.map((handle) => handle.result()))
    expect(ran).toEqual(shown)
    await expect(stint.jobs.move('/t/d', 'front')).rejects.toMatchObject({ code: 'already_dispatched' })
    await expect(stint.jobs.move('/t/d', 'up' as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(stint.submit(job, {}, { limits: [{ key: 'x', rate: 'often' }] })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { field: 'rate' },
    })
  })

  it('a limit of a path, and of a rate, can be set, changed and removed', async () => {
    const { stint } = await setup()
    const job = defineJob('job', { run: () => 'ran' })
    await startWorker(stint, { jobs: [job], pollMs: 50 })
    await stint.limits.set('/slow', { concurrency: 0 })
    const handle = await stint.submit(job, null, { name: '/slow/one' })
    await until(
      () => stint.jobs.get(handle.id),
      (view) => view?.reason === 'limit /slow is full: nothing may start',
    )
    await stint.limits.set('/slow', { concurrency: null, rate: '2/100ms' })
    expect(await handle.result()).toBe('ran')
    const more = await Promise.all(
      Array.from({ length: 5 }, (_, i) => stint.submit(job, null, { name: `/slow/j${i}` })),
    )
    await Promise.all(more.map((each) => each.result()))
    expect((await stint.limits.list()).items).toMatchObject([{ key: '/slow', rate: { count: 2, perMs: 100 } }])
    expect(await stint.limits.remove('/slow')).toBe(true)
    expect(await stint.limits.get('/slow')).toBe(null)
    expect(await stint.verify()).toEqual({ differences: [] })
  })
})
