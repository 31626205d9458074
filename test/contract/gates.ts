import { describe, expect, it } from 'vitest'
import type { Store, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, newId, type Setup, submission } from '../support/fixture.ts'
import { openStores, times } from '../support/racing.ts'
import { claimOf, completion, failure, finish } from '../support/requests.ts'

export function gatesContract(setup: Setup): void {
  const namesOf = (jobs: readonly { readonly job: { readonly name: string } }[]) => jobs.map(({ job }) => job.name)
  const submitNamed = async (store: Store, names: readonly string[], fields: Partial<Submission> = {}) => {
    const results = await store.submit(
      names.map((name) => submission({ name, ...fields })),
      { now: 1_000 },
    )
    return results.map((result) => accepted(result))
  }
  const gpu = (concurrency: number) => [{ key: 'gpu', concurrency }]

  describe('limits', () => {
    it('let so many attempts be open at once, and the next start when one has ended', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/t/a', '/t/b', '/t/c', '/t/d'], { limits: gpu(2) })
      await submitNamed(store, ['/t/free'])
      const first = await store.claim(claimOf({ now: 2_000 }))
      expect(namesOf(first)).toEqual(['/t/a', '/t/b', '/t/free'])
      expect(await store.claim(claimOf({ now: 2_000, token: 't2' }))).toEqual([])
      expect(await store.limits()).toMatchObject([{ key: 'gpu', concurrency: 2, rate: null, held: 2, started: 0 }])
      expect(await verify(store)).toEqual([])

      const [a, b] = first
      await store.apply([completion(a as never)], { now: 2_100 })
      const second = await store.claim(claimOf({ now: 2_200, token: 't3' }))
      expect(namesOf(second)).toEqual(['/t/c'])
      await store.apply([failure(b as never, 'boom', { terminal: true })], { now: 2_300 })
      expect(namesOf(await store.claim(claimOf({ now: 2_400, token: 't4' })))).toEqual(['/t/d'])
      expect(await verify(store)).toEqual([])
    })

    it('are kept in the order of the queue, also by a job that comes late and is more urgent', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/t/a', '/t/b', '/t/c'], { limits: gpu(1) })
      const [a] = await store.claim(claimOf({ now: 2_000 }))
      await submitNamed(store, ['/t/urgent'], { limits: gpu(1), priority: 9 })
      expect(await store.claim(claimOf({ now: 2_000, token: 't2' }))).toEqual([])
      await store.apply([completion(a as never)], { now: 2_100 })
      expect(namesOf(await store.claim(claimOf({ now: 2_200, token: 't3' })))).toEqual(['/t/urgent'])
      expect(await verify(store)).toEqual([])
    })

    it('free nothing twice and keep nothing: whatever ends an attempt', async () => {
      const { store } = await setup()
      await submitNamed(
        store,
        times(6, (i) => `/t/j${i}`),
        { limits: gpu(1), retry: { baseMs: 0 } },
      )
      const ends = ['completed', 'failed', 'giveBack', 'lose', 'cancel', 'elapse'] as const
      for (const [i, end] of ends.entries()) {
        const now = 10_000 * (i + 1)
        const [job] = await store.claim(claimOf({ now, token: `t${i}`, limit: 1 }))
        if (job === undefined) throw new Error(`Nothing was claimed before ${end}.`)
        const token = job.job.token ?? ''
        if (end === 'completed') await store.apply([completion(job)], { now })
        if (end === 'failed') await store.apply([failure(job)], { now })
        if (end === 'giveBack') await store.apply([{ job, command: { type: 'giveBack', token } }], { now })
        if (end === 'lose') {
          await store.apply([{ job, command: { type: 'lose', token, random: 0, alone: true } }], { now })
        }
        if (end === 'cancel' || end === 'elapse') {
          await store.apply([{ job: job.job.id, command: { type: 'cancel', reason: 'test' } }], { now })
          await store.apply([{ job: job.job.id, command: { type: 'giveBack', token } }], { now })
        }
        expect(await store.limits(), end).toMatchObject([{ held: 0 }])
        expect(await verify(store), end).toEqual([])
      }
    })

    it('of a rate let so many start within any time of that length', async () => {
      const { store } = await setup()
      const limits = [{ key: 'api', rate: { count: 2, perMs: 1_000 } }]
      await submitNamed(
        store,
        times(6, (i) => `/t/j${i}`),
        { limits },
      )
      const starts: number[] = []
      for (let now = 2_000; now <= 4_500; now += 100) {
        const jobs = await store.claim(claimOf({ now, token: `t${now}`, limit: 1 }))
        for (const job of jobs) {
          starts.push(now)
          await store.apply([completion(job)], { now })
        }
      }
      expect(starts).toEqual([2_000, 2_100, 3_000, 3_100, 4_000, 4_100])
      expect(await verify(store)).toEqual([])
    })

    it('of a path hold for all below it, what runs there already included', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/a/x', '/a/y', '/ab/z', '/a/w', '/a'])
      const [x] = await store.claim(claimOf({ now: 2_000, limit: 1 }))
      await store.setLimit({ key: '/a', concurrency: 2 })
      const next = await store.claim(claimOf({ now: 2_000, token: 't2' }))
      expect(namesOf(next)).toEqual(['/a/y', '/ab/z'])
      await store.apply([completion(x as never)], { now: 2_100 })
      expect(namesOf(await store.claim(claimOf({ now: 2_200, token: 't3' })))).toEqual(['/a/w'])
      expect(await verify(store)).toEqual([])
      expect(await store.removeLimit('/a')).toBe(true)
      expect(await store.removeLimit('/a')).toBe(false)
      expect(namesOf(await store.claim(claimOf({ now: 2_300, token: 't4' })))).toEqual(['/a'])
      expect(await verify(store)).toEqual([])
    })

    it('are all kept by a job that has several', async () => {
      const { store } = await setup()
      const both = [
        { key: 'a', concurrency: 1 },
        { key: 'b', concurrency: 2 },
      ]
      await submitNamed(store, ['/t/ab'], { limits: both })
      await submitNamed(store, ['/t/b1', '/t/b2'], { limits: [{ key: 'b' }] })
      await submitNamed(store, ['/t/a1'], { limits: [{ key: 'a' }] })
      const first = await store.claim(claimOf({ now: 2_000 }))
      expect(namesOf(first)).toEqual(['/t/ab', '/t/b1'])
      await store.apply([completion(first[0] as never)], { now: 2_100 })
      expect(namesOf(await store.claim(claimOf({ now: 2_200, token: 't2' })))).toEqual(['/t/b2', '/t/a1'])
      expect(await verify(store)).toEqual([])
    })

    it('that are changed count from then on', async () => {
      const { store } = await setup()
      await submitNamed(
        store,
        times(5, (i) => `/t/j${i}`),
        { limits: gpu(1) },
      )
      expect(await store.claim(claimOf({ now: 2_000 }))).toHaveLength(1)
      await store.setLimit({ key: 'gpu', concurrency: 3 })
      expect(await store.claim(claimOf({ now: 2_000, token: 't2' }))).toHaveLength(2)
      await store.setLimit({ key: 'gpu', concurrency: 1 })
      expect(await store.claim(claimOf({ now: 2_000, token: 't3' }))).toHaveLength(0)
      await store.setLimit({ key: 'gpu', concurrency: null })
      expect(await store.claim(claimOf({ now: 2_000, token: 't4' }))).toHaveLength(2)
      expect(await verify(store)).toEqual([])
    })

    it('shut a job out until it is edited or cancelled, too', async () => {
      const { store } = await setup()
      const [, b, c] = await submitNamed(store, ['/t/a', '/t/b', '/t/c'], { limits: gpu(1) })
      const [a] = await store.claim(claimOf({ now: 2_000 }))
      const results = await store.apply(
        [
          { job: b?.job.id ?? '', command: { type: 'cancel', reason: 'test' } },
          { job: c?.job.id ?? '', command: { type: 'edit', changes: { priority: 5 } } },
        ],
        { now: 2_050 },
      )
      expect(results.map(({ ok }) => ok)).toEqual([true, true])
      expect(await verify(store)).toEqual([])
      await store.apply([completion(a as never)], { now: 2_100 })
      expect(namesOf(await store.claim(claimOf({ now: 2_200, token: 't2' })))).toEqual(['/t/c'])
      expect(await verify(store)).toEqual([])
    })

    it('let a worker pass that knows another type than the one that is first in line', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/t/a'], { limits: gpu(1) })
      await submitNamed(store, ['/t/rare'], { limits: gpu(1), type: 'rare' })
      await submitNamed(store, ['/t/b'], { limits: gpu(1) })
      const [a] = await store.claim(claimOf({ now: 2_000, types: ['work', 'rare'] }))
      await store.apply([completion(a as never)], { now: 2_100 })
      expect(namesOf(await store.claim(claimOf({ now: 2_200, token: 't2' })))).toEqual(['/t/b'])
      expect(await verify(store)).toEqual([])
    })

    it('never let too many start, and leave none behind, with ten who claim and complete at once', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 5)
      const keys = ['k0', 'k1', 'k2']
      await store.submit(
        times(90, (i) => submission({ limits: [{ key: keys[i % 3] ?? '', concurrency: (i % 3) + 1 }] })),
      )
      await store.submit(times(30, () => submission()))
      const running = new Map<string, number>()
      let done = 0
      let over = 0
      const work = async (mine: Store, worker: number) => {
        for (let round = 0; done < 120 && round < 2_000; round++) {
          const token = `t${worker}-${round}`
          const jobs = await mine.claim(claimOf({ workerId: `w${worker}`, token, limit: 3 }))
          for (const { job } of jobs) {
            for (const key of job.limits) {
              running.set(key, (running.get(key) ?? 0) + 1)
              if ((running.get(key) ?? 0) > keys.indexOf(key) + 1) over += 1
            }
          }
          await new Promise((resolve) => setTimeout(resolve, 1))
          for (const { job } of jobs) for (const key of job.limits) running.set(key, (running.get(key) ?? 0) - 1)
          const { done: completed } = await mine.complete(jobs.map((job) => ({ job, result: null })))
          await mine.apply(jobs.filter((_, i) => !completed[i]).map((job) => completion(job)))
          done += jobs.length
        }
      }
      await Promise.all(times(10, (i) => work(stores[i % 5] as Store, i)))
      expect({ done, over }).toEqual({ done: 120, over: 0 })
      expect(await verify(store)).toEqual([])
      for (const { held } of await store.limits()) expect(held).toBe(0)
    })

    it('of a path count attempts that wait for something outside, too', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/a/x', '/a/y'])
      const [x] = await store.claim(claimOf({ now: 2_000, limit: 1 }))
      await store.apply([finish(x as never, { kind: 'suspended', awaits: null, until: null })], { now: 2_100 })
      await store.setLimit({ key: '/a', concurrency: 1 })
      expect(await store.limits()).toMatchObject([{ key: '/a', held: 1 }])
      expect(await store.claim(claimOf({ now: 2_200, token: 't2' }))).toEqual([])
      const answer = { kind: 'completed', resultDigest: null } as const
      await store.apply([{ job: x?.job.id ?? '', command: { type: 'answer', answer } }], { now: 2_300 })
      expect(namesOf(await store.claim(claimOf({ now: 2_400, token: 't3' })))).toEqual(['/a/y'])
      expect(await verify(store)).toEqual([])
    })

    it('let the next go on when one that was let go does not start after all', async () => {
      const { store } = await setup()
      const jobs = await submitNamed(store, ['/t/a', '/t/b', '/t/c', '/t/d'], { limits: gpu(1) })
      const [a] = await store.claim(claimOf({ now: 2_000 }))
      await store.apply([completion(a as never)], { now: 2_100 })
      const [, b, c] = jobs.map(({ job }) => job.id)
      await store.apply([{ job: b ?? '', command: { type: 'cancel', reason: 'test' } }], { now: 2_200 })
      const changes = { scheduledFor: 1_000_000 }
      await store.apply([{ job: c ?? '', command: { type: 'edit', changes } }], { now: 2_300 })
      expect(namesOf(await store.claim(claimOf({ now: 2_400, token: 't2' })))).toEqual(['/t/d'])
      expect(await verify(store)).toEqual([])
    })

    it('of a path let the next go on when one that was let go does not start after all', async () => {
      const { store } = await setup()
      await store.setLimit({ key: '/t', concurrency: 1 })
      const jobs = await submitNamed(store, ['/t/a', '/t/b', '/t/c'])
      const [a] = await store.claim(claimOf({ now: 2_000 }))
      await store.apply([completion(a as never)], { now: 2_100 })
      await store.apply([{ job: jobs[1]?.job.id ?? '', command: { type: 'cancel', reason: 'test' } }], { now: 2_200 })
      expect(namesOf(await store.claim(claimOf({ now: 2_400, token: 't2' })))).toEqual(['/t/c'])
      expect(await verify(store)).toEqual([])
    })

    it('let the next go on when one that was let go waits for another limit', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/t/a'], { limits: gpu(1) })
      await submitNamed(store, ['/t/both'], { limits: [{ key: 'gpu' }, { key: 'never', concurrency: 1 }] })
      await submitNamed(store, ['/t/c'], { limits: gpu(1) })
      const [a] = await store.claim(claimOf({ now: 2_000 }))
      await store.setLimit({ key: 'never', concurrency: 0 })
      await store.apply([completion(a as never)], { now: 2_100 })
      expect(namesOf(await store.claim(claimOf({ now: 2_200, token: 't2' })))).toEqual(['/t/c'])
      expect(await verify(store)).toEqual([])
    })

    it('let the next go on when one that was let go is paused', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/t/a', '/p/b', '/t/c'], { limits: gpu(1) })
      const [a] = await store.claim(claimOf({ now: 2_000 }))
      await store.pause({ path: '/p' })
      await store.apply([completion(a as never)], { now: 2_100 })
      expect(namesOf(await store.claim(claimOf({ now: 2_200, token: 't2' })))).toEqual(['/t/c'])
      expect(await verify(store)).toEqual([])
    })

    it('that a submission raises let those go on who wait', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/t/a', '/t/b'], { limits: gpu(0) })
      expect(await store.claim(claimOf({ now: 2_000 }))).toEqual([])
      await submitNamed(store, ['/t/later'], { limits: gpu(2), scheduledFor: 1_000_000 })
      expect(namesOf(await store.claim(claimOf({ now: 2_100, token: 't2' })))).toEqual(['/t/a', '/t/b'])
      expect(await verify(store)).toEqual([])
    })

    it('are held by those that start and by nobody else, also when more become due than one claim moves', async () => {
      const { store } = await setup()
      const wide = [{ key: 'wide', concurrency: 5_000 }]
      await store.submit(
        times(1_000, () => submission({ limits: wide, scheduledFor: 2_000 })),
        { now: 1_000 },
      )
      await store.submit(
        times(20, () => submission({ limits: wide, scheduledFor: 2_001, priority: 9 })),
        { now: 1_000 },
      )
      const claimed = await store.claim(claimOf({ now: 3_000 }))
      expect(await store.limits()).toMatchObject([{ key: 'wide', held: claimed.length }])
      expect(claimed.length).toBeGreaterThan(0)
      expect(await verify(store)).toEqual([])
    })

    it('that make no sense are refused', async () => {
      const { store } = await setup()
      const bad = { code: 'invalid_argument' }
      await expect(store.setLimit({ key: 'x', concurrency: -1 })).rejects.toMatchObject(bad)
      await expect(store.setLimit({ key: '', concurrency: 1 })).rejects.toMatchObject(bad)
      await expect(store.setLimit({ key: 'x', rate: { count: 1, perMs: 0 } })).rejects.toMatchObject(bad)
      const [twice, path] = await store.submit([
        submission({ limits: [{ key: 'x' }, { key: 'x' }] }),
        submission({ limits: [{ key: '/a', concurrency: 1 }] }),
      ])
      expect([twice, path]).toMatchObject([{ outcome: 'refused' }, { outcome: 'refused' }])
      expect(await store.limits()).toEqual([])
    })
  })

  describe('pauses', () => {
    it('of a branch keep its jobs from starting, until it is resumed', async () => {
      const { store } = await setup()
      const [x] = await submitNamed(store, ['/a/x', '/b/y', '/a/z', '/ab/w'])
      await store.pause({ path: '/a', reason: 'maintenance' }, { now: 1_500 })
      await store.pause({ path: '/a' }, { now: 1_600 })
      expect(await store.pauses()).toEqual([{ path: '/a', type: null, reason: 'maintenance', since: 1_500 }])
      expect(namesOf(await store.claim(claimOf({ now: 2_000 })))).toEqual(['/b/y', '/ab/w'])
      await submitNamed(store, ['/a/new'])
      expect(await store.claim(claimOf({ now: 2_000, token: 't2' }))).toEqual([])
      expect(await store.gates([x?.job.id ?? ''])).toEqual([
        { kind: 'paused', path: '/a', type: null, reason: 'maintenance' },
      ])
      expect(await verify(store)).toEqual([])
      expect(await store.resume({ path: '/a' })).toBe(true)
      expect(await store.resume({ path: '/a' })).toBe(false)
      expect(namesOf(await store.claim(claimOf({ now: 2_100, token: 't3' })))).toEqual(['/a/x', '/a/z', '/a/new'])
      expect(await store.gates([x?.job.id ?? '', 'unknown'])).toEqual([null, null])
      expect(await verify(store)).toEqual([])
    })

    it('of a type keep its jobs from starting, until it is resumed', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/t/a'])
      await submitNamed(store, ['/t/b'], { type: 'other' })
      await store.pause({ type: 'work' })
      const types = ['work', 'other']
      expect(namesOf(await store.claim(claimOf({ now: 2_000, types })))).toEqual(['/t/b'])
      expect(await store.pauses()).toMatchObject([{ path: null, type: 'work', reason: null }])
      expect(await store.resume({ type: 'never' })).toBe(false)
      expect(await store.resume({ type: 'work' })).toBe(true)
      expect(namesOf(await store.claim(claimOf({ now: 2_000, types, token: 't2' })))).toEqual(['/t/a'])
      expect(await verify(store)).toEqual([])
    })

    it('within each other are each ended alone', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/a/b/c', '/a/d'])
      await store.pause({ path: '/a' })
      await store.pause({ path: '/a/b' })
      expect(await store.claim(claimOf({ now: 2_000 }))).toEqual([])
      await store.resume({ path: '/a' })
      expect(namesOf(await store.claim(claimOf({ now: 2_000, token: 't2' })))).toEqual(['/a/d'])
      await store.resume({ path: '/a/b' })
      expect(namesOf(await store.claim(claimOf({ now: 2_000, token: 't3' })))).toEqual(['/a/b/c'])
      expect(await verify(store)).toEqual([])
    })

    it('of thousands of jobs are resumed page by page', async () => {
      const { store } = await setup()
      await store.submit(times(2_300, (i) => submission({ name: `/a/j${i}` })))
      await store.pause({ path: '/a' })
      expect(await store.claim(claimOf({ limit: 500 }))).toEqual([])
      await store.resume({ path: '/a' })
      for (let pages = 0; (await store.followUp({ limit: 500 })) && pages < 20; pages++);
      expect(await store.claim(claimOf({ limit: 5_000, token: 't2' }))).toHaveLength(2_300)
      expect(await verify(store)).toEqual([])
    })

    it('that make no sense are refused', async () => {
      const { store } = await setup()
      await expect(store.pause({})).rejects.toMatchObject({ code: 'invalid_argument' })
      await expect(store.pause({ path: '/a', type: 'b' })).rejects.toMatchObject({ code: 'invalid_argument' })
      await expect(store.pause({ path: 'a' })).rejects.toMatchObject({ code: 'invalid_name' })
      expect(await store.pauses()).toEqual([])
    })
  })

  describe('the queue', () => {
    const queued = async (store: Store) => namesOf(await store.queue({ limit: 100 }))

    it('shows what a worker gets, in that order', async () => {
      const { store } = await setup()
      const priorities = [0, 5, -1, 5, 0]
      await store.submit(
        priorities.map((priority, i) => submission({ priority, name: `/t/j${i}`, type: i === 3 ? 'other' : 'work' })),
      )
      expect(await queued(store)).toEqual(['/t/j1', '/t/j3', '/t/j0', '/t/j4', '/t/j2'])
      expect(namesOf(await store.queue({ limit: 2, types: ['work'] }))).toEqual(['/t/j1', '/t/j0'])
      expect(await store.queue({ limit: 2, types: ['never'] })).toEqual([])
      expect(namesOf(await store.claim(claimOf({ types: ['work', 'other'], limit: 3 })))).toEqual([
        ...['/t/j1', '/t/j3', '/t/j0'],
      ])
      expect(await queued(store)).toEqual(['/t/j4', '/t/j2'])
    })

    it('is changed by moves: to the front and the end, before and after another', async () => {
      const { store } = await setup()
      const jobs = await submitNamed(store, ['/t/a', '/t/b', '/t/c', '/t/d'])
      const id = (i: number) => jobs[i]?.job.id ?? ''
      await store.move({ jobId: id(2), to: 'front' })
      expect(await queued(store)).toEqual(['/t/c', '/t/a', '/t/b', '/t/d'])
      await store.move({ jobId: id(0), to: 'end' })
      expect(await queued(store)).toEqual(['/t/c', '/t/b', '/t/d', '/t/a'])
      await store.move({ jobId: id(3), to: { before: id(1) } })
      expect(await queued(store)).toEqual(['/t/c', '/t/d', '/t/b', '/t/a'])
      await store.move({ jobId: id(2), to: { after: id(0) } })
      expect(await queued(store)).toEqual(['/t/d', '/t/b', '/t/a', '/t/c'])
      await submitNamed(store, ['/t/new'])
      expect((await queued(store)).at(-1)).toBe('/t/new')
      expect(namesOf(await store.claim(claimOf()))).toEqual(['/t/d', '/t/b', '/t/a', '/t/c', '/t/new'])
      expect(await verify(store)).toEqual([])
    })

    it('takes a moved job into the priority of the job that it is put next to', async () => {
      const { store } = await setup()
      const [low] = await submitNamed(store, ['/t/low'])
      const [, high] = await submitNamed(store, ['/t/h1', '/t/h2'], { priority: 7 })
      const moved = await store.move({ jobId: low?.job.id ?? '', to: { before: high?.job.id ?? '' } })
      expect(moved.job.priority).toBe(7)
      expect(await queued(store)).toEqual(['/t/h1', '/t/low', '/t/h2'])
      expect(await verify(store)).toEqual([])
    })

    it('has room for any number of moves to one place', async () => {
      const { store } = await setup()
      const names = times(16, (i) => `/t/j${String(i).padStart(2, '0')}`)
      const jobs = await submitNamed(store, names)
      for (const { job } of jobs.slice(2)) {
        await store.move({ jobId: job.id, to: { before: jobs[1]?.job.id ?? '' } })
      }
      expect(await queued(store)).toEqual([names[0], ...names.slice(2), names[1]])
      for (const { job } of jobs.slice(2)) await store.move({ jobId: job.id, to: { after: jobs[0]?.job.id ?? '' } })
      expect(await queued(store)).toEqual([names[0], ...names.slice(2).reverse(), names[1]])
      expect(await verify(store)).toEqual([])
    })

    it('has a front before those who wait at a gate, too', async () => {
      const { store } = await setup()
      const jobs = await submitNamed(store, ['/p/a', '/t/b', '/t/c'])
      await store.pause({ path: '/p' })
      expect(namesOf(await store.claim(claimOf({ now: 2_000, limit: 1 })))).toEqual(['/t/b'])
      await store.move({ jobId: jobs[2]?.job.id ?? '', to: 'front' })
      await store.resume({ path: '/p' })
      expect(await queued(store)).toEqual(['/t/c', '/p/a'])
      expect(await verify(store)).toEqual([])
    })

    it('lets nothing be moved that was dispatched or is not there', async () => {
      const { store } = await setup()
      const [a, b] = await submitNamed(store, ['/t/a', '/t/b'])
      await store.claim(claimOf({ limit: 1, now: 2_000 }))
      const move = (jobId: string, to: 'front' | { before: string }) => store.move({ jobId, to })
      await expect(move(a?.job.id ?? '', 'front')).rejects.toMatchObject({ code: 'already_dispatched' })
      await expect(move(newId(), 'front')).rejects.toMatchObject({ code: 'not_found' })
      await expect(move(b?.job.id ?? '', { before: newId() })).rejects.toMatchObject({ code: 'not_found' })
      await expect(store.move({ jobId: b?.job.id ?? '', to: 'up' as never })).rejects.toMatchObject({
        code: 'invalid_argument',
      })
      expect(await verify(store)).toEqual([])
    })
  })
}
