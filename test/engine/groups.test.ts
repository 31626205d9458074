import { expect, it } from 'vitest'
import { defineJob, type JobContext, TerminalError } from '../../src/index.ts'
import { gate, onBothStores, startWorker, until } from '../support/stint.ts'

onBothStores('groups', (setup) => {
  it('run their jobs one after the other, and tell how it went', async () => {
    const { stint } = await setup()
    const ran: string[] = []
    const step = defineJob('step', {
      run: ({ name }) => {
        ran.push(name)
      },
    })
    const report = defineJob('report', { run: ({ params }: JobContext) => params })
    const group = await stint.groups.create({
      path: '/nightly/build',
      mode: 'sequential',
      label: 'Nightly build',
      finish: { type: 'report', params: { to: 'team' } },
    })
    expect(group).toMatchObject({ path: '/nightly/build', status: 'CREATED', counts: { total: 0 }, startedAt: null })
    const names = ['/t/fetch', '/t/compile', '/t/test']
    const added = await stint.groups.add(
      group,
      names.map((name, i) => ({ job: step, options: { name, priority: i } })),
    )
    expect(added.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect((await stint.jobs.get('/t/test'))?.reason).toBe('waits for its group /nightly/build to be sealed')
    const sealed = await stint.groups.seal('/nightly/build')
    expect(sealed.status).toBe('QUEUED')
    expect((await stint.jobs.get('/t/test'))?.reason).toBe('waits for its turn in the group /nightly/build')
    await startWorker(stint, { jobs: [step, report], concurrency: 5 })
    const over = await sealed.result()
    expect(over).toMatchObject({ status: 'COMPLETED', counts: { total: 3, completed: 3 } })
    expect(over.startedAt).toBeInstanceOf(Date)
    expect(over.finishedAt).toBeInstanceOf(Date)
    expect(ran).toEqual(names)
    expect(await stint.jobs.result(over.finish?.jobId ?? '')).toEqual({
      to: 'team',
      group: { id: group.id, path: '/nightly/build', status: 'COMPLETED', counts: over.counts },
    })
    expect(await stint.groups.get('/nightly/build')).toBeNull()
    expect(await stint.groups.get(group)).toEqual(over)
    expect((await stint.groups.list()).items).toEqual([])
    expect((await stint.groups.list({ all: true })).items).toEqual([over])
    const { items } = await stint.groups.members(group, { limit: 2 })
    expect(items).toMatchObject([
      { name: '/t/fetch', status: null, outcome: 'COMPLETED' },
      { name: '/t/compile', status: null, outcome: 'COMPLETED' },
    ])
    expect((await stint.jobs.get(items[0]?.id ?? ''))?.groupId).toBe(group.id)
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('stop at a failure, and those behind it say why', async () => {
    const { stint } = await setup()
    const fail = defineJob('fail', {
      run: () => {
        throw new TerminalError('no way')
      },
    })
    await startWorker(stint, { jobs: [fail] })
    const group = await stint.groups.run({
      mode: 'sequential',
      jobs: [{ job: fail, options: { name: '/t/a' } }, { job: fail }, { job: fail }],
    })
    expect(await group.result()).toMatchObject({
      status: 'PARTIAL',
      stopped: true,
      counts: { failed: 1, cancelled: 2 },
    })
    const { items } = await stint.groups.members(group.id)
    expect(items.map(({ status, outcome }) => [status, outcome])).toEqual([
      [null, 'FAILED'],
      ['CANCELLED', 'SKIPPED'],
      ['CANCELLED', 'SKIPPED'],
    ])
    await expect(stint.jobs.result(items[2]?.id ?? '')).rejects.toMatchObject({
      code: 'job_cancelled',
      details: { error: 'group stopped: /t/a failed' },
    })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('keep to their width with all workers, also while members are tried again', async () => {
    const { stint, open } = await setup()
    const other = await open()
    let [running, most] = [0, 0]
    const job = defineJob('job', {
      retry: { baseMs: 1 },
      run: async (ctx: JobContext<number>) => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running -= 1
        if (ctx.params % 5 === 0 && ctx.attempt === 1) throw new Error('once more')
      },
    })
    await startWorker(stint, { jobs: [job], concurrency: 10, pollMs: 50 })
    await startWorker(other, { jobs: [job], concurrency: 10, pollMs: 50 })
    const jobs = Array.from({ length: 20 }, (_, i) => ({ job, params: i }))
    const group = await stint.groups.run({ mode: 'parallel', width: 3, jobs })
    expect(await other.groups.result(group.id)).toMatchObject({ status: 'COMPLETED', counts: { completed: 20 } })
    expect(most).toBeLessThanOrEqual(3)
    expect((await stint.limits.list()).items).toEqual([])
    const { items } = await stint.groups.members(group)
    const again = await stint.jobs.retry(items[0]?.id ?? '')
    expect(again.groupId).toBeNull()
    await again.result()
    expect((await stint.limits.list()).items).toEqual([])
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('can be cancelled as a whole, and put into another order', async () => {
    const { stint } = await setup()
    const open = gate()
    const job = defineJob('job', { run: ({ signal }) => Promise.race([open.promise, rejected(signal)]) })
    const group = await stint.groups.create({ mode: 'sequential' })
    await stint.submit(job, null, { name: '/t/a', group: group.id })
    await stint.submitMany(['/t/b', '/t/c'].map((name) => ({ job, options: { name, group: group.path } })))
    await stint.groups.reorder(group, ['/t/c', '/t/b', '/t/a'])
    const names = async () => (await stint.groups.members(group)).items.map(({ name }) => name)
    expect(await names()).toEqual(['/t/c', '/t/b', '/t/a'])
    await stint.groups.seal(group)
    await startWorker(stint, { jobs: [job] })
    await until(
      () => stint.jobs.get('/t/c'),
      (view) => view?.status === 'RUNNING',
    )
    await expect(stint.groups.reorder(group, ['/t/a', '/t/b', '/t/c'])).rejects.toMatchObject({
      code: 'already_dispatched',
    })
    await stint.groups.reorder(group, ['/t/a', '/t/b'])
    expect(await names()).toEqual(['/t/c', '/t/a', '/t/b'])
    const result = stint.groups.result(group)
    expect(await stint.groups.cancel(group, { reason: 'enough' })).toMatchObject({ cancelRequested: true })
    expect(await result).toMatchObject({ status: 'CANCELLED', counts: { cancelled: 3 } })
    await expect(stint.submit(job, null, { group: group.id })).rejects.toMatchObject({ code: 'group_sealed' })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('that make no sense are refused, and nothing is left half done', async () => {
    const { stint } = await setup()
    const { groups } = stint
    await expect(groups.create({ mode: 'both' as never })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(groups.create({ mode: 'sequential', width: 2 })).rejects.toMatchObject({ details: { field: 'width' } })
    await expect(groups.add('/no/group', [])).rejects.toMatchObject({ code: 'not_found' })
    await expect(groups.result('/no/group')).rejects.toMatchObject({ code: 'not_found' })
    await expect(groups.get(7 as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    const group = await groups.create({ mode: 'parallel' })
    await expect(groups.members(group, { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(groups.reorder(group, ['/no/job'])).rejects.toMatchObject({ code: 'not_found' })
    await stint.submit('other', null, { name: '/t/taken' })
    const jobs = [{ job: 'other' }, { job: 'other', options: { name: '/t/taken' } }]
    await expect(groups.run({ path: '/t/run', mode: 'parallel', jobs })).rejects.toMatchObject({ code: 'name_taken' })
    const [run] = (await groups.list({ path: '/t/run', all: true })).items
    expect(run).toMatchObject({ status: 'CANCELLED', counts: { total: 1, cancelled: 1 } })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('are waited for no longer than asked, nor when all is closed', async () => {
    const { stint } = await setup()
    const group = await stint.groups.create({ mode: 'parallel' })
    await expect(group.result({ timeoutMs: 1 })).rejects.toMatchObject({ code: 'wait_timeout', retryable: true })
    const reason = new Error('enough')
    await expect(group.result({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const waiting = group.result()
    waiting.catch(() => {})
    await stint.close()
    await expect(waiting).rejects.toMatchObject({ code: 'store_closed' })
  })
})

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
