import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel } from '../support/children.ts'
import { accepted, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import { allJobs, idsOf, openStores, submitMany, times } from '../support/racing.ts'
import { claimOf, claimOne, codeOf, completion, failure } from '../support/requests.ts'
import { day, pruneAll, setRetention } from '../support/retention.ts'

const start = 1_000_000

/** What is left of jobs that retention has let go, and who else is there while it does. */
export function prunedContract(setup: Setup): void {
  afterwardsContract(setup)
  togetherContract(setup)
}

function afterwardsContract(setup: Setup): void {
  describe('after a job has left', () => {
    async function pruned() {
      const fixture = await setup()
      const { store } = fixture
      const fields = { name: '/r/a', key: 'k', params: '{"b":1,"a":[2]}', labels: { team: 'x' }, templateId: 'tpl' }
      const job = await submitOne(store, { ...fields, retry: { baseMs: 0 } }, start)
      const first = await claimOne(store, { token: 't1', now: start })
      const lines = times(3, (i) => ({ seq: i + 1, at: start, line: `line ${i}` }))
      const progress = { done: 1, total: 2 }
      await store.report([{ jobId: job.job.id, token: 't1', lines, progress, checkpoint: '5' }], { now: start })
      await store.apply([failure(first)], { now: start })
      const second = await claimOne(store, { token: 't2', now: start })
      await store.complete([{ job: second, result: '7', facts: { exitCode: 3, artifacts: ['x'] } }], { now: start + 5 })
      await store.append([
        { namespace: 'r', source: 's', id: '1', type: 'tick', jobId: job.job.id, attributes: { n: 1 } },
      ])
      const before = { runs: await store.runs(job.job.id), log: await readAll(fixture) }
      expect(before.runs).toHaveLength(2)
      expect(await pruneAll(store, start + 31 * day)).toBe(1)
      return { ...fixture, job, before }
    }

    it('its runs, their logs and what they show of it are there', async () => {
      const { store, raw, job, before } = await pruned()
      const { id } = job.job
      expect(await store.find([{ id }, { name: '/r/a' }])).toEqual([null, null])
      expect(await store.runs(id)).toEqual(before.runs)
      const wanted = { jobId: id, attempt: 1, limit: 10 }
      expect((await store.logs(wanted)).map(({ line }) => line)).toEqual(['line 0', 'line 1', 'line 2'])
      expect(await store.notes(id)).toEqual({ progress: null, checkpoint: null })
      expect([await raw('select 1 from progress'), await raw('select 1 from checkpoints')]).toEqual([[], []])
      const past = {
        pk: job.guard.pk,
        ...{ id, namespace: 'r', name: '/r/a', type: 'work', outcome: 'COMPLETED', endedAt: start + 5 },
        body: {
          ...{ createdAt: start, cancelled: false, labels: { team: 'x' }, templateId: 'tpl', scheduleId: null },
          ...{ groupId: null, params: '{"b":1,"a":[2]}' },
        },
      }
      const nobody = [{ id: newId() }, { id: 'no id' }, { name: '/r/none' }, { name: '\0' }]
      expect(await store.past([{ id }, { name: '/r/a' }, ...nobody])).toEqual([past, past, null, null, null, null])
      expect(await store.runs(newId())).toEqual([])
    })

    it('its entries in the log are what they were', async () => {
      const { store, raw, job, before } = await pruned()
      expect(await readAll({ store, raw })).toEqual(before.log)
      const own = before.log.filter(({ jobId }) => jobId === job.job.id)
      expect(own.map(({ eventId }) => eventId)).toEqual([...times(5, (i) => `${job.job.id}.${i + 1}`), '1'])
      expect((await store.events({ jobId: job.job.id, limit: 10 })).entries).toEqual(own)
    })

    it('its entries in the log are found for as long as they are there, also when its runs have left', async () => {
      const fixture = await setup()
      const { store, raw } = fixture
      const now = start
      const given = times(20, (i) => submission({ name: `/r/j${i}`, retry: { baseMs: 0 } }))
      const jobs = (await store.submit(given, { now })).map(accepted)
      // Some are claimed and end together, some alone; one fails first, one is asked to stop.
      const [failing, stopping, ...claimed] = await store.claim(claimOf({ limit: 20, now }))
      if (failing === undefined || stopping === undefined) throw new Error('All were expected.')
      await store.apply([failure(failing), cancel(stopping)], { now })
      const again = await claimOne(store, { token: 't2', now })
      const ends = [...claimed, again].map((job) => ({ job, result: '1' }))
      expect((await store.complete(ends, { now })).done).toEqual(ends.map(() => true))
      await store.apply([completion(stopping)], { now })
      const entriesOf = async () => {
        return await Promise.all(idsOf(jobs).map(async (jobId) => (await store.events({ jobId, limit: 10 })).entries))
      }
      const before = await entriesOf()
      expect(before.map(({ length }) => length).toSorted()).toEqual([...times(18, () => 3), 4, 5])
      expect(await verify(store)).toEqual([])
      await setRetention(store, '/r', { jobsMs: 0, runsMs: 0 }, now)
      expect(await pruneAll(store, now + day)).toBe(20)
      await pruneAll(store, now + 2 * day)
      expect(await raw('select 1 from runs')).toEqual([])
      expect(await entriesOf()).toEqual(before)
    })

    it('its name, key and id are free, and what is said of it is recorded only', async () => {
      const { store, job } = await pruned()
      const { id } = job.job
      expect(await codeOf(store.move({ jobId: id, to: 'front' }))).toBe('not_found')
      expect(await store.apply([cancel(id), completion(job)])).toMatchObject([
        ...times(2, () => ({ ok: false, error: { code: 'not_found' } })),
      ])
      const event = { namespace: 'r', source: 's', id: '2', type: 'tick', jobId: id }
      expect(await store.append([event, { ...event, id: '1' }])).toEqual([
        ...[{ outcome: 'recorded' }, { outcome: 'duplicate' }],
      ])
      const child = submission({ parent: { jobId: id, token: 't2' } })
      expect((await store.submit([child]))[0]).toMatchObject({ outcome: 'refused', error: { code: 'stale_token' } })
      const again = accepted((await store.submit([submission({ id, name: '/r/a', key: 'k' })]))[0])
      expect((await store.find([{ id }]))[0]?.guard.pk).toBe(again.guard.pk)
      expect(await store.runs(id)).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('its runs leave by their own policy, long logs in several steps', async () => {
      const { store, raw } = await setup()
      await setRetention(store, '/r', { jobsMs: 10, runsMs: 1_000 })
      const { job } = await submitOne(store, { name: '/r/a' }, start)
      const claimed = await claimOne(store, { now: start })
      const lines = times(7_000, (i) => ({ seq: i + 1, at: start, line: 'x' }))
      await store.report([{ jobId: job.id, token: 't1', lines }], { now: start })
      await store.complete([{ job: claimed, result: null }], { now: start })
      await pruneAll(store, start + 999)
      expect([await store.runs(job.id), await store.past([{ id: job.id }])]).toMatchObject([[{ attempt: 1 }], [{}]])
      const step = () => store.control('retention.prune', { limit: 10 }, { now: start + 1_000 })
      expect(await step()).toEqual({ pruned: 0, more: true })
      expect(await raw('select count(*) as n from run_logs')).toMatchObject([
        { n: expect.toSatisfy((n) => Number(n) === 2_000) },
      ])
      expect(await store.runs(job.id)).toHaveLength(1)
      await pruneAll(store, start + 1_000)
      expect(await store.runs(job.id)).toEqual([])
      expect(await raw('select 1 from run_logs')).toEqual([])
      // The log still has its entries, which need its id.
      expect(await store.past([{ id: job.id }])).toMatchObject([{ id: job.id, body: null }])
      expect((await store.events({ jobId: job.id, limit: 10 })).entries.map(({ eventId }) => eventId)).toEqual([
        ...times(3, (i) => `${job.id}.${i + 1}`),
      ])
    })

    it('a backfill still knows how it ended', async () => {
      const { store } = await setup()
      const minute = 60_000
      const noon = 1_000 * day
      const id = newId()
      const schedule = { id, path: '/r/tick', type: 'tick', intervalMs: minute, enabled: false }
      await store.control('schedule.create', schedule, { now: noon })
      const backfill = (fields: object, now: number) => {
        const range = { schedule: id, from: noon, to: noon + minute, limit: 10 }
        return store.control('schedule.backfill', { ...range, ...fields }, { now })
      }
      await backfill({}, noon + minute)
      const at = { now: noon + minute }
      const [good, bad] = await store.claim(claimOf({ types: ['tick'], limit: 2, ...at }))
      await store.complete([{ job: good as StoredJob, result: null }], at)
      await store.apply([failure(bad as StoredJob, 'boom', { terminal: true })], at)
      const later = noon + 40 * day
      expect(await pruneAll(store, later)).toBe(2)
      expect((await backfill({ reprocess: 'failed', dryRun: true }, later)).items).toMatchObject([
        { action: 'keep', jobId: good?.job.id },
        { action: 'again', jobId: bad?.job.id },
      ])
      const { items } = await backfill({ reprocess: 'failed' }, later)
      expect(items).toMatchObject([{ jobId: good?.job.id }, { action: 'again', error: null }])
      expect((await store.find([{ id: items[1]?.jobId ?? '' }]))[0]?.job).toMatchObject({ retryOf: bad?.job.id })

      // Of what was forgotten with its runs nobody knows how it ended: only all are done again.
      await setRetention(store, '/r', { runsMs: 0 })
      await pruneAll(store, later)
      const forgotten = await backfill({ to: noon, reprocess: 'failed' }, later)
      expect(forgotten.items).toMatchObject([{ action: 'keep' }])
      const all = await backfill({ to: noon, reprocess: 'all' }, later)
      expect(all.items).toMatchObject([{ action: 'again', error: null }])
      expect(all.items[0]?.jobId).not.toBe(good?.job.id)
    })
  })
}

function togetherContract(setup: Setup): void {
  describe('several that prune at once', () => {
    it('take each job once', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      const given = times(400, () => submission({ scheduledFor: 0 }))
      await fixture.store.submit(given, { now: start })
      const claimed = await fixture.store.claim(claimOf({ limit: 400, now: start }))
      await fixture.store.complete(
        claimed.map((job) => ({ job, result: null })),
        { now: start },
      )
      const counts = await Promise.all(stores.map((store) => pruneAll(store, start + 31 * day, 10)))
      // Who finds that others are at all that is left stops, and leaves the rest to them.
      const rest = await pruneAll(fixture.store, start + 31 * day, 10)
      expect(counts.reduce((a, b) => a + b, rest)).toBe(400)
      expect(await allJobs(fixture.store)).toEqual([])
      const past = await fixture.store.past(given.map(({ id }) => ({ id })))
      expect(past.filter((each) => each !== null)).toHaveLength(400)
    })

    it('do no harm to those who work meanwhile', async () => {
      const fixture = await setup()
      const { store } = fixture
      await setRetention(store, '/test', { jobsMs: 0 })
      const stores = await openStores(fixture, 4)
      const ids: string[] = []
      let isOver = false
      const work = async (worker: Store, name: string) => {
        for (let round = 0; round < 12; round++) {
          await nextTurn()
          ids.push(...idsOf(await submitMany(worker, 8, { retry: { baseMs: 0, maxAttempts: 2 } })))
          const jobs = await worker.claim(
            claimOf({ workerId: name, token: `${name}.${round}`, limit: 12, suspectLimit: 5 }),
          )
          const [done, failing] = [jobs.slice(0, 8), jobs.slice(8)]
          await Promise.all([
            worker.complete(done.map((job) => ({ job, result: '1' }))),
            worker.apply(failing.map((job) => failure(job))),
            worker.apply(ids.slice(-3).map((id) => cancel(id))),
          ])
        }
      }
      // What lives when it is looked at is looked at again after a time: here it passes fast.
      const prune = async (pruner: Store) => {
        for (let now = await store.now(); !isOver; now += 3_600_000) {
          await pruner.control('retention.prune', { limit: 20 }, { now })
          await nextTurn()
        }
      }
      const [a, b, c, d] = stores as [Store, Store, Store, Store]
      const pruners = Promise.all([prune(c), prune(d)])
      await Promise.all([work(a, 'wa'), work(b, 'wb')]).finally(() => {
        isOver = true
      })
      await pruners
      expect(await verify(store)).toEqual([])
      const found = await store.find(ids.map((id) => ({ id })))
      const past = await store.past(ids.map((id) => ({ id })))
      expect(ids.filter((_, i) => (found[i] === null) === (past[i] === null))).toEqual([])
      expect(past.filter((each) => each !== null).length).toBeGreaterThan(0)
      for (const [i, each] of past.entries()) {
        if (each?.outcome === 'COMPLETED') expect(await store.runs(ids[i] ?? '')).not.toEqual([])
      }
      const later = (await store.now()) + 10_000 * day
      await pruneAll(store, later)
      expect((await allJobs(store)).filter(({ job }) => job.state === 'final')).toEqual([])
      expect(await verify(store)).toEqual([])
    })
  })
}
