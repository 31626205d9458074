import { describe, expect, it } from 'vitest'
import type { ApplyRequest, Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel, followUpAll, parentOf, reread, runningParent, submitChildren } from '../support/children.ts'
import { applied, codeOf, type Setup, submission, submitOne } from '../support/fixture.ts'
import { at, batches, openStores, submitMany } from '../support/racing.ts'
import { claimOf, claimOne, completion, failure, finish } from '../support/requests.ts'

const parents = { types: ['parent'], token: 'next' } as const
const soon = () => Date.now() + 1_000

/** A job whose attempt failed while one of its jobs runs, with others that wait. */
async function waitingParent(store: Store, fields: Parameters<typeof runningParent>[1] = {}) {
  const parent = await runningParent(store, fields)
  await submitChildren(store, parent, 1, { type: 'child' })
  const running = await claimOne(store, { types: ['child'], token: 'child' })
  const queued = await submitChildren(store, parent, 2)
  const [result] = await store.apply([failure(parent)])
  expect(applied(result).job.phase).toBe('pending')
  return { parent, running, queued }
}

async function runningParents(store: Store, count: number): Promise<readonly StoredJob[]> {
  await submitMany(store, count, { type: 'parent', retry: { baseMs: 0 } })
  return await store.claim(claimOf({ ...parents, token: 'running', limit: count }))
}

async function expectCancelled(store: Store, jobs: readonly StoredJob[]): Promise<void> {
  for (const { job } of await reread(store, jobs)) expect(job).toMatchObject({ phase: 'final', cancelled: true })
}

