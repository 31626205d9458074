import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import {
  defineCommand,
  defineJob,
  defineShardedJob,
  FailJobError,
  JobRunId,
  type ShardedJobState,
  type SliceResult,
  TerminalError,
} from '../../src/index.ts'
import { gate, onBothStores, startWorker, until } from '../support/stint.ts'

interface Range {
  readonly next: number
  readonly to: number
  readonly sum: number
}

const retry = { baseMs: 0, maxAttempts: 2 }
const sliceRetry = { baseMs: 0, maxFailures: 3 }

/** Adds up the numbers of so many ranges of ten, three in each slice. */
function adding(
  overrides: { readonly before?: (index: number, next: number) => void; readonly tolerate?: number } = {},
) {
  const { before = () => {}, ...settings } = overrides
  return defineShardedJob('add', {
    plan: ({ params }: { params: { ranges: number } }) => {
      return Array.from({ length: params.ranges }, (_, i): Range => ({ next: i * 10, to: i * 10 + 10, sum: 0 }))
    },
    slice: ({ state, slice, index }) => {
      let { next, sum } = state
      before(index, next)
      while (next < state.to && slice.hasBudget()) {
        sum += next
        next += 1
      }
      return { state: { ...state, next, sum }, done: next === state.to, progress: [next - (state.to - 10), 10] }
    },
    reduce: (tasks) => tasks.reduce((sum, { state }) => sum + state.sum, 0),
    sliceItems: 3,
    width: 4,
    retry,
    sliceRetry,
    ...settings,
  })
}

const sumBelow = (n: number) => (n * (n - 1)) / 2

