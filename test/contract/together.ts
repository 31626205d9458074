import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/store/digest.ts'
import type { LogEntry, Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, type Setup, submission } from '../support/fixture.ts'
import { outOfOrder, readAll } from '../support/follow.ts'
import { times } from '../support/racing.ts'
import { claimOf, failure } from '../support/requests.ts'
import { day, pruneAll, setRetention } from '../support/retention.ts'
import { archiveAll } from './archive.ts'

const start = 1_000_000

/** Jobs that are submitted and claimed together. */
async function started(store: Store, fields: readonly Partial<Submission>[]): Promise<readonly StoredJob[]> {
  const jobs = (await store.submit(fields.map(submission), { now: start })).map(accepted)
  await store.register({ id: 'w1', name: 'w', leaseMs: 60_000 }, { now: start })
  const claimed = await store.claim(claimOf({ limit: fields.length, now: start }))
  return jobs.map(({ job }) => claimed.find((each) => each.job.id === job.id) as StoredJob)
}

/** Completes them together: every second has a result. */
async function completed(store: Store, jobs: readonly StoredJob[]): Promise<void> {
  const context = (job: StoredJob) => ({ actor: 'worker w1', executionId: `p::test:${job.job.id}-run-1` })
  const ends = jobs.map((job, i) => ({ job, result: i % 2 === 0 ? null : `{"n":${i}}`, context: context(job) }))
  expect((await store.complete(ends, { now: start })).done).toEqual(jobs.map(() => true))
}

async function inPages(store: Store, limit: number, newestFirst: boolean): Promise<readonly LogEntry[]> {
  const found: LogEntry[] = []
  for (let after: string | null = null; ; ) {
    const page = await store.events({ after, limit, newestFirst })
    found.push(...page.entries)
    if (page.entries.length < limit) return found
    after = page.cursor
  }
}

const historyOf = async (store: Store, { job }: StoredJob) => {
  return (await store.events({ jobId: job.id, limit: 100 })).entries.map(({ eventType }) => eventType)
}

const plainLife = ['job.created', 'job.run.started', 'job.run.completed']

