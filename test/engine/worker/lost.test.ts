import { expect, it } from 'vitest'
import { overriding } from '../../../src/engine/observed-store.ts'
import { defineJob, StoppedError } from '../../../src/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { counted, gate, onBothStores, startWorker, until, whenAborted } from '../../support/stint.ts'

onBothStores('what is lost', (setup) => {
  it('a worker that was found lost drops all, begins anew, and writes nothing of its old life', async () => {
    const { stint, raw } = await setup()
    const started = gate()
    const reasons: unknown[] = []
    const late = gate()
    const job = defineJob('job', {
      retry: { baseMs: 0 },
      run: async ({ signal, attempt, checkpoint }) => {
        if (attempt > 1) return `attempt ${attempt}`
        started.resolve()
        reasons.push(await whenAborted(signal))
        reasons.push(await checkpoint(1).catch((error: unknown) => error))
        late.resolve()
        return 'too late'
      },
    })
    const worker = await startWorker(stint, { jobs: [job], leaseMs: 3_000 })
    const before = worker.id
    const submitted = await stint.submit(job)
    await started.promise
    await raw(`update workers set lost_at = 1, lost_with = 1 where id = '${before}'`)
    expect(await submitted.result()).toBe('attempt 2')
    await late.promise
    expect(reasons[0]).toBeInstanceOf(StoppedError)
    expect(reasons).toMatchObject([{ reason: 'lost' }, { code: 'stale_token' }])
    await until(
      () => worker.id,
      (id) => id !== before && id !== null,
    )
    await until(
      () => worker.heldCount,
      (held) => held === 0,
    )
    expect(counted(stint, 'stint_leases_lost')).toBe(1)
    expect(await stint.jobs.get(submitted.id)).toMatchObject({ result: 'attempt 2' })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('an attempt that learns from its checkpoint that it was ended by others is held no longer', async () => {
    const { stint, open } = await setup()
    const [started, answered] = [gate(), gate()]
    const job = defineJob('job', {
      run: async (ctx) => {
        started.resolve()
        await answered.promise
        await ctx.checkpoint('x')
      },
    })
    const worker = await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job)
    await started.promise
    const other = await open()
    await other.complete({ id: submitted.id }, 'from outside')
    answered.resolve()
    expect(await submitted.result()).toBe('from outside')
    await until(
      () => worker.heldCount,
      (held) => held === 0,
    )
  })

  it('a claim whose answer was lost is found again, and its jobs run once', async () => {
    let [runs, lost] = [0, 0]
    const wrap = (store: Store) =>
      overriding(store, {
        async claim(request) {
          const jobs = await store.claim(request)
          if (lost > 0 || jobs.length === 0) return jobs
          lost = jobs.length
          throw new Error('connection lost')
        },
      })
    const { stint } = await setup({ wrap })
    const job = defineJob('job', { run: () => ++runs })
    const jobs = await Promise.all(Array.from({ length: 5 }, () => stint.submit(job)))
    await startWorker(stint, { jobs: [job] })
    await Promise.all(jobs.map((each) => each.result()))
    expect([runs, lost]).toEqual([5, 5])
    expect(counted(stint, 'stint_claims_adopted')).toBe(5)
    for (const { id } of jobs) expect(await stint.jobs.get(id)).toMatchObject({ attempt: 1, outcome: 'COMPLETED' })
  })

  it('an end whose answer was lost is written again, and is one end', async () => {
    let lost = 0
    const lose = <T>(answer: T): T => {
      if (lost > 3) return answer
      lost += 1
      throw new Error('connection lost')
    }
    const wrap = (store: Store) =>
      overriding(store, {
        // The first way to write it, and the second that follows when the first finds it written.
        complete: async (completions, options) => lose(await store.complete(completions, options)),
        apply: async (requests, options) => lose(await store.apply(requests, options)),
      })
    const { stint } = await setup({ wrap })
    const job = defineJob('job', { run: () => 'once' })
    await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job)
    expect(await submitted.result()).toBe('once')
    await until(
      () => counted(stint, 'stint_attempts_ended', { how: 'completed' }),
      (count) => count === 1,
    )
    const { items } = await stint.events.list({ job: submitted.id })
    expect(items.map(({ eventType }) => eventType)).toEqual(['job.created', 'job.run.started', 'job.run.completed'])
    expect(lost).toBe(4)
  })

  it('a submission whose answer was lost is sent again, and is one job', async () => {
    let isLost = false
    const wrap = (store: Store) =>
      overriding(store, {
        async submit(submissions, options) {
          const results = await store.submit(submissions, options)
          if (isLost) return results
          isLost = true
          throw new Error('connection lost')
        },
      })
    const { stint } = await setup({ wrap })
    const job = await stint.submit('job', 1, { name: '/a/b' })
    expect((await stint.jobs.list()).items).toMatchObject([{ id: job.id, name: '/a/b' }])
  })
})
