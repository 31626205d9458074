import { describe, expect, it } from 'vitest'
import type { Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, codeOf, type Setup, submission, submitOne } from '../support/fixture.ts'
import { allJobs, at, openStores, times } from '../support/racing.ts'
import { claimOf, completion, finish } from '../support/requests.ts'

/** Runs what there is to run, and tells how many ran at the same time. Those that run are replaced meanwhile. */
async function work(store: Store, token: string): Promise<number> {
  const running: StoredJob[] = []
  for (const turn of [0, 1, 2, 3]) running.push(...(await store.claim(claimOf({ token: `${token}.${turn}` }))))
  for (const result of await store.apply(running.map((job) => completion(job)))) expect(codeOf(result)).toBe('ok')
  return running.length
}

export function replaceRaces(setup: Setup): void {
  describe('jobs that replace each other', () => {
    it('never run at the same time, and none is left waiting', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      let open = true
      const widths: number[] = []
      const worker = (async () => {
        for (let i = 0; open; i++) widths.push(await work(fixture.store, `t${i}`))
      })()
      await Promise.all(
        stores.map(async (store) => {
          for (let i = 0; i < 15; i++) {
            const given = submission({ name: '/test/same', onConflict: 'replace' })
            expect((await store.submit([given])).map(codeOf)).toEqual(['created'])
          }
        }),
      )
      open = false
      await worker
      widths.push(await work(fixture.store, 'last'))
      expect(Math.max(...widths)).toBe(1)
      const jobs = await allJobs(fixture.store)
      expect(jobs).toHaveLength(60)
      expect(jobs.filter(({ job }) => job.state !== 'final')).toEqual([])
      // Each ran to its end or was cancelled before it could.
      for (const { job } of jobs) expect(job.outcome === 'COMPLETED' || job.cancelled).toBe(true)
      expect(await verify(fixture.store)).toEqual([])
    })

    it('a job that waits for two ends starts when both come at the same time', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      for (let i = 0; i < 15; i++) {
        const [byName, byKey] = [submission({ name: `/test/n${i}` }), submission({ name: `/test/k${i}`, key: `k${i}` })]
        await fixture.store.submit([byName, byKey])
        const held = await fixture.store.claim(claimOf({ token: `a${i}` }))
        expect(held).toHaveLength(2)
        const both = { name: `/test/n${i}`, key: `k${i}`, onConflict: 'replace' } as const
        const next = await submitOne(fixture.store, both)
        expect(next.job.phase).toBe('pending')
        await Promise.all(held.map((job, s) => at(stores, s + 1).apply([completion(job)])))
        const started = await fixture.store.claim(claimOf({ token: `b${i}` }))
        expect(started.map(({ job }) => job.id)).toEqual([next.job.id])
        await fixture.store.apply(started.map((job) => completion(job)))
      }
      expect(await verify(fixture.store)).toEqual([])
    })

    it('a job that replaces one that waits for two ends inherits only what has not ended', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      for (let i = 0; i < 15; i++) {
        const both = { name: `/test/n${i}`, key: `k${i}`, onConflict: 'replace' } as const
        await fixture.store.submit([
          submission({ name: both.name }),
          submission({ name: `/test/k${i}`, key: both.key }),
        ])
        const [one, other] = await fixture.store.claim(claimOf({ token: `a${i}` }))
        if (one === undefined || other === undefined) throw new Error('Two jobs were expected.')
        await submitOne(fixture.store, both)
        const last = submission(both)
        await Promise.all([at(stores, 1).apply([completion(one)]), at(stores, 2).submit([last])])
        await fixture.store.apply([completion(other)])
        const started = await fixture.store.claim(claimOf({ token: `b${i}` }))
        expect(started.map(({ job }) => job.id)).toEqual([last.id])
        await fixture.store.apply(started.map((job) => completion(job)))
      }
      expect(await verify(fixture.store)).toEqual([])
    })

    it('a job that replaces a waiting one does not wait for an end that has just passed', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      for (let i = 0; i < 15; i++) {
        const name = `/test/n${i}`
        await submitOne(fixture.store, { name })
        const held = await fixture.store.claim(claimOf({ token: `a${i}` }))
        const first = await submitOne(fixture.store, { name, onConflict: 'replace' })
        expect(first.job.phase).toBe('pending')
        await Promise.all([
          at(stores, 1).apply(held.map((job) => completion(job))),
          ...times(2, (s) => at(stores, 2 + s).submit([submission({ name, onConflict: 'replace' })])),
        ])
        const started = await fixture.store.claim(claimOf({ token: `b${i}` }))
        expect(started.map(({ job }) => job.name)).toEqual([name])
        await fixture.store.apply(started.map((job) => completion(job)))
      }
      expect((await allJobs(fixture.store)).filter(({ job }) => job.state !== 'final')).toEqual([])
      expect(await verify(fixture.store)).toEqual([])
    })

    it('a job that replaces two waits for both, also when one of them is claimed at that moment', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      const stop = (jobs: readonly StoredJob[]) => {
        return fixture.store.apply(jobs.map((job) => finish(job, { kind: 'cancelled' })))
      }
      for (let i = 0; i < 12; i++) {
        await submitOne(fixture.store, { name: `/test/k${i}`, key: `k${i}` })
        const running = await fixture.store.claim(claimOf({ token: `a${i}` }))
        await submitOne(fixture.store, { name: `/test/n${i}` })
        const given = submission({ name: `/test/n${i}`, key: `k${i}`, onConflict: 'replace' })
        const [claimed, results] = await Promise.all([
          at(stores, 1).claim(claimOf({ token: `b${i}` })),
          at(stores, 2).submit([given]),
        ])
        expect(accepted(results[0]).job.phase).toBe('pending')
        await stop(claimed)
        expect(await fixture.store.claim(claimOf({ token: `c${i}` }))).toEqual([])
        await stop(running)
        const next = await fixture.store.claim(claimOf({ token: `d${i}` }))
        expect(next.map(({ job }) => job.id)).toEqual([given.id])
        await fixture.store.apply(next.map((job) => completion(job)))
      }
      expect(await verify(fixture.store)).toEqual([])
    })

    it('a job that replaces one at the moment of its claim waits for it', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      for (let i = 0; i < 12; i++) {
        const old = await submitOne(fixture.store, { name: `/test/n${i}` })
        const given = submission({ name: `/test/n${i}`, onConflict: 'replace' })
        const [claimed, results] = await Promise.all([
          at(stores, 1).claim(claimOf({ token: `a${i}` })),
          at(stores, 2).submit([given]),
        ])
        const next = accepted(results[0])
        if (claimed[0]?.job.id === old.job.id) {
          expect(next.job.phase).toBe('pending')
          expect(await fixture.store.claim(claimOf({ token: `b${i}` }))).toEqual([])
          await fixture.store.apply([finish(claimed[0], { kind: 'cancelled' })])
        }
        const ready = await fixture.store.claim(claimOf({ token: `c${i}` }))
        const running = [...claimed.filter(({ job }) => job.id === next.job.id), ...ready]
        expect(running.map(({ job }) => job.id)).toEqual([next.job.id])
        await fixture.store.apply(running.map((job) => completion(job)))
        const [ended] = await fixture.store.find([{ id: old.job.id }])
        expect(ended?.job).toMatchObject({ state: 'final', cancelled: true })
      }
      expect(await verify(fixture.store)).toEqual([])
    })
  })
}
