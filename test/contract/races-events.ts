import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../src/core/job/awaits.ts'
import type { NewEvent, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { type Setup, submission, submitOne } from '../support/fixture.ts'
import { allJobs, at, batches, openStores, shuffled, submitMany, times } from '../support/racing.ts'
import { claimOf, claimOne, finish } from '../support/requests.ts'

function awaited(eventType: string, times = 1) {
  return { eventType, match: {}, times, taskId: null }
}

function about(jobId: string, id: string, type = 'paid'): NewEvent {
  return { namespace: 'test', source: 'shop', id, type, jobId }
}

const suspended = { kind: 'suspended', awaits: null, until: null } as const

export function eventRaces(setup: Setup): void {
  describe('outside events at the same time', () => {
    it('fifty awaited events from five senders, each sent three times, complete the job once', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      await submitOne(fixture.store, { awaits: { events: [awaited('paid', 50)] } })
      const running = await claimOne(fixture.store)
      await fixture.store.apply([finish(running, suspended)])
      const { id } = running.job
      const sent = shuffled(
        times(150, (i) => about(id, `e${i % 50}`)),
        7,
      )
      const answers = await Promise.all(batches(sent, 7).map((batch, i) => at(stores, i).append(batch)))
      const outcomes = answers.flat().map(({ outcome }) => outcome)
      expect(outcomes.filter((outcome) => outcome === 'recorded')).toHaveLength(50)
      expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(100)
      const [done] = await fixture.store.find([{ id }])
      expect(done?.job).toMatchObject({ state: 'final', outcome: 'COMPLETED', version: 4 })
      expect(await fixture.store.runs(id)).toHaveLength(1)
      expect(await fixture.raw('select 1 from events where code = 6')).toHaveLength(1)
      expect(await verify(fixture.store)).toEqual([])
    })

    it('an event that is written while the wait for it is registered is never missed', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      await submitMany(fixture.store, 150)
      const running = await fixture.store.claim(claimOf({ limit: 150 }))
      const ending = { ...suspended, awaits: newAwaits([awaited('paid')], []) }
      const race = ({ job, ...stored }: StoredJob, i: number) => [
        at(stores, i).apply([finish({ job, ...stored }, ending)]),
        at(stores, i + 1 + (i % 3)).append([about(job.id, job.id)]),
      ]
      for (const some of batches(running, 6)) await Promise.all(some.flatMap(race))
      const after = await allJobs(fixture.store)
      expect(after.filter(({ job }) => job.outcome !== 'COMPLETED').map(({ job }) => job.phase)).toEqual([])
      expect(await verify(fixture.store)).toEqual([])
    })

    it('the same holds for many waits and events in one call', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      await submitMany(fixture.store, 120, { awaits: { events: [awaited('paid', 2)] } })
      const running = await fixture.store.claim(claimOf({ limit: 120 }))
      const events = running.flatMap(({ job }) => [about(job.id, `${job.id} a`), about(job.id, `${job.id} b`)])
      await Promise.all([
        ...batches(running, 30).map((some) => at(stores, 0).apply(some.map((job) => finish(job, suspended)))),
        ...batches(shuffled(events, 3), 40).map((some, i) => at(stores, 1 + (i % 2)).append(some)),
      ])
      const outcomes = (await allJobs(fixture.store)).map(({ job }) => job.outcome)
      expect(new Set(outcomes)).toEqual(new Set(['COMPLETED']))
      expect(await verify(fixture.store)).toEqual([])
    })

    it('count or do not count, but never half, for a job that is being claimed or submitted', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      const awaits = { events: [awaited('paid')] }
      const fresh = times(100, () => submission({ awaits }))
      const known = await submitMany(fixture.store, 60, { awaits })
      for (const [i, some] of batches(fresh, 10).entries()) {
        await Promise.all([
          ...some.map((given) => at(stores, 1).submit([given])),
          ...some.map(({ id }) => at(stores, 2).append([about(id, id)])),
          ...known.slice(6 * i, 6 * i + 6).map(({ job }) => at(stores, 3).append([about(job.id, job.id)])),
          fixture.store.claim(claimOf({ token: `t${i}`, limit: 8 })),
        ])
      }
      const found = await fixture.store.find(known.map(({ job }) => ({ id: job.id })))
      expect(new Set(found.map((stored) => stored?.job.awaits?.decided))).toEqual(new Set(['complete']))
      expect(await verify(fixture.store)).toEqual([])
    })

    it('the first terminal one decides, whoever sent it, and the log says which was the first', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      // Both senders have written before, so that whatever they prepare for their next write is prepared.
      await store.append([{ namespace: 'test', source: 'shop', id: 'noise 1', type: 'noise' }])
      await other.append([{ namespace: 'test', source: 'shop', id: 'noise 2', type: 'noise' }])
      const { job } = await submitOne(other, { awaits: { events: [awaited('paid')], failOn: ['refused'] } })
      await other.append([about(job.id, '1', 'paid')])
      await store.append([about(job.id, '2', 'refused')])
      expect((await store.find([{ id: job.id }]))[0]?.job.awaits?.decided).toBe('complete')
      expect(await verify(store)).toEqual([])
    })

    it('of a completing and a failing one at the same time one decides, and the log agrees', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      const jobs = await submitMany(fixture.store, 60, { awaits: { events: [awaited('paid')], failOn: ['refused'] } })
      const running = await fixture.store.claim(claimOf({ limit: 30 }))
      await fixture.store.apply(running.slice(0, 15).map((job) => finish(job, suspended)))
      for (const some of batches(jobs, 6)) {
        await Promise.all(
          some.flatMap(({ job }, i) => [
            at(stores, i).append([about(job.id, `${job.id} a`, 'paid')]),
            at(stores, i + 2).append([about(job.id, `${job.id} b`, 'refused')]),
          ]),
        )
      }
      expect(await verify(fixture.store)).toEqual([])
      const late = await fixture.store.apply(running.slice(15).map((job) => finish(job, suspended)))
      expect(late.map((result) => result.ok && result.stored.job.state)).toEqual(late.map(() => 'final'))
      expect(await verify(fixture.store)).toEqual([])
    })
  })
}
