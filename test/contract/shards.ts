import { describe, expect, it } from 'vitest'
import { defaultRetry, defaultSlicePolicy } from '../../src/core/job/job.ts'
import type { ShardedSpec } from '../../src/core/shard/sharded.ts'
import { taskUuid } from '../../src/store/shards/task-id.ts'
import type { ApplyRequest, Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel } from '../support/children.ts'
import { applied, codeOf as codeOfResult, type Setup, submitOne } from '../support/fixture.ts'
import { at, openStores, times } from '../support/racing.ts'
import { claimOf, claimOne, codeOf, completion, failure, finish } from '../support/requests.ts'

export const spec: ShardedSpec = {
  width: 3,
  tolerate: 0,
  retry: { ...defaultRetry, maxAttempts: 2, baseMs: 0 },
  slice: { ...defaultSlicePolicy, maxFailures: 2, baseMs: 0, maxIdle: 3 },
  timeoutMs: null,
}

const shards = (count: number) => times(count, (idx) => ({ idx, state: `{"at":${idx}}` }))

function planned(job: StoredJob, count: number): ApplyRequest {
  return finish(job, { kind: 'planned', shards: count })
}

function slice(job: StoredJob, state: string, seq = (job.job.slices?.seq ?? 0) + 1): ApplyRequest {
  const ending = { kind: 'sliced', seq, stateDigest: null, progress: [seq, 9], position: 0, random: 0 } as const
  return finish(job, ending, job.job.token ?? '', state)
}

/** A job that waits for its tasks. */
export async function split(store: Store, count: number, fields: Partial<ShardedSpec> = {}): Promise<StoredJob> {
  await submitOne(store, { name: '/m/whole', type: 'work', retry: { maxAttempts: 2, baseMs: 0 } })
  const job = await claimOne(store, { token: 'plan' })
  const page = { job: job.job.id, token: 'plan' }
  await store.control('shard.plan', { ...page, spec: { ...spec, ...fields }, shards: [] })
  await store.control('shard.plan', { ...page, shards: shards(count) })
  const [result] = await store.apply([planned(job, count)])
  return applied(result)
}

async function find(store: Store, { job }: StoredJob): Promise<StoredJob> {
  const [stored] = await store.find([{ id: job.id }])
  if (stored === undefined || stored === null) throw new Error('It is gone.')
  return stored
}

const countsOf = async (store: Store, { job }: StoredJob) => {
  const found = await store.control('shard.get', { job: job.id })
  return found === null ? null : [found.opened, found.done, found.failed]
}

const later = () => Date.now() + 60_000

