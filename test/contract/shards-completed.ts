import { describe, expect, it } from 'vitest'
import type { ShardedSpec } from '../../src/core/shard/sharded.ts'
import { digestOf } from '../../src/store/digest.ts'
import { taskUuid } from '../../src/store/shards/task-id.ts'
import type { LogEntry, Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel } from '../support/children.ts'
import { applied, type Setup, submitOne } from '../support/fixture.ts'
import { at, openStores, times } from '../support/racing.ts'
import { claimOf, claimOne, completion, failure, finish } from '../support/requests.ts'
import { spec } from './shards.ts'

interface Whole {
  readonly name?: string
  readonly states: readonly string[]
  readonly spec?: Partial<ShardedSpec>
  readonly fields?: Partial<Submission>
}

/** A job that waits for its tasks. */
async function split(store: Store, { name = '/m/whole', states, spec: own = {}, fields }: Whole): Promise<StoredJob> {
  await submitOne(store, { name, type: 'work', ...fields })
  const job = await claimOne(store, { token: `plan${name.replaceAll('/', '.')}`, limit: 1 })
  const shards = states.map((state, idx) => ({ idx, state }))
  const token = job.job.token ?? ''
  await store.control('shard.plan', { job: job.job.id, token, spec: { ...spec, ...own }, shards })
  const [result] = await store.apply([finish(job, { kind: 'planned', shards: states.length })])
  return applied(result)
}

const claim = (store: Store, token: string, limit = 100) => store.claim(claimOf({ token, limit }))
const complete = async (store: Store, tasks: readonly StoredJob[], result = '"done"') => {
  return (await store.complete(tasks.map((job) => ({ job, result })))).done
}
const namesOf = (tasks: readonly StoredJob[]) => tasks.map(({ job }) => job.name)
const countsOf = async (store: Store, { job }: StoredJob) => {
  const found = await store.control('shard.get', { job: job.id })
  return found === null ? null : [found.opened, found.done, found.failed]
}
const plainStates = (count: number) => times(count, (i) => `{"at":${i}}`)

/** What a task's first event says, but for what is of that one task. */
async function createdBy(store: Store, { job }: StoredJob) {
  const { entries } = await store.events({ jobId: job.id, limit: 1 })
  const { cause, executionId, actor, attributes } = entries[0] as LogEntry
  const own = { name: '', paramsDigest: '', deadlineAt: null, priority: 0, position: 0, scheduledFor: 0 }
  return { cause, executionId, actor, attributes: { ...attributes, ...own, task: { ...job.task, of: '', index: 0 } } }
}

