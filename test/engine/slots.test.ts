import { describe, expect, it } from 'vitest'
import { defineJob, definePipeline, type Stint, TerminalError } from '../../src/index.ts'
import { onBothStores, startWorker, until } from '../support/stint.ts'

const add = defineJob('add', { run: ({ params }: { params: { a: number; b: number } }) => params.a + params.b })
const sum = defineJob('sum', {
  run: ({ params }: { params: { parts: readonly number[] } }) => params.parts.reduce((a, b) => a + b, 0),
})
const fail = defineJob('fail', {
  run: (): number => {
    throw new TerminalError('no luck')
  },
})
const tell = defineJob('tell', {
  run: ({ params, upstream }: { params: { value: number | null }; upstream: readonly { error: string }[] }) => {
    return { value: params.value, errors: upstream.map(({ error }) => error) }
  },
})

const nothingWrong = async (stint: Stint) => expect(await stint.verify()).toEqual({ differences: [] })

onBothStores('slots', (setup) => {
  it('carry the output of a job into the params of another', async () => {
    const { stint } = await setup()
    const first = await stint.submit(add, { a: 1, b: 2 })
    const second = await stint.submit(add, { a: first.output, b: 10 })
    expect(await stint.jobs.get(second)).toMatchObject({
      status: 'QUEUED',
      params: { a: null, b: 10 },
      reason: `waits for the value of ${first.name}`,
    })
    await startWorker(stint, { jobs: [add] })
    expect(await second.result()).toBe(13)
    expect((await stint.jobs.get(second))?.params).toEqual({ a: 3, b: 10 })
    const late = await stint.submit(add, { a: first.output, b: second.output })
    expect(await late.result()).toBe(16)
    await nothingWrong(stint)
  })

  it('may stand in a list, and one job may need the same more than once', async () => {
    const { stint } = await setup()
    const ones = await Promise.all([1, 2, 3].map((n) => stint.submit(add, { a: n, b: 0 })))
    const parts = [...ones.map(({ output }) => output), 100, ones[0]?.output ?? 0]
    const all = await stint.submit(sum, { parts })
    await startWorker(stint, { jobs: [add, sum] })
    expect(await all.result()).toBe(107)
    await nothingWrong(stint)
  })

  it('are promises that somebody fills, once', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [add] })
    const answer = await stint.slots.create<number>('answer', { label: 'How much?' })
    const job = await stint.submit(add, { a: answer, b: 1 })
    expect(await stint.slots.get(answer)).toMatchObject({ path: '/default/answer', status: 'OPEN', value: null })
    const filled = await stint.slots.fill(answer, 41, { by: 'ada' })
    expect(filled).toMatchObject({ status: 'FILLED', value: 41, filledBy: 'ada', label: 'How much?' })
    expect(await job.result()).toBe(42)
    expect(await stint.slots.fill('/default/answer', 41)).toMatchObject({ filledBy: 'ada' })
    await expect(stint.slots.fill(answer.id, 42)).rejects.toMatchObject({ code: 'slot_filled' })
    await expect(stint.slots.fail(answer, 'too late')).rejects.toMatchObject({ code: 'slot_filled' })
    const log = await until(
      () => stint.events.list(),
      ({ items }) => items.some(({ eventType }) => eventType === 'slot.filled'),
    )
    expect(log.items.find(({ eventType }) => eventType === 'slot.filled')).toMatchObject({ actor: 'ada' })
    await nothingWrong(stint)
  })

  it('can be waited for without their value', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [add] })
    const go = await stint.slots.create('go')
    const first = await stint.submit(add, { a: 1, b: 1 })
    const job = await stint.submit(add, { a: 2, b: 2 }, { after: [go, first] })
    await first.result()
    expect((await stint.jobs.get(job))?.reason).toBe('waits for the value of /default/go')
    await stint.slots.fill(go, null)
    expect(await job.result()).toBe(4)
    await nothingWrong(stint)
  })

  it('fill themselves when their time has come', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [add] })
    const later = await stint.slots.delay<number>('later', new Date(Date.now() + 50), { value: 5 })
    const job = await stint.submit(add, { a: later, b: 1 })
    expect(await job.result()).toBe(6)
    expect((await stint.slots.get(later))?.filledBy).toMatch(/^clock 20/)
    await nothingWrong(stint)
  })

  it('that will never have a value end those who wait for them, and those who wait for those', async () => {
    const { stint } = await setup()
    const never = await stint.slots.create<number>('never')
    const failing = await stint.submit(fail)
    const waiting = await stint.submit(add, { a: failing.output, b: never })
    const behind = await stint.submit(sum, { parts: [waiting.output, 1] })
    const told = await stint.submit(tell, { value: failing.output }, { onUpstreamFailure: 'run' })
    await startWorker(stint, { jobs: [add, sum, fail, tell] })
    await expect(behind.result()).rejects.toMatchObject({ code: 'job_cancelled' })
    expect(await stint.jobs.get(waiting)).toMatchObject({ status: 'CANCELLED', outcome: 'SKIPPED', attempt: 0 })
    const { items } = await stint.runs.list({ job: behind })
    expect(items).toMatchObject([{ status: 'SKIPPED' }])
    expect((await stint.jobs.get(behind))?.error).toContain(
      `${waiting.name} was cancelled: upstream: ${failing.name} failed: no luck`,
    )
    expect(await told.result()).toEqual({ value: null, errors: [`${failing.name} failed: no luck`] })
    const late = await stint.submit(add, { a: failing.output, b: 1 })
    expect(late).toMatchObject({ status: 'CANCELLED', outcome: 'SKIPPED' })
    await stint.slots.fail(never, 'nobody knows')
    await expect(stint.slots.fill(never, 1)).rejects.toMatchObject({ code: 'slot_closed' })
    await nothingWrong(stint)
  })

  it('of another namespace are as unknown as those that do not exist', async () => {
    const { stint } = await setup()
    const there = await stint.submit(add, { a: 1, b: 1 }, { name: '/other/one' })
    const promise = await stint.slots.create<number>('/other/promise')
    for (const slot of [there.output, promise]) {
      await expect(stint.submit(add, { a: slot, b: 1 })).rejects.toMatchObject({
        code: 'not_found',
        details: { field: 'needs', slot: slot.uuid },
      })
    }
    await expect(stint.slots.fill(promise.id.replace(':other:', ':default:'), 1)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('leave a job with params that become too large with an error that says so', async () => {
    const { stint } = await setup()
    const large = defineJob('large', { run: () => 'x'.repeat(600_000) })
    const two = defineJob('two', { run: ({ params }: { params: readonly string[] }) => params.length })
    const [a, b] = [await stint.submit(large), await stint.submit(large)]
    const job = await stint.submit(two, [a.output, b.output])
    await startWorker(stint, { jobs: [large, two] })
    await expect(job.result()).rejects.toMatchObject({
      code: 'job_failed',
      message: expect.stringContaining('too large'),
    })
    await nothingWrong(stint)
  })
})

onBothStores('a handler', (setup) => {
  it('gives the output of a child as its own result, and holds no worker meanwhile', async () => {
    const { stint } = await setup()
    const parent = defineJob('parent', {
      run: async (ctx) => {
        const child = await ctx.submit(add, { a: 20, b: 1 })
        return (await ctx.submit(add, { a: child.output, b: child.output })).output
      },
    })
    await startWorker(stint, { jobs: [parent, add], concurrency: 1 })
    const job = await stint.submit(parent)
    const result: number = await job.result()
    expect(result).toBe(42)
    await nothingWrong(stint)
  })

  it('fails for good when the child that was to give its result does', async () => {
    const { stint } = await setup()
    const parent = defineJob('parent', { run: async (ctx) => (await ctx.submit(fail)).output })
    await startWorker(stint, { jobs: [parent, fail] })
    const job = await stint.submit(parent)
    await expect(job.result()).rejects.toMatchObject({
      code: 'job_failed',
      message: expect.stringContaining('no luck'),
    })
    expect(await stint.jobs.get(job)).toMatchObject({ attempt: 1, outcome: 'FAILED' })
    await nothingWrong(stint)
  })

  it('cannot give what waits for itself', async () => {
    const { stint } = await setup()
    const parent = defineJob('parent', {
      run: async (ctx) => {
        const own = (await stint.jobs.get(ctx.id))?.id ?? ''
        const { Slot } = await import('../../src/index.ts')
        const child = await ctx.submit(add, { a: new Slot<number>(own, own.split(':').at(-1) ?? ''), b: 1 })
        return child.output
      },
    })
    await startWorker(stint, { jobs: [parent, add] })
    const job = await stint.submit(parent)
    await expect(job.result()).rejects.toMatchObject({ message: expect.stringContaining('would wait for its own end') })
    await nothingWrong(stint)
  })

  it('makes slots that fail with its attempt, and leave their path to the next one', async () => {
    const { stint } = await setup()
    const seen: string[] = []
    const asking = defineJob('asking', {
      retry: { baseMs: 0 },
      run: async (ctx) => {
        const question = await ctx.slot<string>('question')
        seen.push(question.id)
        if (ctx.attempt === 1) throw new Error('once more')
        return question
      },
    })
    await startWorker(stint, { jobs: [asking] })
    const job = await stint.submit(asking, undefined, { name: 'ask' })
    await until(
      () => stint.jobs.get(job),
      (view) => view?.reason === 'waits for the value of /default/ask/question',
    )
    await expect(stint.slots.fill(seen[0] ?? '', 'yes')).rejects.toMatchObject({ code: 'slot_closed' })
    await stint.slots.fill('/default/ask/question', 'no')
    expect(await job.result()).toBe('no')
    await nothingWrong(stint)
  })

  it('makes slots that nobody can fill once it is cancelled', async () => {
    const { stint } = await setup()
    const asking = defineJob('asking', { run: (ctx) => ctx.slot<string>('question') })
    await startWorker(stint, { jobs: [asking, add] })
    const job = await stint.submit(asking, undefined, { name: 'ask' })
    const slot = await until(
      () => stint.slots.get('/default/ask/question'),
      (found) => found !== null,
    )
    const waiting = await stint.submit(add, { a: 1, b: 1 }, { after: [job] })
    await until(
      () => stint.jobs.get(job),
      (view) => view?.reason?.startsWith('waits for the value') === true,
    )
    await stint.jobs.cancel(job)
    await expect(waiting.result()).rejects.toMatchObject({ code: 'job_cancelled' })
    await expect(stint.slots.fill(slot?.id ?? '', 'x')).rejects.toMatchObject({ code: 'slot_closed' })
    await until(
      () => stint.slots.get(slot?.id ?? ''),
      (found) => found?.status === 'FAILED',
    )
    await nothingWrong(stint)
  })
})

onBothStores('a pipeline', (setup) => {
  const fetchRows = defineJob('fetch-rows', {
    run: ({ params }: { params: { day: string } }) => [params.day, 'b', 'b'],
  })
  const cleanRows = defineJob('clean-rows', {
    run: ({ params }: { params: { rows: readonly string[] } }) => [...new Set(params.rows)],
  })
  const publish = defineJob('publish', {
    run: ({ params }: { params: { clean: readonly string[] } }) => params.clean.length,
  })
  const daily = definePipeline('daily-report', (p, { day }: { day: string }) => {
    const rows = p.run(fetchRows, { day })
    const clean = p.run(cleanRows, { rows: rows.output })
    const ok = p.promise<boolean>('approval')
    return p.run(publish, { clean: clean.output }, { after: [ok] }).output
  })
  const jobs = [daily, fetchRows, cleanRows, publish]

  it('runs its jobs as their values come, and ends with the one that it returned', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs, concurrency: 1 })
    const job = await stint.submit(daily, { day: '2026-11-15' }, { name: 'daily' })
    await until(
      () => stint.jobs.get('/default/daily/clean-rows'),
      (view) => view?.outcome === 'COMPLETED',
    )
    expect((await stint.jobs.get('/default/daily/publish'))?.reason).toBe(
      'waits for the value of /default/daily/approval',
    )
    expect((await stint.jobs.get(job))?.reason).toBe('waits for the value of /default/daily/publish')
    await stint.slots.fill('/default/daily/approval', true, { by: 'ada' })
    const published: number = await job.result()
    expect(published).toBe(2)
    await nothingWrong(stint)
  })

  it('can be drawn: its jobs, its slots and what goes from one to the other', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs, concurrency: 1 })
    const job = await stint.submit(daily, { day: '2026-11-15' }, { name: 'daily' })
    await until(
      () => stint.jobs.get('/default/daily/clean-rows'),
      (view) => view?.outcome === 'COMPLETED',
    )
    const { jobs: found, slots, edges } = await stint.graph(job)
    const nameOf = new Map([
      ...found.map(({ id, name }) => [id, name] as const),
      ...slots.map(({ id, path }) => [id, path] as const),
    ])
    expect(found.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['/default/daily', null],
      ['/default/daily/fetch-rows', 'COMPLETED'],
      ['/default/daily/clean-rows', 'COMPLETED'],
      ['/default/daily/publish', null],
    ])
    expect(slots).toMatchObject([{ path: '/default/daily/approval', status: 'OPEN' }])
    expect(edges.map(({ from, to, at }) => [nameOf.get(from), nameOf.get(to), at])).toEqual([
      ['/default/daily/publish', '/default/daily', 'result'],
      ['/default/daily/fetch-rows', '/default/daily/clean-rows', '/rows'],
      ['/default/daily/clean-rows', '/default/daily/publish', '/clean'],
      ['/default/daily/approval', '/default/daily/publish', null],
    ])
  })

  it('is drawn without those that had its name before', async () => {
    const { stint } = await setup()
    const doubled = definePipeline('doubled', (p) => {
      return p.run(add, { a: p.run(add, { a: 1, b: 1 }).output, b: p.delay<number>(0, { value: 1 }) }).output
    })
    await startWorker(stint, { jobs: [doubled, add] })
    const first = await stint.submit(doubled, undefined, { name: 'doubled' })
    await first.result()
    const second = await stint.submit(doubled, undefined, { name: 'doubled' })
    await second.result()
    const graphs = [await stint.graph(first), await stint.graph(second)]
    expect(graphs.map(({ jobs: [root] }) => root?.id)).toEqual([first.id, second.id])
    for (const { jobs: drawn, slots, edges } of graphs) {
      expect([drawn.length, slots.length, edges.length]).toEqual([3, 1, 3])
      const ids = new Set([...drawn, ...slots].map(({ id }) => id))
      expect(edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to))).toEqual([])
    }
  })

  it('ends as a whole when it is cancelled, and its promises cannot be kept any more', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs })
    const job = await stint.submit(daily, { day: '2026-11-15' }, { name: 'daily' })
    await until(
      () => stint.jobs.get('/default/daily/clean-rows'),
      (view) => view?.outcome === 'COMPLETED',
    )
    const slot = await stint.slots.get('/default/daily/approval')
    await stint.jobs.cancel(job)
    await until(
      () => stint.jobs.get('/default/daily/publish'),
      (view) => view?.status === 'CANCELLED',
    )
    await expect(stint.slots.fill(slot?.id ?? '', true)).rejects.toMatchObject({ code: 'slot_closed' })
    await nothingWrong(stint)
  })

  it('sleeps between its jobs without a worker, and names jobs of one type apart', async () => {
    const { stint } = await setup()
    const slow = definePipeline('slow', (p) => {
      const first = p.run(add, { a: 1, b: 1 })
      return p.run(add, { a: first.output, b: 1 }, { after: [p.delay(30)] }).output
    })
    await startWorker(stint, { jobs: [slow, add] })
    const job = await stint.submit(slow, undefined, { name: 'slow' })
    expect(await job.result()).toBe(3)
    const { items } = await stint.jobs.list({ branch: '/default/slow' })
    expect(items.map(({ name }) => name)).toEqual(['/default/slow/add-2', '/default/slow/add', '/default/slow'])
    await nothingWrong(stint)
  })

  it('that cannot be built makes nothing, and says why', async () => {
    const { stint } = await setup()
    const broken = definePipeline('broken', (p) => {
      p.run(add, { a: 1, b: 1 }, { name: 'one' })
      return p.run(add, { a: 1, b: 1 }, { name: 'not/allowed/' }).output
    })
    await startWorker(stint, { jobs: [broken, add] })
    const job = await stint.submit(broken, undefined, { name: 'broken', maxAttempts: 1 })
    await expect(job.result()).rejects.toMatchObject({ code: 'job_failed' })
    expect((await stint.jobs.list({ branch: '/default/broken' })).items).toHaveLength(1)
    await nothingWrong(stint)
  })
})

onBothStores('values to come', (setup) => {
  it('are needed again when a job that was skipped for want of one is retried', async () => {
    const { stint } = await setup()
    const failing = await stint.submit(fail)
    const waiting = await stint.submit(add, { a: failing.output, b: 1 })
    await startWorker(stint, { jobs: [add, fail] })
    await expect(waiting.result()).rejects.toMatchObject({ code: 'job_cancelled' })
    const again = await stint.jobs.retry(waiting)
    await expect(again.result()).rejects.toMatchObject({ code: 'job_cancelled' })
  })

  it('are not waited for with what a limit of the path gives to those who make them', async () => {
    const { stint } = await setup()
    const one = definePipeline('one', (p) => p.run(add, { a: 1, b: 1 }).output)
    await stint.limits.set('/default', { concurrency: 1 })
    await startWorker(stint, { jobs: [one, add] })
    expect(await (await stint.submit(one)).result()).toBe(2)
  })
})

describe('definePipeline', () => {
  it('takes a function', () => {
    expect(() => definePipeline('x', { build: 1 } as never)).toThrow('build must be a function; got 1.')
  })
})
