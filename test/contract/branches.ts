import { describe, expect, it } from 'vitest'
import type { Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel, followUpAll, reread } from '../support/children.ts'
import { accepted, type Setup, submission } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import { openStores, times } from '../support/racing.ts'
import { claimOf, completion, finish } from '../support/requests.ts'

async function submitNames(store: Store, names: readonly string[], type = 'work'): Promise<readonly StoredJob[]> {
  return (await store.submit(names.map((name) => submission({ name, type })))).map(accepted)
}

export function branchContract(setup: Setup): void {
  describe('cancelling a branch', () => {
    it('ends all live jobs below a name, itself and its neighbours left out', async () => {
      const { store } = await setup()
      const below = ['/a/b/c', '/a/b/c/d', '/a/b/c/d/e', '/a/b/-', '/a/b/~', '/a/b/ä', '/a/b/\u{10ffff}', '/a/b/c-x']
      const beside = ['/a/b', '/a/bc', '/a/b-x', '/a/b0', '/a/b.', '/a/b.x/c', '/a/B/c', '/a/c', '/ab/c', '/b/a/b/c']
      const ended = await submitNames(store, below)
      const kept = await submitNames(store, beside)
      await store.cancelBranch({ name: '/a/b', reason: 'no longer wanted', context: { actor: 'me' } })
      expect(await reread(store, ended)).toEqual(ended)
      await followUpAll(store)
      for (const { job } of await reread(store, ended)) {
        expect(job).toMatchObject({ phase: 'final', cancelled: true, error: 'no longer wanted' })
      }
      expect(await reread(store, kept)).toEqual(kept)
      const { entries } = await store.events({ jobId: ended[0]?.job.id ?? '', limit: 10 })
      expect(entries.at(-1)).toMatchObject({ eventType: 'job.cancelled', actor: 'me' })
      expect(await verify(store)).toEqual([])
    })

    it('asks those that run, parents before leaves, then ends the rest, and touches nothing that is over', async () => {
      const fixture = await setup()
      const { store } = fixture
      const over = await submitNames(store, ['/a/b/over', '/a/b/over/x'])
      await store.apply((await store.claim(claimOf())).map((job) => completion(job)))
      const before = await reread(store, over)
      const names = ['/a/b/z/z/z', '/a/b/c/d/e', '/a/b/c', '/a/b/z', '/a/b/c/d', '/a/b/z/z']
      await submitNames(store, names)
      const running = await store.claim(claimOf({ token: 'run' }))
      const waiting = await submitNames(store, ['/a/b/c/f', '/a/b/a'])
      await store.cancelBranch({ name: '/a/b', reason: 'test' })
      await followUpAll(store, 1)
      const nameOf = new Map([...running, ...waiting].map(({ job }) => [job.id, job.name]))
      const told = (await readAll(fixture)).filter(({ eventType }) => eventType.startsWith('job.cancel'))
      const order = told.map(({ eventType, jobId }) => [eventType, nameOf.get(jobId ?? '')])
      expect(order).toEqual([
        ...[...names].sort().map((name) => ['job.cancel.requested', name]),
        ...['/a/b/c/f', '/a/b/a'].map((name) => ['job.cancelled', name]),
      ])
      expect((await store.held('w1')).map(({ cancelAsked }) => cancelAsked)).toEqual(names.map(() => true))
      expect(await reread(store, over)).toEqual(before)
      await store.apply(running.map((job) => finish(job, { kind: 'cancelled' })))
      for (const { job } of await reread(store, running)) expect(job).toMatchObject({ cancelled: true })
      expect(await verify(store)).toEqual([])
    })

    it.each([1, 3, 7, 100])('goes through pages of %i and forgets nobody', async (limit) => {
      const { store } = await setup()
      const jobs = await submitNames(
        store,
        times(14, (i) => `/a/b/n${i % 3}/n${i}`),
      )
      await store.claim(claimOf({ limit: 4 }))
      await store.cancelBranch({ name: '/a', reason: 'test' })
      await followUpAll(store, limit)
      const found = await reread(store, jobs)
      expect(found.filter(({ job }) => job.cancelled)).toHaveLength(10)
      expect(found.filter(({ job }) => job.cancelReason === 'test')).toHaveLength(4)
      expect(await verify(store)).toEqual([])
    })

    it('races with claims and other branches, and nothing below is left running unasked', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      const jobs = await submitNames(
        store,
        times(60, (i) => `/a/b${i % 2}/n${i}`),
      )
      await Promise.all(['/a/b0', '/a/b1', '/a'].map((name) => store.cancelBranch({ name, reason: 'test' })))
      await Promise.all([
        followUpAll(store, 7),
        followUpAll(other, 5),
        ...times(6, (i) => other.claim(claimOf({ token: `t${i}`, limit: 4 }))),
        store.apply(jobs.slice(0, 10).map((job) => cancel(job, 'by hand'))),
      ])
      await followUpAll(store)
      const found = await reread(store, jobs)
      expect(found.filter(({ job }) => !job.cancelled && job.cancelReason === null)).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('of a name that nobody has ends nothing', async () => {
      const { store } = await setup()
      const jobs = await submitNames(store, ['/a/b'])
      await store.cancelBranch({ name: '/a/b', reason: 'test' })
      await store.cancelBranch({ name: '/nobody', reason: 'test' })
      await followUpAll(store)
      expect(await reread(store, jobs)).toEqual(jobs)
    })
  })
}
