import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/engine/clock.ts'
import { overriding } from '../../../src/engine/observed-store.ts'
import { defineJob } from '../../../src/index.ts'
import type { ClaimRequest, Store } from '../../../src/store/store.ts'
import { gate, onBothStores, startWorker, until } from '../../support/stint.ts'

onBothStores('workers', (setup, kind) => {
  it('never run more at once than their concurrency', async () => {
    const { stint, open } = await setup()
    const running = new Map<unknown, number>()
    const most = new Map<unknown, number>()
    const counting = (label: string) =>
      defineJob('count', {
        run: async () => {
          running.set(label, (running.get(label) ?? 0) + 1)
          most.set(label, Math.max(most.get(label) ?? 0, running.get(label) ?? 0))
          await new Promise((resolve) => setImmediate(resolve))
          running.set(label, (running.get(label) ?? 0) - 1)
        },
      })
    const other = await open()
    await startWorker(stint, { jobs: [counting('one')], concurrency: 3 })
    await startWorker(other, { jobs: [counting('two')], concurrency: 2 })
    const settled = await stint.submitMany(Array.from({ length: 300 }, () => ({ job: 'count' })))
    await Promise.all(settled.map((each) => (each.status === 'fulfilled' ? each.value.result() : null)))
    expect(most.get('one')).toBeLessThanOrEqual(3)
    expect(most.get('two') ?? 0).toBeLessThanOrEqual(2)
    const { items } = await stint.jobs.list({ outcome: 'COMPLETED', limit: 1_000 })
    expect(items.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 300 }, () => 1))
  })

  it('take no long job that another could start at once', async () => {
    const { stint, open } = await setup()
    const gates = Array.from({ length: 4 }, () => gate())
    const started: string[] = []
    const slow = (label: string) =>
      defineJob('slow', {
        run: async ({ params }: { params: number }) => {
          started.push(label)
          await gates[params]?.promise
        },
      })
    const other = await open()
    await startWorker(stint, { jobs: [slow('one')], concurrency: 1 })
    await stint.submit('slow', 0)
    await until(
      () => started.length,
      (count) => count === 1,
    )
    await stint.submit('slow', 1)
    await stint.submit('slow', 2)
    // One ends its first: it may take the second, but the third is for the other.
    gates[0]?.resolve()
    await until(
      () => started.length,
      (count) => count === 2,
    )
    await startWorker(other, { jobs: [slow('two')], concurrency: 1 })
    await until(
      () => started.length,
      (count) => count === 3,
    )
    expect(started).toEqual(['one', 'one', 'two'])
    expect((await stint.jobs.list()).items.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
    for (const each of gates) each.resolve()
  })

  it('give back what waits behind jobs that have become long', async () => {
    const { stint, open } = await setup()
    const open1 = gate()
    const done: string[] = []
    const mixed = (label: string) =>
      defineJob('mixed', {
        run: async ({ params, attempt }: { params: string; attempt: number }) => {
          if (params === 'long' && label === 'one') await open1.promise
          else done.push(`${params} ${attempt}`)
        },
      })
    const other = await open()
    const short = Array.from({ length: 200 }, () => ({ job: 'mixed', params: 'short' }))
    await stint.submitMany([...short, ...Array.from({ length: 5 }, () => ({ job: 'mixed', params: 'long' }))])
    const one = await startWorker(stint, { jobs: [mixed('one')], concurrency: 1 })
    await until(
      () => done.length,
      (count) => count === 200,
    )
    await until(
      () => one.heldCount,
      (held) => held >= 1,
    )
    await startWorker(other, { jobs: [mixed('two')], concurrency: 1 })
    await until(
      () => done.length,
      (count) => count === 204,
    )
    expect(one.heldCount).toBe(1)
    const { items } = await stint.jobs.list({ limit: 1_000 })
    expect(items.filter(({ charged }) => charged > 0)).toEqual([])
    open1.resolve()
  })

  it('start by priority, then by age', async () => {
    const { stint } = await setup()
    const order: unknown[] = []
    const job = defineJob('job', { run: ({ params }) => void order.push(params) })
    for (const [i, priority] of [0, 5, -5, 5, 0].entries()) await stint.submit(job, i, { priority })
    await startWorker(stint, { jobs: [job], concurrency: 1 })
    await until(
      () => order.length,
      (length) => length === 5,
    )
    expect(order).toEqual([1, 3, 0, 4, 2])
  })

  it('leave jobs of types that they do not know to those who do', async () => {
    const { stint, open } = await setup()
    const known = defineJob('known', { run: () => 'known' })
    const unknown = defineJob('unknown', { run: () => 'unknown' })
    await startWorker(stint, { jobs: [known] })
    const left = await stint.submit('unknown')
    expect(await (await stint.submit(known)).result()).toBe('known')
    expect(await stint.jobs.get(left.id)).toMatchObject({ status: 'QUEUED', attempt: 0 })
    await startWorker(await open(), { jobs: [unknown] })
    expect(await left.result()).toBe('unknown')
  })

  it('hold one suspect at a time', async () => {
    const { stint, store, raw } = await setup()
    await store.register({ id: 'dead', name: 'dead', leaseMs: 60_000 })
    const ids = await Promise.all(
      Array.from({ length: 4 }, () => stint.submit('risky', null, { retry: { baseMs: 0 } })),
    )
    await store.claim({ workerId: 'dead', token: 't', types: ['risky'], limit: 4 })
    await raw(`update workers set lost_at = 1, lost_with = 4 where id = 'dead'`)
    let [now, most] = [0, 0]
    const risky = defineJob('risky', {
      run: async () => {
        now += 1
        most = Math.max(most, now)
        await new Promise((resolve) => setImmediate(resolve))
        now -= 1
      },
    })
    await startWorker(stint, { jobs: [risky], leaseMs: 5_000 })
    await Promise.all(ids.map((job) => job.result()))
    expect(most).toBe(1)
    for (const { id } of ids) expect(await stint.jobs.get(id)).toMatchObject({ attempt: 2, charged: 0 })
  })

  it.runIf(kind === 'sqlite')(
    'look for a job that comes while a claim is under way, and ask for no more than they can hold',
    async () => {
      const answer = gate()
      const asked: ClaimRequest[] = []
      let [isHolding, underWay, mostUnderWay] = [false, 0, 0]
      const wrap = (store: Store) =>
        overriding(store, {
          async claim(request) {
            asked.push(request)
            underWay += request.limit
            mostUnderWay = Math.max(mostUnderWay, underWay)
            const jobs = await store.claim(request)
            // Only the first that brings something then.
            const isHeld = isHolding && jobs.length > 0
            if (isHeld) isHolding = false
            if (isHeld) await answer.promise
            underWay -= request.limit
            return jobs
          },
        })
      // Time stands still for whoever measures it: so it stays known how fast jobs have ended.
      const { stint } = await setup({ wrap, clock: { ...systemClock, monotonic: () => 1_000 } })
      const begun: unknown[] = []
      const job = defineJob('job', { run: ({ params }: { params: unknown }) => void begun.push(params) })
      const worker = await startWorker(stint, { jobs: [job], concurrency: 2 })
      onTestFinished(() => answer.resolve())
      await Promise.all(Array.from({ length: 20 }, async () => await (await stint.submit(job, 'quick')).result()))
      await until(
        () => worker.heldCount,
        (held) => held === 0,
      )
      isHolding = true
      await stint.submit(job, 'first')
      await until(
        () => isHolding,
        (holding) => !holding,
      )
      asked.length = 0
      await stint.submit(job, 'second')
      await until(
        () => begun,
        () => begun.includes('second'),
      )
      expect(begun).not.toContain('first')
      expect(asked.map(({ suspectLimit }) => suspectLimit)).not.toContain(1)
      expect(mostUnderWay).toBeLessThanOrEqual(20)
      answer.resolve()
      await until(
        () => begun,
        () => begun.includes('first'),
      )
    },
  )

  it.runIf(kind === 'sqlite')(
    'look for suspects soon after a look beside another, though nobody tells of any',
    async () => {
      const [answer, end] = [gate(), gate()]
      const limits: number[] = []
      let [isHolding, looked] = [false, 0]
      const wrap = (store: Store) =>
        overriding(store, {
          async claim(request) {
            limits.push(request.suspectLimit ?? 0)
            const isHeld = isHolding
            isHolding = false
            const jobs = await store.claim(request)
            if (isHeld) await answer.promise
            else looked += 1
            return jobs
          },
        })
      const { stint } = await setup({ wrap, clock: { ...systemClock, monotonic: () => 1_000 } })
      const job = defineJob('job', {
        run: ({ params }: { params: unknown }) => (params === 'long' ? end.promise : null),
      })
      const worker = await startWorker(stint, { jobs: [job], concurrency: 3 })
      onTestFinished(() => [answer, end].forEach((each) => void each.resolve()))
      await Promise.all(Array.from({ length: 20 }, async () => await (await stint.submit(job, 'quick')).result()))
      await until(
        () => worker.heldCount,
        (held) => held === 0,
      )
      const before = looked
      isHolding = true
      // It is told of when it is sent, and when it is written: while the first claim is under way.
      await stint.submit(job, 'long')
      await until(
        () => looked,
        (count) => count > before,
      )
      expect(limits.at(-1)).toBe(0)
      answer.resolve()
      await until(
        () => limits.at(-1),
        (limit) => limit === 1,
      )
    },
  )
})
