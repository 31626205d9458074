import { describe, expect, it } from 'vitest'
import type { Collected } from '../../src/store/controls.ts'
import type { LogEntry, Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { type Fixture, newId, type Setup, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import { openStores, times } from '../support/racing.ts'
import { claimOne, codeOf } from '../support/requests.ts'
import { completedJob, day, pruneAll, setRetention } from '../support/retention.ts'

const start = 1_000_000
const checksum = 'a'.repeat(64)

function collect(store: Store, now: number, limit = 1_000): Promise<Collected | null> {
  return store.control('archive.collect', { limit }, { now })
}

function record(store: Store, { stretch, entries }: Collected, now: number, file = `f-${entries[0]?.logId}`) {
  const logIds = entries.map(({ logId }) => logId)
  return store.control('archive.record', { stretch, logIds, file, checksum }, { now })
}

/** Moves all that can leave the log, and gives it. What readers cannot see yet, because of a stranger, is waited for. */
export async function archiveAll(
  log: Pick<Fixture, 'store' | 'raw'>,
  now: number,
  limit = 1_000,
): Promise<readonly LogEntry[]> {
  const { store } = log
  await readAll(log)
  const moved: LogEntry[] = []
  for (;;) {
    const collected = await collect(store, now, limit)
    if (collected === null) return moved
    if (collected.entries.length > 0) await record(store, collected, now)
    moved.push(...collected.entries)
  }
}

const outside = (id: string, namespace = 'r') => ({ namespace, source: 's', id, type: 'tick' })
const typesOf = (entries: readonly LogEntry[]) => entries.map(({ eventType }) => eventType)

export function archiveContract(setup: Setup): void {
  /** A log whose newest entry belongs to nobody: that one always stays. */
  async function prepared() {
    const fixture = await setup()
    const { store } = fixture
    const job = await completedJob(store, { name: '/r/a', params: '1' }, start)
    await store.append([outside('one'), outside('two', 'other')], { now: start })
    await store.append([outside('newest', 'last')], { now: start })
    return { ...fixture, job }
  }

  describe('archiving the log', () => {
    it('takes nothing where no policy says so', async () => {
      const { store, raw } = await prepared()
      await setRetention(store, '/r', { jobsMs: 0, runsMs: 0 })
      const before = await readAll({ store, raw })
      await pruneAll(store, start + 100 * day)
      expect(await archiveAll({ store, raw }, start + 10_000 * day)).toEqual([])
      expect(await readAll({ store, raw })).toEqual(before)
    })

    it('takes entries that are old enough by the policy of their path, and of no job that is there', async () => {
      const { store, raw, job } = await prepared()
      const before = await readAll({ store, raw })
      await setRetention(store, '/r', { eventsMs: day, jobsMs: 3 * day }, start)
      await store.append([outside('end', 'last')], { now: start })
      expect(await archiveAll({ store, raw }, start + day - 1)).toEqual([])
      const [first, second] = [
        await archiveAll({ store, raw }, start + day),
        await archiveAll({ store, raw }, start + 2 * day),
      ]
      expect([typesOf(first), second]).toEqual([['tick', 'retention.set'], []])
      expect(await verify(store)).toEqual([])
      await pruneAll(store, start + 3 * day)
      const third = await archiveAll({ store, raw }, start + 4 * day)
      expect(typesOf(third)).toEqual(['job.created', 'job.run.started', 'job.run.completed'])
      // As the log showed them, with the ids of a job that is gone.
      expect(third).toEqual(before.filter(({ jobId }) => jobId === job.job.id))
      expect((await readAll({ store, raw })).map(({ eventId }) => eventId)).toEqual(['two', 'newest', 'end'])
      expect(await store.runs(job.job.id)).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })

    it('goes by the path of a record for what is about it', async () => {
      const { store, raw } = await setup()
      await setRetention(store, '/r/short', { eventsMs: 0 }, start)
      for (const path of ['/r/short/t', '/r/long/t']) {
        await store.control('template.create', { id: newId(), path, type: 'x' }, { now: start })
      }
      await store.append([outside('newest')], { now: start })
      const moved = await archiveAll({ store, raw }, start + day)
      expect(moved.map(({ attributes }) => attributes['path'])).toEqual(['/r/short', '/r/short/t'])
      expect(typesOf(await readAll({ store, raw }))).toEqual(['template.created', 'tick'])
    })

    it('leaves the newest entry of the log, so that readers go on after what has left', async () => {
      const { store, raw } = await setup()
      await setRetention(store, '/r', { eventsMs: 0 }, start)
      await store.append(
        times(10, (i) => outside(`${i}`)),
        { now: start },
      )
      const all = await readAll({ store, raw })
      const cursors: (string | null)[] = [null]
      for (let cursor: string | null = null; cursors.length <= all.length; cursors.push(cursor)) {
        cursor = (await store.events({ after: cursor, limit: 1 })).cursor
      }
      expect(await archiveAll({ store, raw }, start + day)).toEqual(all.slice(0, -1))
      expect(await readAll({ store, raw })).toEqual(all.slice(-1))
      await store.append([outside('next')], { now: start + day })
      const left = (await readAll({ store, raw })).map(({ eventId }) => eventId)
      expect(left).toEqual(['9', 'next'])
      for (const [i, cursor] of cursors.entries()) {
        const { entries } = await store.events({ after: cursor, limit: 10 })
        expect(entries.map(({ eventId }) => eventId)).toEqual(i < cursors.length - 1 ? left : ['next'])
      }
    })

    it('leaves the log append-only for everybody else', async () => {
      const { store, raw } = await prepared()
      await setRetention(store, '/r', { eventsMs: 0 }, start)
      expect(await archiveAll({ store, raw }, start + day)).toHaveLength(1)
      await expect(raw('delete from events')).rejects.toThrow(/append-only/)
      await expect(raw(`update events set actor = 'x'`)).rejects.toThrow(/append-only/)
    })

    it('forgets a past job when nothing is left of it, and still knows its outside events', async () => {
      const { store, raw, job } = await prepared()
      await setRetention(store, '/r', { jobsMs: 0, runsMs: 0, eventsMs: 0 }, start)
      await pruneAll(store, start + day)
      expect(await store.past([{ id: job.job.id }])).toMatchObject([{ body: null }])
      await archiveAll({ store, raw }, start + 2 * day)
      expect(await store.past([{ id: job.job.id }])).toEqual([null])
      expect(await raw('select 1 from past_jobs')).toEqual([])
      expect(await store.append([outside('one')])).toEqual([{ outcome: 'duplicate' }])
    })

    it('knows whose an entry is until the last of them has left, also when all else of the job has', async () => {
      const { store, raw } = await setup()
      const { job } = await submitOne(store, { name: '/r/a' }, start)
      const ended = await store.complete([{ job: await claimOne(store, { now: start }), result: null }], { now: start })
      expect(ended.done).toEqual([true])
      await store.append([outside('newest', 'last')], { now: start })
      await setRetention(store, '/r', { jobsMs: 0, runsMs: 0, eventsMs: 0 }, start)
      await pruneAll(store, start + day)
      const { entries: own } = await store.events({ jobId: job.id, limit: 10 })
      const left = new Set<number>()
      for (;;) {
        const collected = await collect(store, start + 2 * day, 1)
        if (collected === null) break
        if (collected.entries.length > 0) await record(store, collected, start + 2 * day)
        const { entries } = await store.events({ jobId: job.id, limit: 10 })
        expect(entries).toEqual(own.slice(own.length - entries.length))
        expect(await raw('select 1 from past_jobs')).toHaveLength(entries.length === 0 ? 0 : 1)
        left.add(entries.length)
      }
      expect([...left]).toEqual(expect.arrayContaining([2, 1, 0]))
    })

    it('goes in steps, and lists the files', async () => {
      const { store, raw } = await setup()
      await setRetention(store, '/r', { eventsMs: 0 }, start)
      await store.append(
        times(10, (i) => outside(`${i}`)),
        { now: start + 5 },
      )
      const moved = await archiveAll({ store, raw }, start + day, 4)
      expect(moved).toHaveLength(10)
      const page = await store.control('archive.list', { limit: 2 })
      expect(page.items.map(({ count }) => count)).toEqual([2, 4])
      const rest = await store.control('archive.list', { limit: 2, before: page.next })
      expect(rest.items).toEqual([
        {
          ...{ file: `f-${moved[0]?.logId}`, checksum, count: 4, firstId: moved[0]?.logId, lastId: moved[3]?.logId },
          ...{ firstAt: start, lastAt: start + 5, archivedAt: start + day },
        },
      ])
      expect(rest.next).toBeNull()
      expect(await store.control('archive.get', { file: rest.items[0]?.file ?? '' })).toEqual(rest.items[0])
      expect(await store.control('archive.get', { file: 'none' })).toBeNull()
    })

    it('keeps together no more than fits into memory', async () => {
      const { store, raw } = await setup()
      await setRetention(store, '/r', { eventsMs: 0 }, start)
      const attributes = { text: 'x'.repeat(250_000) }
      for (let i = 0; i < 70; i++) await store.append([{ ...outside(`${i}`), attributes }], { now: start })
      await readAll({ store, raw })
      const sizes: number[] = []
      for (;;) {
        const collected = await collect(store, start + day)
        if (collected === null) break
        if (collected.entries.length > 0) await record(store, collected, start + day)
        sizes.push(collected.entries.length)
      }
      expect(sizes.filter((size) => size > 0)).toEqual([68, 2])
    })

    it('is tried again when somebody has collected and never wrote, and removes only once', async () => {
      const { store, raw } = await prepared()
      await setRetention(store, '/r', { eventsMs: 0 }, start)
      const now = start + day
      await readAll({ store, raw })
      const first = (await collect(store, now)) as Collected
      expect(typesOf(first.entries)).toEqual(['tick'])
      // Whoever collected has time to write; then it is anybody's.
      expect(await collect(store, now)).toBeNull()
      const second = (await collect(store, now + 3_600_000)) as Collected
      expect(second).toEqual(first)
      const segment = await record(store, first, now, 'one')
      expect(await record(store, first, now + 1, 'one')).toEqual(segment)
      expect(await codeOf(record(store, second, now, 'two'))).toBe('conflict')
      expect((await store.control('archive.list', { limit: 9 })).items).toEqual([segment])
    })

    it('never removes an entry of a job that is there, nor one that was not collected there', async () => {
      const { store, raw } = await prepared()
      await setRetention(store, '/r', { eventsMs: 0 }, start)
      const before = await readAll({ store, raw })
      const collected = (await collect(store, start + day)) as Collected
      const { logId: ofJob } = before[0] as LogEntry
      const { logId: beyond } = before.at(-1) as LogEntry
      for (const other of [ofJob, beyond, 999_999]) {
        const entries = [...collected.entries, { logId: other } as LogEntry]
        expect(await codeOf(record(store, { ...collected, entries }, start + day))).toBe('conflict')
      }
      expect(await codeOf(record(store, { ...collected, stretch: 999 }, start + day))).toBe('conflict')
      expect(await readAll({ store, raw })).toEqual(before)
      expect((await store.control('archive.list', { limit: 9 })).items).toEqual([])
    })

    it('refuses what is wrong, field by field', async () => {
      const { store } = await setup()
      const good = { stretch: 1, logIds: [1], file: 'f', checksum }
      const wrong = [
        { stretch: 'x' },
        { logIds: [] },
        { logIds: [1.5] },
        { logIds: 1 },
        { file: '' },
        { checksum: 'x' },
      ]
      for (const fields of wrong) {
        const refused = store.control('archive.record', { ...good, ...fields } as never)
        await expect(refused).rejects.toMatchObject({
          ...{ code: 'invalid_argument', details: { field: Object.keys(fields)[0] } },
        })
      }
      expect(await codeOf(collect(store, start, 0))).toBe('invalid_argument')
      expect(await codeOf(store.control('archive.list', { limit: 0 }))).toBe('invalid_argument')
      expect(await codeOf(store.control('archive.get', { file: 5 as never }))).toBe('invalid_argument')
    })

    it('loses nothing and takes nothing twice when several do it while others write', async () => {
      const fixture = await setup()
      const { store } = fixture
      await setRetention(store, '/r', { eventsMs: 0, jobsMs: 0 }, start)
      const stores = await openStores(fixture, 4)
      const [a, b, c, d] = stores as [Store, Store, Store, Store]
      const moved: string[] = []
      const write = async (writer: Store, name: string) => {
        for (let i = 0; i < 30; i++) {
          await writer.append([outside(`${name}.${i}`), outside(`${name}.${i}`, 'kept')], { now: start })
          if (i % 5 === 0) await submitOne(writer, { name: `/r/${name}-${i}` }, start)
        }
      }
      const archive = async (archiver: Store, name: string) => {
        for (let i = 0; i < 40; i++) {
          const now = start + day + i
          const collected = await collect(archiver, now, 7)
          if (collected === null || collected.entries.length === 0) continue
          const ids = collected.entries.map(({ eventId }) => eventId)
          const file = `${name}.${i}`
          if ((await codeOf(record(archiver, collected, now, file))) === null) moved.push(...ids)
        }
      }
      await Promise.all([write(a, 'a'), write(b, 'b'), archive(c, 'c'), archive(d, 'd')])
      moved.push(...(await archiveAll(fixture, start + 9 * day)).map(({ eventId }) => eventId))
      const left = (await readAll(fixture)).map(({ eventId, namespace }) => `${namespace} ${eventId}`)
      const all = ['a', 'b'].flatMap((name) => times(30, (i) => `${name}.${i}`))
      expect(new Set(moved).size).toBe(moved.length)
      for (const id of all) expect([id, moved.includes(id) !== left.includes(`r ${id}`)]).toEqual([id, true])
      for (const id of all) expect(left).toContain(`kept ${id}`)
      expect(left.filter((each) => each.endsWith('.1') && each.startsWith('r '))).toHaveLength(12)
      expect(await verify(store)).toEqual([])
    })
  })
}