/** Tasks that end as nearly all do, which stores write the short way, and what they make of the next ones. */
export function completedShardsContract(setup: Setup): void {
  describe('tasks that are completed', () => {
    it('are made all at once where there is room, however many, each with an entry of its own', async () => {
      const { store } = await setup()
      const count = 1_100
      const whole = await split(store, { states: plainStates(count), spec: { width: count } })
      expect(await countsOf(store, whole)).toEqual([count, 0, 0])
      const tasks = await claim(store, 'a', 2_000)
      expect(namesOf(tasks)).toEqual(times(count, (i) => `/m/whole/${i}`))
      for (const i of [0, 1_023, 1_024, count - 1]) {
        const { entries } = await store.events({ jobId: tasks[i]?.job.id ?? '', limit: 1 })
        expect(entries[0]).toMatchObject({ eventType: 'job.created', attributes: { name: `/m/whole/${i}` } })
      }
      expect(await verify(store)).toEqual([])
    })

    it('let the next ones be made, as many as there is room for, until their job goes on', async () => {
      const { store } = await setup()
      const whole = await split(store, { states: plainStates(8) })
      const first = await claim(store, 'a')
      expect(await complete(store, first.slice(0, 2))).toEqual([true, true])
      expect(await countsOf(store, whole)).toEqual([5, 2, 0])
      const second = await claim(store, 'b')
      expect(namesOf(second)).toEqual(['/m/whole/3', '/m/whole/4'])
      // A task that fails is counted as well, and so is what was completed before.
      await store.apply([failure(first[2] as StoredJob)])
      expect(await complete(store, [...second, first[0] as StoredJob])).toEqual([true, true, false])
      expect(await countsOf(store, whole)).toEqual([7, 4, 0])
      for (const round of times(9, (i) => i)) {
        const tasks = await claim(store, `c${round}`, 2)
        const done = await complete(store, tasks)
        // One that has failed before is for `apply`.
        await store.apply(tasks.filter((_, i) => !done[i]).map((task) => completion(task)))
      }
      const reduced = await store.find([{ id: whole.job.id }])
      expect(reduced[0]?.job).toMatchObject({ outcome: 'COMPLETED', shards: 8 })
      expect(await countsOf(store, whole)).toEqual([8, 8, 0])
      expect(await verify(store)).toEqual([])
    })

    it('are followed by tasks that are what the decider makes of them, whatever their states and names are', async () => {
      const { store } = await setup()
      const odd = ['"\\"quoted\\\\"', '"grüße ✓ 😀"', '{"a":"\\u0001\'"}', 'null', '[1,"{}",{"index":-1}]', '"é"']
      const states = [...plainStates(3), ...odd, ...plainStates(4)]
      const whole = await split(store, { name: '/m/who-le.~_x', states })
      await complete(store, await claim(store, 'a'))
      const made = await claim(store, 'b')
      expect(made.map(({ params }) => params)).toEqual(odd.slice(0, 3))
      await complete(store, made)
      const more = await claim(store, 'c')
      expect(more.map(({ params }) => params)).toEqual(odd.slice(3))
      for (const [i, { job, params }] of [...made, ...more].entries()) {
        expect(job.id).toBe(taskUuid(whole.job.id, 3 + i))
        expect(job.paramsDigest).toBe(digestOf(params))
        expect(job.task).toMatchObject({ of: whole.job.id, index: 3 + i, total: states.length, slice: spec.slice })
      }
      // Those of a job with a deadline are decided one by one.
      const slow = await split(store, {
        name: '/m/slow',
        states,
        fields: { deadlineAt: Date.now() + 1e9, priority: 1 },
      })
      const [like] = await claim(store, 'd', 1)
      const [left, right] = [await createdBy(store, like as StoredJob), await createdBy(store, made[0] as StoredJob)]
      expect({ ...right, cause: '' }).toEqual({ ...left, cause: '' })
      expect([left.cause, right.cause]).toEqual([slow, whole].map(({ job }) => `${job.id}.${job.version}`))
      expect(await verify(store)).toEqual([])
    })

    it('free the names of the next ones, if tasks of an earlier job still have them', async () => {
      const { store } = await setup()
      const earlier = await split(store, { states: plainStates(6), spec: { width: 6 } })
      const old = await claim(store, 'old')
      await store.apply([cancel(earlier)])
      const whole = await split(store, { states: plainStates(9) })
      const tasks = await claim(store, 'a')
      expect(tasks.map(({ job }) => job.id)).toEqual(times(3, (i) => taskUuid(whole.job.id, i)))
      expect(await complete(store, tasks)).toEqual([true, true, true])
      const next = await claim(store, 'b')
      expect(next.map(({ job }) => job.id)).toEqual(times(3, (i) => taskUuid(whole.job.id, 3 + i)))
      const [gone] = await store.find([{ id: old[4]?.job.id ?? '' }])
      expect(gone?.job.cancelReason).toBe(`replaced by a task of ${whole.job.id}`)
      expect(await countsOf(store, whole)).toEqual([6, 3, 0])
      expect(await verify(store)).toEqual([])
    })

    it('of several jobs, and others, are written in one call', async () => {
      const { store } = await setup()
      const one = await split(store, { name: '/m/one', states: plainStates(7) })
      const two = await split(store, { name: '/m/two', states: plainStates(2), fields: { priority: 5 } })
      await submitOne(store, { name: '/m/plain' })
      const tasks = await claim(store, 'a')
      expect(tasks).toHaveLength(6)
      expect(await complete(store, tasks)).toEqual(times(6, () => true))
      expect(await countsOf(store, one)).toEqual([6, 3, 0])
      expect(await countsOf(store, two)).toEqual([2, 2, 0])
      const [reducing] = await claim(store, 'b', 1)
      expect(reducing?.job.id).toBe(two.job.id)
      const found = await store.find(tasks.map(({ job }) => ({ id: job.id })))
      expect(found.map((task) => task?.job.finishedAt)).toEqual(times(6, () => found[0]?.job.finishedAt))
      expect(await verify(store)).toEqual([])
    })

    it('leave no deadline behind', async () => {
      const { store } = await setup()
      await split(store, { states: plainStates(7), spec: { timeoutMs: 50 } })
      await complete(store, await claim(store, 'a'))
      const { jobIds } = await store.overdue({ after: null, limit: 10, now: Date.now() + 1e6 })
      expect(jobIds).toEqual([])
      expect(namesOf(await claim(store, 'b'))).toHaveLength(3)
      expect(await verify(store)).toEqual([])
    })

    it('of a job that was cancelled meanwhile are followed by none', async () => {
      const { store } = await setup()
      const whole = await split(store, { states: plainStates(20) })
      await complete(store, await claim(store, 'a'))
      const tasks = await claim(store, 'b')
      await store.apply([cancel(whole)])
      expect((await complete(store, tasks)).every((done) => done)).toBe(true)
      expect(await countsOf(store, whole)).toEqual([6, 6, 0])
      while (await store.followUp({ limit: 10 }));
      expect(await claim(store, 'd')).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('by many at the same time never leave more open than the width, and let their job go on once', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 3)
      const whole = await split(store, { states: plainStates(60), spec: { width: 7 } })
      let most = 0
      let reduced = 0
      const work = async (own: Store, worker: number) => {
        for (let round = 0; round < 500; round++) {
          const tasks = await own.claim(claimOf({ workerId: `w${worker}`, token: `${worker}-${round}`, limit: 3 }))
          if (tasks.some(({ job }) => job.id === whole.job.id)) reduced += 1
          const [opened = 0, done = 0] = (await countsOf(own, whole)) ?? []
          most = Math.max(most, opened - done)
          await complete(own, tasks)
          if (done === 60) return
        }
      }
      await Promise.all(times(5, (i) => work(at(stores, i), i)))
      expect(await countsOf(store, whole)).toEqual([60, 60, 0])
      expect([most, reduced]).toEqual([7, 1])
      expect(await verify(store)).toEqual([])
    })

    it('tell what they came to, with those that were not', async () => {
      const { store } = await setup()
      const whole = await split(store, { states: plainStates(5), spec: { tolerate: 1 } })
      const [first, second, third] = await claim(store, 'a')
      await complete(store, [first as StoredJob], '"whole"')
      await store.apply([failure(second as StoredJob, 'no', { terminal: true })])
      // One whose id somebody chose so that it stands among theirs.
      await submitOne(store, { name: '/m/other', id: taskUuid(whole.job.id, 1).replace(/.{7}$/, 'fffffff') })
      const page = { job: whole.job.id, from: 0, limit: 5 }
      const states = await store.control('shard.tasks', page)
      const found = states.toSorted((a, b) => a.idx - b.idx)
      expect(found).toHaveLength(4)
      expect(found).toMatchObject([
        { idx: 0, state: '"whole"', done: 1, error: null },
        { idx: 1, state: '{"at":1}', done: 0, error: 'no' },
        { idx: 2, state: third?.params, done: 0, error: null },
        { idx: 3, state: '{"at":3}', done: 0, error: null },
      ])
      expect(await store.control('shard.tasks', { ...page, from: 1, limit: 1 })).toMatchObject([{ idx: 1 }])
    })
  })
}
