import { describe, expect, it } from 'vitest'
import type { ApplyRequest, EventsRequest, Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { committed, follow, keyOf, outOfOrder, readAll, versionsByJob } from '../support/follow.ts'
import { at, openStores, shuffled, submitMany, times } from '../support/racing.ts'
import { claimOf, completion, failure } from '../support/requests.ts'

/** A bit of everything that writes events, in batches of several jobs. */
async function write(store: Store, name: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const jobs = (await store.submit(times(4, () => submission({ retry: { baseMs: 0, maxAttempts: 2 } })))).map(
      accepted,
    )
    const edits = jobs.map(
      ({ job }) => ({ job: job.id, command: { type: 'edit', changes: { priority: round } } }) as const,
    )
    const [claimed] = await Promise.all([
      store.claim(claimOf({ workerId: name, token: `${name}.${round}`, limit: 5, suspectLimit: 5 })),
      store.apply(edits),
      store.append(times(3, (i) => ({ namespace: 'test', source: name, id: `${round}.${i}`, type: 'tick' }))),
    ])
    await store.apply(claimed.map((job, i) => (i % 2 === 0 ? completion(job) : failure(job))))
    const last = jobs.at(-1)
    if (last !== undefined) await store.apply([{ job: last, command: { type: 'cancel', reason: 'test' } }])
  }
}

/** No store gives these as cursors. */
const noCursors: readonly unknown[] = [
  ...['', ' ', 'x', '-1', '+1', '1e3', '0x10', ' 1', '1 ', '1\n', '١', '1.2.3', '1,2', '1.', '.1', '1.-1', '-1.1'],
  ...['9'.repeat(40), '1'.repeat(16), 'null', '\0', '1\0', "1' or '1'='1", '; drop table events', '\ud800'],
  ...[5, 0, 1.5, Number.NaN, true, {}, [], ['1'], new Date(0), Symbol('cursor')],
]

const noLimits: readonly unknown[] = [
  ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER],
  ...['5', '', null, undefined, {}, [5], true],
]