export function shardsContract(setup: Setup): void {
  describe('a sharded job', () => {
    it('makes as many tasks as there is room for, each found by its index, and the next when one is over', async () => {
      const { store } = await setup()
      const whole = await split(store, 5)
      expect(whole.job).toMatchObject({ state: 'running', phase: 'awaiting', shards: 5 })
      expect(await countsOf(store, whole)).toEqual([3, 0, 0])
      const tasks = await store.claim(claimOf({ token: 'a' }))
      expect(tasks.map(({ job }) => job.name)).toEqual(['/m/whole/0', '/m/whole/1', '/m/whole/2'])
      expect(tasks.map(({ job }) => job.id)).toEqual(times(3, (i) => taskUuid(whole.job.id, i)))
      expect(tasks[1]).toMatchObject({ params: '{"at":1}', result: null, job: { attempt: 1 } })
      const list = (adopted: boolean) => store.control('shard.list', { job: whole.job.id, adopted, from: 0, limit: 9 })
      expect(await list(false)).toEqual(shards(5).slice(3))
      expect(await list(true)).toEqual([])
      await store.apply([completion(tasks[0] as StoredJob, '"done"')])
      expect(await countsOf(store, whole)).toEqual([4, 1, 0])
      expect((await store.claim(claimOf({ token: 'b' }))).map(({ job }) => job.name)).toEqual(['/m/whole/3'])
      const [named] = await store.find([{ name: '/m/whole/3' }])
      expect(named?.job.id).toBe(taskUuid(whole.job.id, 3))
      expect(await verify(store)).toEqual([])
    })

    it('goes on when its last task is over, in the attempt that it began with', async () => {
      const { store } = await setup()
      const whole = await split(store, 2)
      const tasks = await store.claim(claimOf({ token: 'a' }))
      await store.apply(tasks.map((task) => completion(task, '1')))
      expect(await verify(store)).toEqual([])
      const again = await claimOne(store, { token: 'reduce' })
      expect(again.job).toMatchObject({
        id: whole.job.id,
        phase: 'running',
        attempt: 1,
        startedAt: whole.job.startedAt,
      })
      expect(again).toEqual(await find(store, again))
      // It is no plain completion: its start stands in its row.
      expect((await store.complete([{ job: again, result: '2' }])).done).toEqual([false])
      applied((await store.apply([completion(again, '2')]))[0])
      const runs = await store.runs(whole.job.id)
      expect(runs.map(({ attempt, status }) => [attempt, status])).toEqual([[1, 'COMPLETED']])
      const { entries } = await store.events({ jobId: whole.job.id, limit: 20 })
      expect(entries.map(({ eventType }) => eventType)).toEqual([
        ...['job.created', 'job.run.started', 'job.run.planned', 'job.run.queued', 'job.run.resumed'],
        'job.run.completed',
      ])
      expect(await verify(store)).toEqual([])
    })

    it('fails for good with a task that does, and the others are stopped', async () => {
      const { store } = await setup()
      const whole = await split(store, 9)
      const [first, second] = await store.claim(claimOf({ token: 'a', limit: 2 }))
      const lost = finish(first as StoredJob, {
        kind: 'failed',
        error: 'no',
        terminal: true,
        failsJob: true,
        random: 0,
      })
      await store.apply([lost])
      expect((await find(store, whole)).job).toMatchObject({ outcome: 'FAILED', error: 'Task 0 failed: no' })
      while (await store.followUp({ limit: 10 }));
      expect((await find(store, second as StoredJob)).job.cancelReason).toMatch(/./)
      expect(await store.claim(claimOf({ token: 'b', now: later() }))).toEqual([])
      await store.apply([slice(second as StoredJob, '7')])
      expect((await find(store, second as StoredJob)).job).toMatchObject({ cancelled: true })
      expect(await countsOf(store, whole)).toEqual([3, 0, 3])
      expect(await verify(store)).toEqual([])
    })

    it('takes its tasks along when it is cancelled', async () => {
      const { store } = await setup()
      const whole = await split(store, 9)
      await claimOne(store, { token: 'a' })
      await store.apply([cancel(whole)])
      while (await store.followUp({ limit: 2 }));
      expect((await find(store, whole)).job).toMatchObject({ state: 'final', cancelled: true })
      expect(await store.claim(claimOf({ token: 'b', now: later() }))).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('is planned by the attempt that holds it, once', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/m/whole' })
      const job = await claimOne(store, { token: 'plan' })
      const plan = (token: string, count = 1) => {
        return store.control('shard.plan', { job: job.job.id, token, spec, shards: shards(count) })
      }
      expect(await codeOf(plan('other'))).toBe('stale_token')
      expect(await store.control('shard.get', { job: job.job.id })).toBeNull()
      for (const wrong of [{ width: 0 }, { tolerate: -1 }, { slice: { ...spec.slice, maxIdle: 0 } }]) {
        const input = { job: job.job.id, token: 'plan', spec: { ...spec, ...wrong }, shards: [] }
        expect(await codeOf(store.control('shard.plan', input))).toBe('invalid_argument')
      }
      expect(await codeOf(store.apply([planned(job, 2)]))).toBe('invalid_argument')
      // A plan that was begun and begun anew: only the second counts.
      await plan('plan', 3)
      await plan('plan', 2)
      expect(await codeOf(store.apply([planned(job, 3)]))).toBe('invalid_argument')
      expect((await find(store, job)).job.phase).toBe('running')
      applied((await store.apply([planned(job, 2)]))[0])
      expect(await countsOf(store, job)).toEqual([2, 0, 0])
      expect(await codeOf(plan('plan'))).toBe('stale_token')
      expect(await verify(store)).toEqual([])
    })

    it('keeps which shards its retry runs again, whoever claims it', async () => {
      const { store } = await setup()
      const none = await submitOne(store, { name: '/m/all', retryOf: 'before', rerun: [] })
      expect(none.job.rerun).toBeNull()
      const made = await submitOne(store, { name: '/m/again', retryOf: 'before', rerun: [4, 0], priority: 1 })
      expect(made.job.rerun).toEqual([4, 0])
      expect((await find(store, made)).job.rerun).toEqual([4, 0])
      expect((await claimOne(store, { token: 'plan' })).job).toMatchObject({ id: made.job.id, rerun: [4, 0] })
      const { entries } = await store.events({ jobId: made.job.id, limit: 1 })
      expect(entries[0]?.attributes).toMatchObject({ retryOf: 'before', rerun: [4, 0] })
      expect(await verify(store)).toEqual([])
    })

    it('counts shards that were taken over as done', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/m/whole' })
      const job = await claimOne(store, { token: 'plan' })
      const adopted = [{ idx: 1, state: '"old"' }]
      const [first, , third] = shards(3)
      await store.control('shard.plan', { job: job.job.id, token: 'plan', spec, shards: [], adopted })
      await store.control('shard.plan', { job: job.job.id, token: 'plan', shards: [first, third] as never })
      await store.apply([planned(job, 3)])
      const tasks = await store.claim(claimOf({ token: 'a' }))
      expect(tasks.map(({ job: { name } }) => name)).toEqual(['/m/whole/0', '/m/whole/2'])
      const page = { job: job.job.id, adopted: true, from: 0, limit: 5 }
      expect(await store.control('shard.list', page)).toEqual(adopted)
      await store.apply(tasks.map((task) => completion(task, '1')))
      expect((await find(store, job)).job.phase).toBe('queued')
      expect(await verify(store)).toEqual([])
    })

    it('makes no more tasks than there is room for, though some were taken over and a name is not free', async () => {
      const { store } = await setup()
      const earlier = await split(store, 3)
      const old = await store.claim(claimOf({ token: 'old' }))
      await store.apply(old.slice(0, 2).map((task) => completion(task, '1')))
      await store.apply([cancel(earlier)])
      await submitOne(store, { name: '/m/whole' })
      const job = await claimOne(store, { token: 'plan' })
      const [first, taken, ...rest] = shards(6)
      const open = [first, ...rest] as never
      await store.control('shard.plan', {
        job: job.job.id,
        token: 'plan',
        spec,
        shards: open,
        adopted: [taken as never],
      })
      await store.apply([planned(job, 6)])
      expect(await countsOf(store, job)).toEqual([3, 0, 0])
      const tasks = await store.claim(claimOf({ token: 'a' }))
      const names = tasks.map(({ job: { name } }) => name)
      expect(names.toSorted()).toEqual(['/m/whole/0', '/m/whole/2', '/m/whole/3'])
      expect(await verify(store)).toEqual([])
    })
  })

  describe('a task', () => {
    it('brings its state with every claim, queues behind others, and what comes late changes nothing', async () => {
      const { store } = await setup()
      await split(store, 2)
      const first = await claimOne(store, { token: 'a' })
      const saved = applied((await store.apply([slice(first, '{"at":10}')]))[0])
      expect(saved).toMatchObject({
        result: '{"at":10}',
        job: { state: 'running', phase: 'queued', slices: { seq: 1 } },
      })
      // The same again, and the same as another: the first stays.
      expect(codeOfResult((await store.apply([slice(first, '{"at":10}')]))[0])).toBe('ok')
      expect(codeOfResult((await store.apply([slice(first, '{"at":11}')]))[0])).toBe('stale_token')
      const next = await store.claim(claimOf({ token: 'b' }))
      expect(next.map(({ job }) => job.name)).toEqual(['/m/whole/1', '/m/whole/0'])
      const again = next[1] as StoredJob
      expect(again).toMatchObject({
        result: '{"at":10}',
        job: { attempt: 1, token: 'b', startedAt: first.job.startedAt },
      })
      expect(again).toEqual(await find(store, again))
      expect(codeOfResult((await store.apply([slice(first, '{"at":12}')]))[0])).toBe('stale_token')
      expect(codeOfResult((await store.apply([slice(again, '{"at":12}', 1)]))[0])).toBe('stale_slice')
      expect(codeOfResult((await store.apply([slice(again, '{"at":12}', 3)]))[0])).toBe('stale_slice')
      expect((await find(store, again)).result).toBe('{"at":10}')
      expect(await verify(store)).toEqual([])
    })

    it('writes its log to one attempt, however many slices it has', async () => {
      const { store } = await setup()
      await split(store, 1)
      for (const [i, token] of ['a', 'b', 'c'].entries()) {
        const task = await claimOne(store, { token })
        const lines = [{ seq: i + 1, at: 1, line: token }]
        expect(await store.report([{ jobId: task.job.id, token, lines }])).toEqual([true])
        await store.apply([slice(task, `${i}`)])
      }
      const [task] = await store.claim(claimOf({ token: 'd' }))
      const found = await store.logs({ jobId: task?.job.id ?? '', attempt: 1, limit: 9 })
      expect(found.map(({ line }) => line)).toEqual(['a', 'b', 'c'])
    })

    it.each([
      // Failures of slices in a row, and attempts that fail: 2 and 2 are too many.
      [1, 0, 'COMPLETED', 0],
      [0, 1, 'COMPLETED', 1],
      [1, 1, 'COMPLETED', 1],
      [0, 2, 'FAILED', 2],
    ] as const)('with %i failures and %i failed attempts ends %s', async (failures, attempts, outcome, charged) => {
      const { store } = await setup()
      const whole = await split(store, 1)
      const run = async (token: string, end: (task: StoredJob) => ApplyRequest) => {
        applied((await store.apply([end(await claimOne(store, { token, now: later() }))]))[0])
      }
      await run('first', (task) => slice(task, '"half"'))
      for (const i of times(attempts, (n) => n)) {
        await run(`a${i}`, (task) => failure(task))
        await run(`b${i}`, (task) => failure(task))
      }
      if (outcome === 'COMPLETED') {
        for (const i of times(failures, (n) => n)) await run(`f${i}`, (task) => failure(task))
        const task = await claimOne(store, { token: 'last', now: later() })
        // After a failed attempt it begins with the initial state.
        expect(task.result).toBe(attempts === 0 ? '"half"' : null)
        applied((await store.apply([completion(task, '"whole"')]))[0])
      }
      const [task] = await store.find([{ id: taskUuid(whole.job.id, 0) }])
      expect([task?.job.outcome, task?.job.charged]).toEqual([outcome, charged])
      expect((await find(store, whole)).job.phase).toBe(outcome === 'COMPLETED' ? 'queued' : 'final')
      expect((await store.runs(task?.job.id ?? '')).length).toBe(charged + (outcome === 'COMPLETED' ? 1 : 0))
      expect(await verify(store)).toEqual([])
    })

    it('that is lost is claimed again with the state that was saved', async () => {
      const { store } = await setup()
      await split(store, 1)
      const first = await claimOne(store, { token: 'a' })
      await store.apply([slice(first, '"one"')])
      const second = await claimOne(store, { token: 'b' })
      const lose = { type: 'lose', token: 'b', random: 0, alone: true } as const
      applied((await store.apply([{ job: second.job.id, command: lose }]))[0])
      const third = await claimOne(store, { token: 'c', now: later() })
      expect(third).toMatchObject({
        result: '"one"',
        job: { attempt: 1, suspect: true, slices: { seq: 1, failures: 1 } },
      })
      expect(codeOfResult((await store.apply([slice(second, '"late"')]))[0])).toBe('stale_token')
      expect(await verify(store)).toEqual([])
    })
  })

  describe('tasks at the same time', () => {
    it('as the cancel of their job leave none behind that goes on', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 3)
      for (const round of times(6, (i) => i)) {
        const whole = await split(store, 9)
        const tasks = await store.claim(claimOf({ token: `r${round}` }))
        await Promise.all([
          ...tasks.map((task, i) => at(stores, i).apply([completion(task, '1')])),
          at(stores, round).apply([cancel(whole)]),
        ])
        while (await store.followUp({ limit: 10 }));
        expect((await find(store, whole)).job.cancelled).toBe(true)
        const left = await store.find(times(9, (i) => ({ id: taskUuid(whole.job.id, i) })))
        expect(left.filter((task) => task !== null && task.job.state !== 'final')).toEqual([])
        expect(await store.claim(claimOf({ token: `x${round}`, now: later() }))).toEqual([])
      }
      expect(await verify(store)).toEqual([])
    })

    it('never have more open than the width, are each done once, and let their job go on once', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 4)
      const whole = await split(store, 40, { width: 8 })
      const states = new Map<string, number>()
      let most = 0
      const work = async (own: Store, worker: number) => {
        for (let round = 0; round < 500; round++) {
          const tasks = await own.claim(claimOf({ workerId: `w${worker}`, token: `${worker}-${round}`, limit: 3 }))
          if (tasks.some(({ job }) => job.id === whole.job.id)) return
          const [opened = 0, done = 0] = (await countsOf(own, whole)) ?? []
          most = Math.max(most, opened - done)
          await own.apply(
            tasks.map((task) => {
              const seq = task.job.slices?.seq ?? 0
              // Every state is seen once: no slice is done twice, and none is left out.
              const key = `${task.job.name} ${seq}`
              states.set(key, (states.get(key) ?? 0) + 1)
              return seq === 2 ? completion(task, '3') : slice(task, `${seq + 1}`)
            }),
          )
          if ((await find(own, whole)).job.phase !== 'awaiting') return
        }
      }
      await Promise.all(times(6, (i) => work(at(stores, i), i)))
      expect([...states.values()].every((count) => count === 1)).toBe(true)
      expect(states.size).toBe(120)
      expect(most).toBe(8)
      expect(await countsOf(store, whole)).toEqual([40, 40, 0])
      const { entries } = await store.events({ jobId: whole.job.id, limit: 20 })
      expect(entries.filter(({ eventType }) => eventType === 'job.run.queued')).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })
  })
}