onBothStores('a sharded job', (setup) => {
  it('is split into tasks, which advance in slices on all workers, and put together', async () => {
    const { stint, open } = await setup()
    const other = await open()
    const job = adding()
    await startWorker(stint, { jobs: [job], concurrency: 3, pollMs: 50 })
    await startWorker(other, { jobs: [job], concurrency: 3, pollMs: 50 })
    const handle = await stint.submit(job, { ranges: 12 }, { name: '/sums/first' })
    expect(await handle.result()).toBe(sumBelow(120))
    expect((await stint.jobs.list({ branch: '/sums' })).items.map(({ name }) => name)).toEqual(['/sums/first'])
    expect((await stint.jobs.list({ branch: '/sums', tasks: true })).items).toHaveLength(13)
    const state = (await stint.shards.get(handle)) as ShardedJobState
    expect(state).toMatchObject({ total: 12, active: 0, done: 12, failed: 0, status: 'DONE', fraction: 1 })
    expect(state.progress).toEqual([120, 120])
    const { items, cursor } = await stint.shards.tasks(handle, { limit: 10 })
    expect([items.length, cursor]).toEqual([10, '10'])
    expect(items[3]).toMatchObject({
      name: '/sums/first/3',
      index: 3,
      status: 'DONE',
      slice: 4,
      retries: 0,
      error: null,
    })
    expect(items[3]?.state).toEqual({ next: 40, to: 40, sum: 345 })
    expect((await stint.shards.tasks(handle, { cursor: '10' })).items.map(({ index }) => index)).toEqual([10, 11])
    const { items: runs } = await stint.runs.list({ job: handle })
    expect(runs.map(({ attempt, status }) => [attempt, status])).toEqual([[1, 'COMPLETED']])
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('has tasks that are found by id and by name', async () => {
    const { stint } = await setup()
    const job = adding()
    await startWorker(stint, { jobs: [job] })
    const handle = await stint.submit(job, { ranges: 2 }, { name: '/sums/found' })
    await handle.result()
    const [, task] = (await stint.shards.tasks(handle)).items
    expect(task?.id).toBe(`${handle.id}-task-1`)
    for (const reference of [task?.id ?? '', '/sums/found/1', JobRunId.parse(handle.id).task(1)]) {
      expect(await stint.jobs.get(reference)).toMatchObject({
        id: task?.id,
        name: '/sums/found/1',
        outcome: 'COMPLETED',
      })
    }
    const { items: runs } = await stint.runs.list({ job: task?.id ?? '' })
    expect(runs).toMatchObject([{ id: `${handle.id}-task-1-run-1`, status: 'COMPLETED' }])
    const { items: log } = await stint.events.list({ job: task?.id ?? '' })
    expect(log.map(({ eventType }) => eventType).slice(0, 4)).toEqual([
      ...['job.created', 'job.run.started', 'task.slice.completed', 'job.run.resumed'],
    ])
  })

  it('keeps what all slices of a task have logged, in one run', async () => {
    const { stint } = await setup()
    const job = defineShardedJob('talk', {
      plan: () => [0],
      slice: ({ state, ctx }) => {
        ctx.log(`slice ${state}`)
        return { state: state + 1, done: state === 3 }
      },
    })
    await startWorker(stint, { jobs: [job] })
    const handle = await stint.submit(job, undefined, { name: '/talks/long' })
    await handle.result()
    const { items } = await stint.runs.log({ job: '/talks/long/0', attempt: 1 })
    expect(items.map(({ line }) => line)).toEqual(['slice 0', 'slice 1', 'slice 2', 'slice 3'])
    const { items: runs } = await stint.runs.list({ job: '/talks/long/0' })
    expect(runs.map(({ logPath }) => logPath)).toEqual([`stint:${handle.id}-task-0-run-1/log`])
  })

  it('without shards is done at once', async () => {
    const { stint } = await setup()
    const job = adding()
    await startWorker(stint, { jobs: [job] })
    expect(await (await stint.submit(job, { ranges: 0 })).result()).toBe(0)
  })

  it('repeats slices that fail, and begins anew with tasks whose slices fail too often', async () => {
    const { stint } = await setup()
    const failures = new Map<string, number>()
    const failing = (key: string, times: number) => {
      const count = (failures.get(key) ?? 0) + 1
      failures.set(key, count)
      if (count <= times) throw new Error(`${key} fails`)
    }
    const job = adding({
      before: (index, next) => {
        if (index === 1 && next === 13) failing('some slices', 2)
        if (index === 2 && next === 23) failing('an attempt', 3)
      },
    })
    await startWorker(stint, { jobs: [job], concurrency: 2 })
    const handle = await stint.submit(job, { ranges: 4 })
    expect(await handle.result()).toBe(sumBelow(40))
    const { items } = await stint.shards.tasks(handle)
    expect(items.map(({ retries }) => retries)).toEqual([0, 0, 1, 0])
    const { items: runs } = await stint.runs.list({ job: items[2]?.id ?? '' })
    expect(runs.map(({ status, error }) => [status, error])).toEqual([
      ['FAILED', 'an attempt fails'],
      ['COMPLETED', null],
    ])
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('fails with the first task that does, and stops the others', async () => {
    const { stint } = await setup()
    const job = adding({
      before: (index) => {
        if (index === 5) throw new TerminalError('no such range')
      },
    })
    await startWorker(stint, { jobs: [job], concurrency: 2 })
    const handle = await stint.submit(job, { ranges: 40 })
    await expect(handle.result()).rejects.toMatchObject({ code: 'job_failed' })
    expect((await stint.jobs.get(handle))?.error).toBe('Task 5 failed: no such range')
    const states = async () => (await stint.shards.tasks(handle)).items.map(({ status }) => status)
    await until(states, (found) => !found.includes('RUNNING'))
    expect(new Set(await states())).toEqual(new Set(['DONE', 'ERROR', 'ABORTED']))
    expect(await stint.shards.get(handle)).toMatchObject({ status: 'ERROR', active: 0 })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('tolerates as many failures as it says, but none that says that all is lost', async () => {
    const { stint } = await setup()
    let isLost = false
    const job = adding({
      tolerate: 0.25,
      before: (index) => {
        if (isLost && index === 0) throw new FailJobError('all is lost')
        if (index === 1 || index === 2) throw new TerminalError('bad')
      },
    })
    await startWorker(stint, { jobs: [job] })
    const handle = await stint.submit(job, { ranges: 8 })
    expect(await handle.result()).toBe(sumBelow(80) - sumBelow(30) + sumBelow(10))
    expect(await stint.shards.get(handle)).toMatchObject({ done: 6, failed: 2, status: 'DONE' })
    isLost = true
    await expect((await stint.submit(job, { ranges: 8 })).result()).rejects.toMatchObject({ code: 'job_failed' })
  })

  it('that failed is tried again with only the shards that were not done', async () => {
    const { stint } = await setup()
    let isBroken = true
    const ran: number[] = []
    const job = adding({
      before: (index) => {
        ran.push(index)
        if (isBroken && index === 5) throw new TerminalError('broken')
      },
    })
    const worker = await startWorker(stint, { jobs: [job], concurrency: 1 })
    const handle = await stint.submit(job, { ranges: 6 }, { name: '/sums/again' })
    await expect(handle.result()).rejects.toMatchObject({ code: 'job_failed' })
    const before = (await stint.shards.tasks(handle)).items
    const done = before.filter(({ status }) => status === 'DONE').map(({ index }) => index)
    expect(done.length).toBeGreaterThan(0)
    isBroken = false
    ran.length = 0
    const again = await stint.jobs.retry(handle.id)
    expect(await again.result()).toBe(sumBelow(60))
    expect(again.retryOf).toBe(handle.id)
    expect(ran.filter((index) => done.includes(index))).toEqual([])
    expect(await stint.shards.get(again)).toMatchObject({ total: 6, done: 6, failed: 0 })
    expect(await stint.verify()).toEqual({ differences: [] })
    await worker.stop()
  })

  it('runs the shards that are named once more, and those that were not done; the others keep their states', async () => {
    const { stint } = await setup()
    let isBroken = true
    const ran = new Set<number>()
    const job = adding({
      before: (index) => {
        ran.add(index)
        if (isBroken && index === 5) throw new TerminalError('broken')
      },
      tolerate: 1,
    })
    await startWorker(stint, { jobs: [job], concurrency: 2 })
    const first = await stint.submit(job, { ranges: 8 }, { name: '/sums/some' })
    expect(await first.result()).toBe(sumBelow(80) - sumBelow(60) + sumBelow(50))
    isBroken = false
    /** Runs some of a job again, and tells which were run and which of them began anew. */
    const runAgain = async (of: { readonly id: string }, indexes: readonly number[]) => {
      ran.clear()
      const again = await stint.shards.retry(of.id, { indexes })
      expect(await again.result()).toBe(sumBelow(80))
      expect(again.retryOf).toBe(of.id)
      expect(await stint.shards.get(again)).toMatchObject({ total: 8, done: 8, failed: 0 })
      const { items } = await stint.shards.tasks(again)
      // All slices were run once more: none went on with a state that was done.
      expect(items.filter(({ slice }) => slice === 4).map(({ index }) => index)).toEqual([...ran].sort())
      expect(items.map(({ slice }) => slice).filter((slice) => slice !== 0 && slice !== 4)).toEqual([])
      return { again, ran: [...ran].sort() }
    }
    const second = await runAgain(first, [6, 0])
    expect(second.ran).toEqual([0, 5, 6])
    const third = await runAgain(second.again, [1])
    expect(third.ran).toEqual([1])
    // What 6 began with stands with the second, that of 2 with the first.
    expect((await runAgain(third.again, [2, 6])).ran).toEqual([2, 6])
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('whose retry was never planned is repeated with what that would have run', async () => {
    const { stint } = await setup()
    const ran = new Set<number>()
    const job = adding({ before: (index) => ran.add(index) })
    const worker = await startWorker(stint, { jobs: [job] })
    const first = await stint.submit(job, { ranges: 4 }, { name: '/sums/unplanned' })
    await first.result()
    await worker.stop()
    ran.clear()
    const second = await stint.shards.retry(first.id, { indexes: [2] })
    await stint.jobs.cancel(second.id)
    const third = await stint.jobs.retry(second.id)
    await startWorker(stint, { jobs: [job] })
    expect(await third.result()).toBe(sumBelow(40))
    expect([...ran]).toEqual([2])
  })

  it('is not run again in part when it is not over, not split, done, or without such shards', async () => {
    const { stint } = await setup()
    const open = gate<SliceResult<number>>()
    const held = defineShardedJob('held', { plan: () => [0], slice: () => open.promise })
    const job = adding()
    await startWorker(stint, { jobs: [job, held, defineJob('plain', { run: () => null })], concurrency: 4 })
    const done = await stint.submit(job, { ranges: 3 }, { name: '/sums/refused' })
    const plain = await stint.submit('plain')
    const running = await stint.submit(held)
    await Promise.all([done.result(), plain.result()])
    await until(
      () => stint.shards.get(running),
      (state) => state !== null,
    )
    const refused = (of: { readonly id: string }, indexes?: unknown) => {
      const options = indexes === undefined ? {} : { indexes: indexes as readonly number[] }
      return stint.shards.retry(of.id, options).then(
        () => null,
        ({ code, details }) => [code, details?.field],
      )
    }
    expect(await refused(done)).toEqual(['illegal_transition', undefined])
    expect(await refused(done, [])).toEqual(['illegal_transition', undefined])
    expect(await refused(running, [0])).toEqual(['illegal_transition', undefined])
    expect(await refused(plain, [0])).toEqual(['not_found', undefined])
    expect(await refused({ id: '/sums/nowhere' }, [0])).toEqual(['not_found', undefined])
    for (const wrong of [-1, 3, 1.5, '1', null]) {
      expect(await refused(done, [0, wrong])).toEqual(['invalid_argument', 'indexes[1]'])
    }
    for (const wrong of ['0', 3, {}, [1, 1]])
      expect(await refused(done, wrong)).toEqual(['invalid_argument', 'indexes'])
    expect((await stint.jobs.list({ branch: '/sums' })).items).toHaveLength(1)
    open.resolve({ state: 0, done: true })
  })

  it('stops at any moment when it is cancelled', async () => {
    const { stint } = await setup()
    const open = gate()
    const job = defineShardedJob('wait', {
      plan: () => [0, 1, 2, 3, 4, 5],
      slice: async ({ state, signal }) => {
        if (state < 2)
          await Promise.race([open.promise, new Promise((_, fail) => signal.addEventListener('abort', fail))])
        return { state: state + 10, done: true }
      },
      width: 3,
    })
    await startWorker(stint, { jobs: [job], concurrency: 3 })
    const handle = await stint.submit(job)
    await until(
      () => stint.shards.get(handle),
      (state) => state?.done === 4,
    )
    expect(await stint.jobs.get(handle)).toMatchObject({ status: 'RUNNING', reason: 'waits for its 6 tasks' })
    await stint.jobs.cancel(handle)
    const states = async () => (await stint.shards.tasks(handle)).items.map(({ status }) => status)
    await until(states, (found) => !found.includes('RUNNING'))
    expect(await states()).toEqual(['ABORTED', 'ABORTED', 'DONE', 'DONE', 'DONE', 'DONE'])
    expect(await stint.jobs.get(handle)).toMatchObject({ status: 'CANCELLED' })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('waits while it is paused, and goes on where it was', async () => {
    const { stint } = await setup()
    const inTheMiddle = gate()
    const open = gate()
    let slices = 0
    const job = defineShardedJob('count', {
      plan: () => [0],
      slice: async ({ state }) => {
        slices += 1
        if (state === 2) {
          inTheMiddle.resolve()
          await open.promise
        }
        return { state: state + 1, done: state === 4 }
      },
      reduce: ([task]) => task?.state,
    })
    await startWorker(stint, { jobs: [job] })
    const handle = await stint.submit(job, undefined, { name: '/sums/paused' })
    await inTheMiddle.promise
    await stint.pause({ path: '/sums/paused' })
    open.resolve()
    // The slice that ran is saved; the next does not begin.
    const paused = await until(
      () => stint.jobs.get('/sums/paused/0'),
      (view) => view?.reason === 'paused at /sums/paused',
    )
    expect([paused?.result, slices]).toEqual([3, 3])
    await stint.resume({ path: '/sums/paused' })
    expect(await handle.result()).toBe(5)
    expect(slices).toBe(5)
  })

  it('is refused what makes no sense, with words that say so', async () => {
    const { stint } = await setup()
    const slice = () => ({ state: 1, done: true })
    const states: readonly [string, () => unknown, () => unknown, RegExp][] = [
      ['many', () => new Array(100_001).fill(0), slice, /plan may return at most 100000 shards; got 100001/],
      ['none', () => 7, slice, /plan must return the initial states of all tasks; got 7/],
      ['odd', () => [() => 1], slice, /state/],
      ['nothing', () => [1], () => undefined, /slice must return \{ state, done \}; got undefined/],
      ['strange', () => [1], () => ({ state: 1n, done: false }), /state/],
      ['idle', () => [1], () => ({ state: 1, done: false }), /did not change in 5 slices/],
    ]
    const jobs = states.map(([type, plan, each]) => {
      const settings = { retry: { maxAttempts: 1 }, sliceRetry: { maxFailures: 1, maxIdle: 5 } }
      return defineShardedJob(type, { plan: plan as () => number[], slice: each as typeof slice, ...settings })
    })
    await startWorker(stint, { jobs })
    for (const [i, [type, , , message]] of states.entries()) {
      const handle = await stint.submit(jobs[i] ?? type)
      await expect(handle.result(), type).rejects.toMatchObject({ code: 'job_failed' })
      expect((await stint.jobs.get(handle))?.error, type).toMatch(message)
    }
    for (const wrong of [{ width: 0 }, { width: 1.5 }, { sliceMs: -1 }, { sliceItems: 0 }, { tolerate: -1 }]) {
      expect(() => defineShardedJob('wrong', { plan: () => [1], slice, ...wrong })).toThrow(/must be/)
    }
    expect(() => defineShardedJob('wrong', { plan: () => [1], slice: 5 as never })).toThrow(/slice must be a function/)
    await expect(stint.complete({ id: '/x/y' }, 1)).rejects.toMatchObject({ code: 'not_found' })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('can be a program, run once for each shard', async () => {
    const { stint } = await setup()
    const script = 'echo "$STINT_TASK_ID of $STINT_SHARD_COUNT"; case "$STINT_TASK_ID" in */2) test "$1" != fail;; esac'
    const job = defineCommand('program', {
      command: (params: { how: string }) => ({ program: 'sh', args: ['-c', script, 'sh', params.how] }),
      shards: ({ how }) => (how === 'none' ? 0 : 3),
      retry,
    })
    await startWorker(stint, { jobs: [job], concurrency: 3 })
    const handle = await stint.submit(job, { how: 'well' }, { name: '/programs/well' })
    expect(await handle.result()).toBeNull()
    const { items } = await stint.runs.log({ job: '/programs/well/2', attempt: 1 })
    expect(items.map(({ line }) => line)).toEqual(['/programs/well/2 of 3'])
    const { items: runs } = await stint.runs.list({ job: '/programs/well/2' })
    expect(runs).toMatchObject([{ status: 'COMPLETED', exitCode: 0 }])
    expect(await (await stint.submit(job, { how: 'none' })).result()).toBeNull()
    const failing = await stint.submit(job, { how: 'fail' }, { name: '/programs/badly' })
    await expect(failing.result()).rejects.toMatchObject({ code: 'job_failed' })
    const { items: tried } = await stint.runs.list({ job: '/programs/badly/2' })
    expect(tried.map(({ status, exitCode }) => [status, exitCode])).toEqual([
      ['FAILED', 1],
      ['FAILED', 1],
    ])
  })

  it('shares its tasks with a worker that comes later, however fast the first is', async () => {
    const { stint, open } = await setup()
    const ran = [0, 0]
    const joined = gate()
    const job = (worker: 0 | 1) => {
      return defineShardedJob('shared', {
        plan: () => Array.from({ length: 3_000 }, (_, i) => i),
        slice: async ({ state }: { state: number }) => {
          ran[worker] = (ran[worker] ?? 0) + 1
          if (ran[0] === 300) joined.resolve()
          await sleep(2)
          return { state, done: true }
        },
        reduce: (tasks) => tasks.length,
        width: 32,
      })
    }
    await startWorker(stint, { jobs: [job(0)], concurrency: 10 })
    const handle = await stint.submit(job(0))
    await joined.promise
    await startWorker(await open(), { jobs: [job(1)], concurrency: 10 })
    expect(await handle.result()).toBe(3_000)
    expect(ran[1]).toBeGreaterThan(300)
  })
})