export function cursorContract(setup: Setup): void {
  describe('a reader that follows the cursor', () => {
    it('sees every event exactly once while many write, and each job in the order of its versions', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      let writing = true
      const writers = Promise.all(times(8, (i) => write(at(stores, i), `w${i}`, 8))).finally(() => {
        writing = false
      })
      // Small pages and large ones have their ends at different places.
      const count = async () => (writing ? Number.POSITIVE_INFINITY : await committed(fixture))
      const readers = Promise.all([3, 7, 1_000].map((limit) => follow(fixture, limit, count)))
      const [, seen] = await Promise.all([writers, readers])
      const all = await readAll(fixture)
      expect(all.length).toBe(await committed(fixture))
      expect(new Set(all.map(keyOf)).size).toBe(all.length)
      for (const entries of seen) expect(entries.map(keyOf)).toEqual(all.map(keyOf))
      expect(outOfOrder(all)).toEqual([])
      expect(await verify(fixture.store)).toEqual([])
    })

    it('sees the versions of a job in order, also when long and short writes meet at the same jobs', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      const jobs = await submitMany(fixture.store, 24)
      const edit = (id: string, priority: number): ApplyRequest => {
        return { job: id, command: { type: 'edit', changes: { priority } } }
      }
      const ids = jobs.map(({ job }) => job.id)
      for (let round = 0; round < 12; round++) {
        await Promise.all(
          stores.map((store, s) => {
            const some = shuffled(ids, 5 * round + s).slice(0, s === 0 ? 24 : 3)
            return store.apply(some.map((id) => edit(id, s)))
          }),
        )
      }
      const all = await readAll(fixture)
      expect(all).toHaveLength(24 + 12 * (24 + 4 * 3))
      expect(outOfOrder(all)).toEqual([])
      expect(await verify(fixture.store)).toEqual([])
    })

    it('reads the same in pages of one, of a thousand, and job by job', async () => {
      const fixture = await setup()
      await write(fixture.store, 'w', 3)
      const all = await readAll(fixture, 1_000)
      expect(await readAll(fixture, 1)).toEqual(all)
      for (const jobId of versionsByJob(all).keys()) {
        const own = all.filter((entry) => entry.jobId === jobId)
        expect((await fixture.store.events({ jobId, limit: 1_000 })).entries).toEqual(own)
        let after: string | null = null
        for (const entry of own) {
          const page = await fixture.store.events({ jobId, limit: 1, after })
          expect(page.entries).toEqual([entry])
          after = page.cursor
        }
        expect(await fixture.store.events({ jobId, limit: 1, after })).toEqual({
          entries: [],
          cursors: [],
          cursor: after,
        })
      }
    })

    it('goes on after any entry by the cursor of that entry, and these are in order', async () => {
      const fixture = await setup()
      await write(fixture.store, 'w', 2)
      const all = await readAll(fixture)
      const { cursors, cursor } = await fixture.store.events({ limit: 1_000 })
      expect(cursors).toHaveLength(all.length)
      expect(cursors.at(-1)).toBe(cursor)
      for (const [i, after] of cursors.entries()) {
        const rest = await fixture.store.events({ after, limit: 1_000 })
        expect(rest.entries).toEqual(all.slice(i + 1))
        expect(rest.cursors).toEqual(cursors.slice(i + 1))
      }
      const numbers = cursors.map((each) => each.split('.').map(Number))
      expect(numbers.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d)).toEqual(numbers)
    })

    it('is given only what concerns some jobs, and passes over all the rest', async () => {
      const fixture = await setup()
      const { store } = fixture
      await write(store, 'w', 2)
      const jobs = [await submitOne(store), await submitOne(store)].map(({ job }) => job.id)
      await write(store, 'v', 1)
      const named = jobs.map((jobId, i) => ({ namespace: `n${i}`, source: 's', id: `${i}`, type: 'tick', jobId }))
      await store.append([
        ...named,
        { namespace: 'test', source: 's', id: 'x', type: 'tick', jobId: 'of another system' },
      ])
      await store.apply(jobs.map((job) => ({ job, command: { type: 'cancel', reason: 'test' } })))
      await write(store, 'u', 1)
      const all = await readAll(fixture)
      const { cursors } = await store.events({ limit: 1_000 })
      for (const wanted of [jobs, jobs.slice(1), [newId()], [], ['x', '\0', "' or 1=1", ...jobs]]) {
        for (const limit of [1, 7, all.length, 1_000]) {
          let after: string | null = null
          for (let at = 0; at < all.length; at += limit) {
            const page = await store.events({ after, limit, jobs: wanted })
            const looked = all.slice(at, at + limit)
            const own = looked.filter(({ jobId }) => jobId !== null && wanted.includes(jobId))
            expect(page.entries).toEqual(own)
            expect(page.cursors).toEqual(
              own.map((entry) => cursors[all.findIndex((each) => keyOf(each) === keyOf(entry))]),
            )
            expect([page.looked, page.cursor]).toEqual([looked.length, cursors[at + looked.length - 1]])
            after = page.cursor
          }
          const rest = { entries: [], cursors: [], cursor: after, looked: 0 }
          expect(await store.events({ after, limit, jobs: wanted })).toEqual(rest)
        }
      }
    })

    it('is refused some jobs together with another order or another log, and what is no list of them', async () => {
      const { store } = await setup()
      const { job } = await submitOne(store)
      const others = [{ newestFirst: true }, { jobId: job.id }, { record: '/a' }].map((of) => ({
        jobs: [job.id],
        ...of,
      }))
      for (const request of [...others, { jobs: job.id }, { jobs: null }, { jobs: {} }]) {
        await expect(store.events({ limit: 10, ...request } as EventsRequest)).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringContaining('jobs'),
        })
      }
    })

    it('reads the same from the end, page by page, and then nothing', async () => {
      const fixture = await setup()
      const { store } = fixture
      expect(await store.events({ limit: 10, newestFirst: true })).toEqual({ entries: [], cursors: [], cursor: null })
      await write(store, 'w', 2)
      const newest = (await readAll(fixture)).toReversed()
      for (const limit of [1, 7, 1_000]) {
        let after: string | null = null
        for (let at = 0; at < newest.length; at += limit) {
          const page = await store.events({ after, limit, newestFirst: true })
          expect(page.entries).toEqual(newest.slice(at, at + limit))
          expect(page.cursors.at(-1)).toBe(page.cursor)
          after = page.cursor
        }
        expect(await store.events({ after, limit, newestFirst: true })).toEqual({
          entries: [],
          cursors: [],
          cursor: after,
        })
      }
    })

    it('is refused the history of one job from its end, and what is no yes or no', async () => {
      const { store } = await setup()
      const { job } = await submitOne(store)
      const wrong = [{ jobId: job.id }, { record: '/a' }].map((of) => ({ newestFirst: true, ...of }))
      for (const request of [...wrong, { newestFirst: 'yes' }, { newestFirst: null }, { newestFirst: 1 }]) {
        await expect(store.events({ limit: 10, ...request } as EventsRequest)).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringContaining('newestFirst'),
        })
      }
    })

    it('begins at the end with nothing that was shown, and misses nothing that is written from then on', async () => {
      const fixture = await setup()
      const { store } = fixture
      expect((await store.events({ after: await store.logEnd(), limit: 10 })).entries).toEqual([])
      await write(store, 'w', 1)
      const before = await readAll(fixture)
      const after = await store.logEnd()
      const { job } = await submitOne(store)
      const shown = (await readAll(fixture)).slice(before.length)
      expect(shown.map(({ jobId }) => jobId)).toEqual([job.id])
      expect((await store.events({ after, limit: 10 })).entries).toEqual(shown)
    })

    it('goes on from any place after the store was opened again', async () => {
      const fixture = await setup()
      await write(fixture.store, 'w', 1)
      const first = await fixture.store.events({ limit: 5 })
      await fixture.store.close()
      const store = await fixture.open()
      await submitOne(store)
      const all = await readAll({ ...fixture, store })
      const rest = await store.events({ after: first.cursor, limit: 1_000 })
      expect([...first.entries, ...rest.entries]).toEqual(all)
    })

    it('gets an empty page and the same cursor where there is nothing', async () => {
      const { store } = await setup()
      expect(await store.events({ limit: 10 })).toEqual({ entries: [], cursors: [], cursor: null })
      expect(await store.events({ limit: 10, jobId: newId() })).toEqual({ entries: [], cursors: [], cursor: null })
      for (const jobId of ['', 'x', '\0', '\ud800', `${newId()}\0`, "' or 1=1", '%']) {
        expect(await store.events({ limit: 10, jobId })).toEqual({ entries: [], cursors: [], cursor: null })
      }
    })

    it('is refused what no store gave as a cursor, and what is no number of entries', async () => {
      const fixture = await setup()
      const { store } = fixture
      await submitOne(store)
      const ask = (request: object) => store.events({ limit: 10, ...request } as EventsRequest)
      for (const after of noCursors) {
        await expect(ask({ after }), String(after)).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringContaining('after'),
        })
      }
      for (const limit of noLimits) {
        await expect(ask({ limit }), String(limit)).rejects.toMatchObject({
          code: 'invalid_argument',
          message: expect.stringContaining('limit'),
        })
        await expect(store.audit({ after: null, limit: limit as number })).rejects.toMatchObject({
          code: 'invalid_argument',
        })
      }
      expect(await readAll(fixture)).toHaveLength(1)
    })
  })
}
