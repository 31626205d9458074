import { describe, expect, it } from 'vitest'
import type { ApplyRequest, Orphan, Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { applied, codeOf, type Setup, submitOne } from '../support/fixture.ts'
import { at, idsOf, openStores, submitMany } from '../support/racing.ts'
import { claimOf, claimOne, completion } from '../support/requests.ts'

export function lose({ jobId, token, alone }: Orphan): ApplyRequest {
  return { job: jobId, command: { type: 'lose', token, random: 0, alone } }
}

async function allOrphans(store: Store, limit: number): Promise<readonly Orphan[]> {
  const found: Orphan[] = []
  let after: number | null = null
  do {
    const page = await store.orphans({ after, limit })
    found.push(...page.attempts)
    after = page.next
  } while (after !== null)
  return found
}

/** A worker that claims so many jobs and is never heard of again. */
async function dyingWorker(store: Store, id: string, count: number): Promise<readonly string[]> {
  await store.register({ id, name: id, leaseMs: 100 }, { now: 1_000 })
  await submitMany(store, count, { scheduledFor: 0, retry: { baseMs: 0 } })
  return idsOf(await store.claim(claimOf({ workerId: id, token: `of-${id}`, limit: count, now: 1_000 })))
}

export function rescueContract(setup: Setup): void {
  describe('orphans', () => {
    it('are the attempts of lost and of unknown workers, and of no one else', async () => {
      const { store } = await setup()
      const lost = await dyingWorker(store, 'lost', 2)
      await dyingWorker(store, 'lives', 2)
      expect(await store.renew({ workerId: 'lives', leaseMs: 60_000, now: 2_000 })).toBe(true)
      await submitOne(store, {}, 1_000)
      const unknown = (await claimOne(store, { workerId: 'unknown', token: 'of-unknown', now: 1_000 })).job.id
      expect((await allOrphans(store, 10)).map(({ jobId }) => jobId)).toEqual([unknown])
      await store.buryLost({ now: 3_000 })
      const found = await allOrphans(store, 10)
      expect(found.map(({ jobId, token }) => [jobId, token])).toEqual([
        ...lost.map((id) => [id, 'of-lost']),
        [unknown, 'of-unknown'],
      ])
    })

    it('are left when a worker retires that still holds jobs: it is known until its lease is over', async () => {
      const { store } = await setup()
      const left = await dyingWorker(store, 'hasty', 2)
      await store.retire('hasty')
      expect(await allOrphans(store, 10)).toEqual([])
      await store.buryLost({ now: 3_000 })
      expect((await allOrphans(store, 10)).map(({ jobId, alone }) => [jobId, alone])).toEqual(
        left.map((id) => [id, false]),
      )
    })

    it('were alone exactly when their worker held one job when it was buried', async () => {
      const { store } = await setup()
      const [one] = await dyingWorker(store, 'one', 1)
      await dyingWorker(store, 'two', 2)
      await dyingWorker(store, 'none', 0)
      await submitOne(store, {}, 1_000)
      await claimOne(store, { workerId: 'unknown', now: 1_000 })
      await store.buryLost({ now: 2_000 })
      const found = await allOrphans(store, 100)
      expect(found).toHaveLength(4)
      expect(found.filter(({ alone }) => alone).map(({ jobId }) => jobId)).toEqual([one])
    })

    it('are paged by key, and whom to blame does not change while the sweep proceeds', async () => {
      const { store } = await setup()
      const ids = await dyingWorker(store, 'w1', 5)
      await store.buryLost({ now: 2_000 })
      const swept: Orphan[] = []
      let after: number | null = null
      do {
        const page = await store.orphans({ after, limit: 2 })
        expect(page.attempts.length).toBeLessThanOrEqual(2)
        swept.push(...page.attempts)
        const results = await store.apply(page.attempts.map(lose), { now: 2_000 })
        expect(new Set(results.map(codeOf))).toEqual(new Set(results.length === 0 ? [] : ['ok']))
        after = page.next
      } while (after !== null)
      expect(swept.map(({ jobId }) => jobId)).toEqual(ids)
      expect(swept.map(({ alone }) => alone)).toEqual(ids.map(() => false))
      const found = await store.find(ids.map((id) => ({ id })))
      for (const stored of found) expect(stored?.job).toMatchObject({ charged: 0, suspect: true, phase: 'queued' })
      expect(await store.orphans({ after: null, limit: 10 })).toEqual({ attempts: [], next: null })
      expect(await verify(store)).toEqual([])
    })

    it('that were alone are charged', async () => {
      const { store } = await setup()
      await dyingWorker(store, 'w1', 1)
      await store.buryLost({ now: 2_000 })
      const [orphan] = await allOrphans(store, 10)
      if (orphan === undefined) throw new Error('An orphan was expected.')
      const [result] = await store.apply([lose(orphan)], { now: 2_000 })
      expect(applied(result).job).toMatchObject({ charged: 1, suspect: true })
      expect(await store.runs(orphan.jobId)).toMatchObject([{ reason: 'lease_lost', workerId: 'w1' }])
    })
  })

  describe('a rescue', () => {
    it('of an attempt that was rescued before is refused and changes nothing', async () => {
      const { store } = await setup()
      await dyingWorker(store, 'w1', 1)
      await store.buryLost({ now: 2_000 })
      const orphans = await allOrphans(store, 10)
      expect((await store.apply(orphans.map(lose))).map(codeOf)).toEqual(['ok'])
      const before = await store.find(orphans.map(({ jobId }) => ({ id: jobId })))
      expect((await store.apply([...orphans, ...orphans].map(lose))).map(codeOf)).toEqual([
        'stale_token',
        'stale_token',
      ])
      expect(await store.find(orphans.map(({ jobId }) => ({ id: jobId })))).toEqual(before)
      expect(await verify(store)).toEqual([])
    })

    it('from a stale page leaves jobs alone that have finished or were claimed anew since', async () => {
      const { store } = await setup()
      await submitMany(store, 3, { retry: { baseMs: 0 } })
      const [finished, givenBack, claimedAnew] = await store.claim(claimOf({ workerId: 'gone', token: 'old' }))
      if (finished === undefined || givenBack === undefined || claimedAnew === undefined) throw new Error('Too few.')
      const { attempts } = await store.orphans({ after: null, limit: 10 })
      expect(attempts).toHaveLength(3)
      const back = (job: string): ApplyRequest => ({ job, command: { type: 'giveBack', token: 'old' } })
      await store.apply([completion(finished), back(claimedAnew.job.id)])
      const fresh = await claimOne(store, { workerId: 'w2', token: 'new' })
      expect(fresh.job.id).toBe(claimedAnew.job.id)
      await store.apply([back(givenBack.job.id)])
      const ids = attempts.map(({ jobId }) => ({ id: jobId }))
      const before = await store.find(ids)
      const results = await store.apply(attempts.map(lose))
      expect(results.map(codeOf)).toEqual(['stale_token', 'stale_token', 'stale_token'])
      expect(await store.find(ids)).toEqual(before)
      expect(await verify(store)).toEqual([])
    })

    it('that races with the end of the attempt leaves one outcome, and each attempt one run', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      await submitMany(fixture.store, 60, { retry: { baseMs: 0 } })
      const running = await fixture.store.claim(claimOf({ workerId: 'gone', limit: 60 }))
      const { attempts } = await fixture.store.orphans({ after: null, limit: 100 })
      const answers = await Promise.all(
        running.map(async (job, i) => {
          const orphan = at(attempts, i)
          const [finished, lost] = await Promise.all([
            at(stores, i).apply([completion(job)]),
            at(stores, i + 1).apply([lose(orphan)]),
          ])
          return [codeOf(finished[0]), codeOf(lost[0])]
        }),
      )
      for (const codes of answers) expect(codes.sort()).toEqual(['ok', 'stale_token'])
      const runs = await Promise.all(running.map(({ job }) => fixture.store.runs(job.id)))
      expect(runs.map(({ length }) => length)).toEqual(running.map(() => 1))
      expect(await verify(fixture.store)).toEqual([])
    })

    it('of a worker that claims while it is buried blames nobody who was not alone', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      for (let i = 0; i < 30; i++) {
        const workerId = `w${i}`
        await store.register({ id: workerId, name: workerId, leaseMs: 100 }, { now: 1_000 })
        await submitMany(store, 2, { scheduledFor: 0 })
        await claimOne(store, { workerId, now: 1_000 })
        const [second] = await Promise.all([
          store.claim(claimOf({ workerId, token: 't2', limit: 1, now: 2_000 })),
          other.buryLost({ now: 2_000 }),
        ])
        const orphans = await allOrphans(store, 10)
        expect(orphans.map(({ alone }) => alone)).toEqual(second.length === 0 ? [true] : [false, false])
        await store.apply(orphans.map(lose), { now: 2_000 })
        const rest = await store.claim(claimOf({ workerId: 'rest', suspectLimit: 10, now: Date.now() + 60_000 }))
        await store.apply(rest.map((job) => completion(job)))
      }
      expect(await verify(store)).toEqual([])
    })
  })
}