export function waitingParentContract(setup: Setup): void {
  describe('a job that waits for the jobs of its failed attempt', () => {
    it.each([
      ['before the follow-up', false],
      ['after it', true],
    ])('can be cancelled, %s, and they are still cancelled', async (_, followed) => {
      const { store } = await setup()
      const { parent, running, queued } = await waitingParent(store)
      if (followed) await followUpAll(store)
      const [result] = await store.apply([cancel(parent.job.id)])
      expect(applied(result).job).toMatchObject({ phase: 'final', cancelled: true })
      expect(await verify(store)).toEqual([])
      await followUpAll(store)
      await expectCancelled(store, queued)
      expect(await store.held('w1')).toMatchObject([{ cancelAsked: true }])
      await store.apply([finish(running, { kind: 'cancelled' })])
      expect(await store.claim(claimOf({ ...parents, now: soon() }))).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('can run out of time, and they are still cancelled', async () => {
      const { store } = await setup()
      const deadlineAt = Date.now() + 60_000
      const { parent, queued } = await waitingParent(store, { deadlineAt })
      const elapse: ApplyRequest = { job: parent.job.id, command: { type: 'elapse', random: 0 } }
      const [result] = await store.apply([elapse], { now: deadlineAt })
      expect(applied(result).job).toMatchObject({ phase: 'final', outcome: 'FAILED' })
      await followUpAll(store)
      await expectCancelled(store, queued)
      expect(await verify(store)).toEqual([])
    })

    it.each([
      ['before the follow-up', false],
      ['after it', true],
    ])('can be replaced, %s, and the job that replaces it starts', async (_, followed) => {
      const { store } = await setup()
      const { running, queued } = await waitingParent(store, { name: '/test/p' })
      if (followed) await followUpAll(store)
      const fresh = await submitOne(store, { name: '/test/p', type: 'parent', onConflict: 'replace' })
      expect(await verify(store)).toEqual([])
      await followUpAll(store)
      await expectCancelled(store, queued)
      await store.apply([finish(running, { kind: 'cancelled' })])
      const started = await store.claim(claimOf({ ...parents, now: soon() }))
      expect(started.map(({ job }) => job.id)).toEqual([fresh.job.id])
      expect(await verify(store)).toEqual([])
    })

    it('can be let go on by hand, and waits again after the next attempt', async () => {
      const { store } = await setup()
      const { parent, running, queued } = await waitingParent(store)
      await store.apply([{ job: parent.job.id, command: { type: 'release' } }])
      expect(await verify(store)).toEqual([])
      const second = await claimOne(store, { ...parents, now: soon() })
      const more = await submitChildren(store, second, 2)
      await store.apply([failure(second)])
      expect(await store.followUp({ limit: 100 })).toBe(true)
      expect(await verify(store)).toEqual([])
      expect((await reread(store, [parent]))[0]?.job.phase).toBe('pending')
      await followUpAll(store)
      await expectCancelled(store, [...queued, ...more])
      await store.apply([finish(running, { kind: 'cancelled' })])
      expect(await store.claim(claimOf({ ...parents, token: 'third', now: soon() }))).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })
  })

  describe('a follow-up', () => {
    it('goes through 1,200 jobs page by page, in other hands after each, and its job waits for the last', async () => {
      const { store, open } = await setup()
      const parent = await runningParent(store)
      const children = await submitChildren(store, parent, 1_200)
      const running = await store.claim(claimOf({ limit: 3 }))
      await store.apply([failure(parent)])
      let current = store
      let pages = 0
      for (; await current.followUp({ limit: 100 }); pages++) {
        const [found] = await reread(current, [parent])
        expect(found?.job.phase).toBe('pending')
        // Whoever did a page may die after it.
        if (pages % 4 === 0) {
          const next = await open()
          await current.close()
          current = next
        }
      }
      expect(pages).toBe(13)
      const ended = await reread(current, children)
      expect(ended.filter(({ job }) => job.cancelled)).toHaveLength(1_197)
      for (const job of running) {
        expect(await current.claim(claimOf({ ...parents, now: soon() }))).toEqual([])
        await current.apply([completion(job)])
      }
      expect(await current.claim(claimOf({ ...parents, now: soon() }))).toHaveLength(1)
      expect(await verify(current)).toEqual([])
    })

    it('is done once by many who try at the same time', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      const made = []
      for (let i = 0; i < 4; i++) {
        const parent = await runningParent(fixture.store)
        made.push({ parent, children: await submitChildren(fixture.store, parent, 12) })
      }
      await fixture.store.apply(made.map(({ parent }) => failure(parent)))
      await Promise.all(stores.map((store) => followUpAll(store, 5)))
      await followUpAll(fixture.store)
      for (const { children } of made) await expectCancelled(fixture.store, children)
      const cancelled = await fixture.raw('select 1 from events where code = 10')
      expect(cancelled).toHaveLength(48)
      expect(await fixture.store.claim(claimOf({ ...parents, now: soon() }))).toHaveLength(4)
      expect(await verify(fixture.store)).toEqual([])
    })
  })

  describe('jobs of an attempt, at the same time', () => {
    it('are never left alive when the attempt fails while it submits them', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      const running = await runningParents(store, 200)
      const submitted: string[] = []
      // A few at a time: in a crowd the one kind of call would be done before the other begins.
      for (const batch of batches(running, 8)) {
        const pairs = batch.map(async (parent, i) => {
          const [first, second] = i % 2 === 0 ? [store, other] : [other, store]
          const submitting = first.submit([submission({ parent: parentOf(parent) })])
          await second.apply([failure(parent, 'boom', { terminal: true })])
          return codeOf((await submitting)[0])
        })
        submitted.push(...(await Promise.all(pairs)))
      }
      for (const code of submitted) expect(['created', 'stale_token']).toContain(code)
      await Promise.all([store, other, store, other].map((each) => followUpAll(each)))
      await followUpAll(store)
      const { jobs } = await store.list({ type: 'work', limit: 1_000 })
      expect(jobs).toHaveLength(submitted.filter((code) => code === 'created').length)
      expect(jobs.filter(({ job }) => job.state !== 'final')).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('may end while they are cancelled, and while their parent is: nobody waits for what is over', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      for (let i = 0; i < 8; i++) {
        const parent = await runningParent(fixture.store)
        await submitChildren(fixture.store, parent, 3)
        const running = await fixture.store.claim(claimOf({ token: `c${i}` }))
        await fixture.store.apply([failure(parent)])
        await Promise.all([
          at(stores, 0).followUp({ limit: 10 }),
          ...running.map((job) => at(stores, 1).apply([completion(job)])),
          ...(i % 2 === 0 ? [at(stores, 2).apply([cancel(parent.job.id)])] : []),
        ])
        await followUpAll(fixture.store)
        expect(await verify(fixture.store)).toEqual([])
        const next = await fixture.store.claim(claimOf({ ...parents, token: `n${i}`, now: soon() }))
        expect(next).toHaveLength(i % 2 === 0 ? 0 : 1)
        await fixture.store.apply(next.map((job) => completion(job)))
      }
    })

    it('of which the last ends beside the last page of the follow-up let their parent go on', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      for (let i = 0; i < 8; i++) {
        const parent = await runningParent(store)
        await submitChildren(store, parent, 1)
        const child = await claimOne(store, { token: `c${i}` })
        await store.apply([failure(parent)])
        expect(await store.followUp({ limit: 1 })).toBe(true)
        await Promise.all([store.followUp({ limit: 1 }), other.apply([completion(child)])])
        expect((await reread(store, [parent]))[0]?.job.phase).toBe('queued')
        await store.apply([cancel(parent.job.id)])
      }
      expect(await verify(store)).toEqual([])
    })

    it('that run on when their parent is cancelled leave no wait behind', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      const running = await runningParents(store, 40)
      await store.submit(running.flatMap((parent) => [1, 2].map(() => submission({ parent: parentOf(parent) }))))
      expect(await store.claim(claimOf({ limit: 100 }))).toHaveLength(80)
      await store.apply(running.map((parent) => failure(parent)))
      await Promise.all([
        followUpAll(store),
        (async () => {
          for (const { job } of running) await other.apply([cancel(job.id)])
        })(),
      ])
      expect(await verify(fixture.store)).toEqual([])
    })
  })
}
