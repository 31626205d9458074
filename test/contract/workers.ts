import { describe, expect, it } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { type Setup, submitOne } from '../support/fixture.ts'
import { at, openStores, submitMany, times } from '../support/racing.ts'
import { claimOf, claimOne, completion } from '../support/requests.ts'

const dayMs = 86_400_000

/** Workers live by their leases; whoever finds a lease over buries its worker. */
export function workerContract(setup: Setup): void {
  describe('workers', () => {
    it('are listed with their leases, the newest first, and no longer when they have retired', async () => {
      const { store } = await setup()
      expect(await store.workers()).toEqual([])
      const w1Takes = { types: ['work'], paths: ['/a', '/b/c'] }
      await store.register({ id: 'w1', name: 'one', leaseMs: 100, ...w1Takes }, { now: 1_000 })
      await store.register({ id: 'w2', name: 'one', leaseMs: 200 }, { now: 2_000 })
      expect(await store.renew({ workerId: 'w1', leaseMs: 5_000, now: 2_500 })).toBe(true)
      const [w2, w1] = [
        {
          id: 'w2',
          name: 'one',
          startedAt: 2_000,
          seenAt: 2_000,
          leaseUntil: 2_200,
          lostAt: null,
          types: [],
          paths: null,
        },
        { id: 'w1', name: 'one', startedAt: 1_000, seenAt: 2_500, leaseUntil: 7_500, lostAt: null, ...w1Takes },
      ]
      expect(await store.workers()).toEqual([w2, w1])
      await store.retire('w2')
      await store.retire('never-registered')
      expect(await store.workers()).toEqual([w1])
    })

    it('are as old as the clock of the database says when nobody gives a time', async () => {
      const { store } = await setup()
      const before = await store.now()
      await store.register({ id: 'w1', name: 'one', leaseMs: 60_000 })
      expect(await store.renew({ workerId: 'w1', leaseMs: 60_000 })).toBe(true)
      expect(await store.buryLost()).toEqual([])
      const [worker] = await store.workers()
      expect(worker?.startedAt).toBeGreaterThanOrEqual(before)
      expect(worker?.leaseUntil).toBe((worker?.seenAt ?? 0) + 60_000)
    })

    it('with a renewed lease are not buried; those whose lease is over are, once, and tell when', async () => {
      const { store } = await setup()
      await store.register({ id: 'renews', name: 'a', leaseMs: 100 }, { now: 1_000 })
      await store.register({ id: 'silent', name: 'b', leaseMs: 100 }, { now: 1_000 })
      expect(await store.buryLost({ now: 1_100 })).toEqual([])
      expect(await store.renew({ workerId: 'renews', leaseMs: 100, now: 1_100 })).toBe(true)
      expect(await store.buryLost({ now: 1_101 })).toEqual(['silent'])
      expect(await store.buryLost({ now: 1_150 })).toEqual([])
      expect(await store.workers()).toMatchObject([
        { id: 'renews', lostAt: null },
        { id: 'silent', lostAt: 1_101 },
      ])
    })

    it('that were buried cannot renew, are not revived by trying, and claim nothing', async () => {
      const { store } = await setup()
      await store.register({ id: 'w1', name: 'a', leaseMs: 100 }, { now: 1_000 })
      await store.buryLost({ now: 2_000 })
      expect(await store.renew({ workerId: 'w1', leaseMs: dayMs, now: 2_001 })).toBe(false)
      expect(await store.workers()).toMatchObject([{ seenAt: 1_000, leaseUntil: 1_100, lostAt: 2_000 }])
      await submitOne(store, {}, 1_000)
      await submitOne(store, { scheduledFor: 1_500 }, 1_000)
      expect(await store.claim(claimOf({ now: 3_000 }))).toEqual([])
      expect(await store.claim(claimOf({ workerId: 'w2', now: 3_000 }))).toHaveLength(2)
      expect(await verify(store)).toEqual([])
    })

    it('that nobody knows cannot renew', async () => {
      const { store } = await setup()
      expect(await store.renew({ workerId: 'w1', leaseMs: 100 })).toBe(false)
      await store.register({ id: 'w1', name: 'a', leaseMs: 100 })
      await store.retire('w1')
      expect(await store.renew({ workerId: 'w1', leaseMs: 100 })).toBe(false)
      expect(await store.workers()).toEqual([])
    })

    it('have ids that were never used: a second one with the same id is refused, and the first lives on', async () => {
      const { store } = await setup()
      await store.register({ id: 'w1', name: 'first', leaseMs: 100 }, { now: 1_000 })
      const again = store.register({ id: 'w1', name: 'second', leaseMs: 900 }, { now: 1_500 })
      await expect(again).rejects.toMatchObject({ code: 'id_taken', details: { workerId: 'w1' } })
      expect(await store.workers()).toMatchObject([{ name: 'first', startedAt: 1_000, leaseUntil: 1_100 }])
    })

    it('are buried once by ten who find them lost at the same time', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      const ids = times(20, (i) => `w${i}`)
      for (const id of ids) await fixture.store.register({ id, name: id, leaseMs: 100 }, { now: 1_000 })
      const buried = await Promise.all(times(10, (i) => at(stores, i).buryLost({ now: 5_000 })))
      expect(buried.flat().sort()).toEqual([...ids].sort())
    })

    it('are either renewed or buried when both are tried at the same time', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      for (let i = 0; i < 30; i++) {
        const id = `w${i}`
        await store.register({ id, name: id, leaseMs: 100 }, { now: 1_000 })
        const renewing = () => store.renew({ workerId: id, leaseMs: 100_000, now: 2_000 })
        const burying = () => other.buryLost({ now: 2_000 })
        const [renewed, buried] =
          i % 2 === 0
            ? await Promise.all([renewing(), burying()])
            : await Promise.all([burying(), renewing()]).then(([b, r]) => [r, b] as const)
        expect([renewed, buried.includes(id)]).toEqual(renewed ? [true, false] : [false, true])
      }
    })

    it('are forgotten a day after they were lost, but not while a claim names them', async () => {
      const { store } = await setup()
      await store.register({ id: 'w1', name: 'a', leaseMs: 100 }, { now: 1_000 })
      await store.register({ id: 'w2', name: 'b', leaseMs: 100 }, { now: 1_000 })
      await submitOne(store, {}, 1_000)
      const held = await claimOne(store, { workerId: 'w2', now: 1_000 })
      await store.buryLost({ now: 2_000 })
      await store.buryLost({ now: 2_000 + dayMs })
      expect((await store.workers()).map(({ id }) => id)).toEqual(['w1', 'w2'])
      await store.buryLost({ now: 2_001 + dayMs })
      expect((await store.workers()).map(({ id }) => id)).toEqual(['w2'])
      expect(await store.claim(claimOf({ workerId: 'w2', now: 2_001 + dayMs }))).toEqual([])
      await store.apply([completion(held)])
      await store.buryLost({ now: 2_001 + dayMs })
      expect(await store.workers()).toEqual([])
    })
  })

  describe('what a worker holds', () => {
    it('is shown with tokens, until it ends, and tells whose end was asked for', async () => {
      const { store } = await setup()
      await submitMany(store, 3)
      const [a, b, c] = await store.claim(claimOf({ workerId: 'w1', token: 'mine' }))
      if (a === undefined || b === undefined || c === undefined) throw new Error('Three jobs were expected.')
      await submitOne(store)
      await claimOne(store, { workerId: 'w2', token: 'other' })
      await store.apply([{ job: b, command: { type: 'cancel', reason: 'asked' } }, completion(c)])
      const held = [...(await store.held('w1'))].sort((x, y) => (x.jobId < y.jobId ? -1 : 1))
      const expected = [
        { jobId: a.job.id, token: 'mine', cancelAsked: false },
        { jobId: b.job.id, token: 'mine', cancelAsked: true },
      ]
      expect(held).toEqual(expected.sort((x, y) => (x.jobId < y.jobId ? -1 : 1)))
      expect(await store.held('nobody')).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('is known to be asked to end also when its job was replaced', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/test/a' })
      const { job } = await claimOne(store)
      await submitOne(store, { name: '/test/a', onConflict: 'replace' })
      expect(await store.held('w1')).toEqual([{ jobId: job.id, token: 't1', cancelAsked: true }])
      expect(await verify(store)).toEqual([])
    })
  })
}