export function togetherContract(setup: Setup): void {
  describe('what starts and ends together', () => {
    it('is read entry by entry, in full pages of any size, from either end', async () => {
      const fixture = await setup()
      const { store } = fixture
      await completed(
        store,
        await started(
          store,
          times(9, () => ({})),
        ),
      )
      await completed(
        store,
        await started(
          store,
          times(4, () => ({})),
        ),
      )
      const all = await readAll(fixture)
      expect(all).toHaveLength(39)
      expect(new Set(all.map(({ logId }) => logId)).size).toBe(39)
      expect(outOfOrder(all)).toEqual([])
      for (const limit of [1, 2, 5, 8, 39]) {
        expect(await inPages(store, limit, false)).toEqual(all)
        expect(await inPages(store, limit, true)).toEqual(all.toReversed())
      }
      expect(await verify(store)).toEqual([])
    })

    it('tells of each job what is its own: deadlines, results, the run', async () => {
      const { store } = await setup()
      const jobs = await started(store, [{}, { timeoutMs: 500 }, { timeoutMs: 700 }, {}])
      await completed(store, jobs)
      const logs = await Promise.all(jobs.map(({ job }) => store.events({ jobId: job.id, limit: 10 })))
      const [starts, ends] = [1, 2].map((nth) => logs.map(({ entries }) => entries[nth]))
      const deadlines = [null, start + 500, start + 700, null]
      expect(starts?.map((entry) => entry?.attributes)).toEqual(
        deadlines.map((attemptDeadlineAt) => ({ attempt: 1, token: 't1', workerId: 'w1', attemptDeadlineAt })),
      )
      const digests = await Promise.all(
        jobs.map(async ({ job }) => (await store.find([{ id: job.id }]))[0]?.job.resultDigest),
      )
      expect(digests.map((digest) => digest === null)).toEqual([true, false, true, false])
      expect(ends?.map((entry) => entry?.attributes['resultDigest'])).toEqual(digests)
      expect(ends?.map((entry) => entry?.executionId)).toEqual(jobs.map(({ job }) => `p::test:${job.id}-run-1`))
      expect(ends?.map((entry) => [entry?.version, entry?.namespace, entry?.actor])).toEqual(
        jobs.map(() => [3, 'test', 'worker w1']),
      )
      expect(await verify(store)).toEqual([])
    })

    it('begins with what each job was submitted with, also when it was edited since, and names who submitted it', async () => {
      const { store } = await setup()
      const by = (actor: string) => ({ context: { actor, traceId: 'a'.repeat(32) } })
      const submit = async (fields: readonly Partial<Submission>[]) => {
        return (await store.submit(fields.map(submission), { now: start })).map(accepted)
      }
      const jobs = [
        ...(await submit([
          { name: '/t/a "b"\\c', priority: 3, labels: { of: '{"1",}' }, params: '{"n":1}', ...by('x') },
          { type: 'other', timeoutMs: 500, ...by('x') },
          { params: '{"n":3}', ...by('x') },
        ])),
        ...(await submit([by('x'), by('y')])),
      ]
      const first = async ({ job }: StoredJob) => (await store.events({ jobId: job.id, limit: 1 })).entries[0]
      const before = await Promise.all(jobs.map(first))
      for (const [i, { job }] of jobs.entries()) {
        const { type, name, paramsDigest, priority } = job
        expect(before[i]).toMatchObject({ eventType: 'job.created', version: 1, namespace: name.split('/')[1] })
        expect(before[i]?.attributes).toMatchObject({ type, name, paramsDigest })
        expect(before[i]?.attributes['priority'] ?? 0).toBe(priority)
      }
      expect(before.map((entry) => entry?.actor)).toEqual(['x', 'x', 'x', 'x', 'y'])
      expect(new Set(before.map((entry) => entry?.traceId))).toEqual(new Set(['a'.repeat(32)]))
      expect(new Set(before.map((entry) => entry?.eventId)).size).toBe(jobs.length)
      const edited = jobs[0] as StoredJob
      const params = '{"n":2}'
      const changes = { priority: 9, params: { digest: digestOf(params), replaced: edited.params } }
      expect(await store.apply([{ job: edited, command: { type: 'edit', changes }, params }])).toMatchObject([
        { ok: true },
      ])
      expect(await Promise.all(jobs.map(first))).toEqual(before)
      expect(await verify(store)).toEqual([])
    })

    it('stays the history of a job however it goes on', async () => {
      const { store } = await setup()
      const retry = { baseMs: 0, maxAttempts: 2 }
      const jobs = await started(
        store,
        times(4, () => ({ retry })),
      )
      const [failing, cancelled, ...others] = jobs as readonly [StoredJob, StoredJob, ...StoredJob[]]
      await store.apply([failure(failing)], { now: start })
      await store.apply([{ job: cancelled.job.id, command: { type: 'cancel', reason: 'test' } }], { now: start })
      await completed(store, others)
      const again = await store.claim(claimOf({ token: 't2', now: start }))
      expect(again.map(({ job }) => job.id)).toEqual([failing.job.id])
      await store.complete([{ job: again[0] as StoredJob, result: null }], { now: start })
      expect(await historyOf(store, failing)).toEqual([
        ...['job.created', 'job.run.started', 'job.run.failed', 'job.run.started', 'job.run.completed'],
      ])
      expect(await historyOf(store, cancelled)).toEqual(['job.created', 'job.run.started', 'job.cancel.requested'])
      for (const job of others) expect(await historyOf(store, job)).toEqual(plainLife)
      expect(await verify(store)).toEqual([])
    })

    it('leaves the log one by one, and the rest is read as before', async () => {
      const fixture = await setup()
      const { store } = fixture
      const jobs = await started(
        store,
        times(6, (i) => ({ name: i % 2 === 0 ? `/r/short/${i}x` : `/r/long/${i}x` })),
      )
      await completed(store, jobs)
      await store.append([{ namespace: 'last', source: 's', id: 'newest', type: 'tick' }], { now: start })
      const [short, long] = [0, 1].map((rest) => jobs.filter((_, i) => i % 2 === rest))
      const before = await readAll(fixture)
      const of = (some: readonly StoredJob[] = []) => {
        return before.filter(({ jobId }) => some.some(({ job }) => job.id === jobId))
      }
      await setRetention(store, '/r/short', { jobsMs: 0, runsMs: 0, eventsMs: 0 }, start)
      expect(await pruneAll(store, start + day)).toBe(3)
      for (const job of short ?? []) expect(await historyOf(store, job)).toEqual(plainLife)
      const moved = await archiveAll(fixture, start + 2 * day)
      expect(moved.filter(({ jobId }) => jobId !== null)).toEqual(of(short))
      expect((await readAll(fixture)).filter(({ jobId }) => jobId !== null)).toEqual(of(long))
      for (const limit of [1, 2, 4]) {
        const pages = await inPages(store, limit, false)
        expect(pages.filter(({ jobId }) => jobId !== null)).toEqual(of(long))
        expect(await inPages(store, limit, true)).toEqual(pages.toReversed())
      }
      for (const job of long ?? []) expect(await historyOf(store, job)).toEqual(plainLife)
      expect(await store.past((short ?? []).map(({ job }) => ({ id: job.id })))).toEqual([null, null, null])
      expect(await verify(store)).toEqual([])

      await setRetention(store, '/r', { jobsMs: 0, runsMs: 0, eventsMs: 0 }, start)
      expect(await pruneAll(store, start + 3 * day)).toBe(3)
      expect((await archiveAll(fixture, start + 4 * day)).filter(({ jobId }) => jobId !== null)).toEqual(of(long))
      expect((await readAll(fixture)).filter(({ jobId }) => jobId !== null)).toEqual([])
      expect(await store.past(jobs.map(({ job }) => ({ id: job.id })))).toEqual(jobs.map(() => null))
    })
  })
}
