import { describe, expect, it } from 'vitest'
import type { GroupRow } from '../../src/store/controls.ts'
import type { Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel, followUpAll } from '../support/children.ts'
import { newId, type Setup, submission } from '../support/fixture.ts'
import {
  addNamed,
  createGroup,
  groupEvents,
  groupOf,
  names,
  patience,
  seal,
  sealedGroup,
  shortName,
} from '../support/groups.ts'
import { at, openStores, shuffled, times } from '../support/racing.ts'
import { claimOf, codeOf, completion, failure } from '../support/requests.ts'

/** Claims and ends what there is until a group is over, with several stores at once. Gives the names in the order of starts. */
async function workUntilOver(
  stores: readonly Store[],
  group: Pick<GroupRow, 'id'>,
  end: (job: StoredJob) => ReturnType<typeof completion>,
  onStart: (job: StoredJob, isOver: boolean) => void = () => {},
): Promise<readonly string[]> {
  const started: string[] = []
  const work = async (store: Store, worker: number) => {
    for (let round = 0; round < 2_000; round++) {
      const token = `${group.id}-${worker}-${round}`
      const jobs = await store.claim(claimOf({ workerId: `w${worker}`, token, limit: 3 }))
      for (const job of jobs) onStart(job, false)
      started.push(...names(jobs))
      await new Promise((resolve) => setTimeout(resolve, 1))
      for (const job of jobs) onStart(job, true)
      const { done } = await store.complete(jobs.map((job) => ({ job, result: null })))
      expect(done).toEqual(jobs.map(() => false))
      await store.apply(jobs.map(end))
      const isMore = await store.followUp({ limit: 50 })
      if (!isMore && (await groupOf(store, group)).finishedAt !== null) return
    }
  }
  await Promise.all(times(10, (i) => work(at(stores, i), i)))
  return started
}

export function groupRacesContract(setup: Setup): void {
  const finish = () => ({ id: newId(), name: `/m/done-${newId()}`, type: 'done', params: null })

  describe('groups that many are at', () => {
    it('are finished once, with right counts, and never have more at work than their width', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 5)
      const following = finish()
      const many = times(35, (i) => `j${i}`)
      const { group } = await sealedGroup(store, { width: 3, finish: following }, many)
      let [running, most] = [0, 0]
      const started = await workUntilOver(
        stores,
        group,
        (job) => (Number(job.job.name.slice(4)) % 7 === 0 ? failure(job) : completion(job)),
        (_, isOver) => {
          running += isOver ? -1 : 1
          most = Math.max(most, running)
        },
      )
      expect(started.toSorted()).toEqual(many.toSorted())
      expect(most).toBeLessThanOrEqual(3)
      expect(await groupOf(store, group)).toMatchObject({ status: 'PARTIAL', counts: { completed: 30, failed: 5 } })
      await expect
        .poll(async () => (await groupEvents(store)).slice(1), patience)
        .toEqual(['group.sealed', 'group.started', 'group.finished'])
      expect(await store.find([{ id: following.id }])).not.toContain(null)
      expect(await fixture.raw('select 1 from jobs')).toHaveLength(36)
      expect(await store.limits()).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('keep the order of a sequence, though ten claim', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      const prefixes = ['x', 'y', 'z']
      const groups: GroupRow[] = []
      for (const prefix of prefixes) {
        const members = times(8, (i) => `${prefix}${String(i).padStart(2, '0')}`)
        groups.push((await sealedGroup(fixture.store, { mode: 'sequential' }, members)).group)
      }
      const started: string[] = []
      const onStart = ({ job }: StoredJob, isOver: boolean) => void (isOver || started.push(shortName(job.name)))
      for (const group of groups) await workUntilOver(stores, group, (job) => completion(job), onStart)
      for (const prefix of prefixes) {
        const own = started.filter((name) => name.startsWith(prefix))
        expect(own).toEqual(own.toSorted())
        expect(own).toHaveLength(8)
      }
      for (const group of groups) {
        expect(await groupOf(fixture.store, group)).toMatchObject({ status: 'COMPLETED', counts: { completed: 8 } })
      }
      expect(await verify(fixture.store)).toEqual([])
    })

    it('are sealed while others add: each is in and runs, or is refused', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 4)
      for (const mode of ['parallel', 'sequential'] as const) {
        const group = await createGroup(store, { mode })
        const added = times(12, (i) => {
          const given = times(3, () => submission({ group: group.id, name: `/m/${newId()}` }))
          return at(stores, i).submit(given)
        })
        const [sealing, ...results] = await Promise.all([seal(at(stores, 3), group), ...added])
        expect(sealing).toMatchObject({ sealed: true })
        const outcomes = results.flat().map((result) => ('error' in result ? result.error.code : result.outcome))
        expect(outcomes.filter((outcome) => outcome !== 'created' && outcome !== 'group_sealed')).toEqual([])
        const total = outcomes.filter((outcome) => outcome === 'created').length
        expect(await groupOf(store, group)).toMatchObject({ counts: { total } })
        expect(await verify(store)).toEqual([])
        await workUntilOver(stores, group, (job) => completion(job))
        expect(await groupOf(store, group)).toMatchObject({ status: 'COMPLETED', counts: { completed: total } })
        expect(await verify(store)).toEqual([])
      }
    })

    it('end once when members are ended, cancelled and reordered all at once', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 4)
      for (const [mode, width] of [
        ['sequential', null],
        ['parallel', 2],
      ] as const) {
        const following = finish()
        const many = times(24, (i) => `${mode[0]}${i}`)
        const { group, members } = await sealedGroup(store, { mode, width, finish: following }, many)
        const ids = members.map(({ job }) => job.id)
        const trouble = [
          ...ids.slice(0, 12).map((id, i) => at(stores, i).apply([cancel(id)])),
          ...times(4, (i) => {
            const jobIds = shuffled(ids.slice(12), i)
            return codeOf(at(stores, i).control('group.reorder', { group: group.id, jobIds }))
          }),
        ]
        const [started] = await Promise.all([workUntilOver(stores, group, (job) => completion(job)), ...trouble])
        const { counts, status, finishedAt } = await groupOf(store, group)
        expect({ status, finishedAt }).toMatchObject({ finishedAt: expect.any(Number) })
        expect(counts).toMatchObject({ total: 24, completed: started.length, failed: 0, skipped: 0 })
        expect(counts.cancelled + counts.completed).toBe(24)
        expect(await store.find([{ id: following.id }])).not.toContain(null)
        expect(await verify(store)).toEqual([])
      }
      await expect
        .poll(async () => (await groupEvents(store)).filter((type) => type === 'group.finished'), patience)
        .toHaveLength(2)
    })

    it('that stop are left by nobody who starts, though all are cancelled at the same time', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 4)
      for (const i of times(6, (n) => n)) {
        const { group } = await sealedGroup(
          store,
          { mode: 'sequential' },
          times(8, (n) => `${i}-${n}`),
        )
        const [first] = await store.claim(claimOf({ token: `first-${i}`, limit: 1 }))
        const control = at(stores, i).control('group.cancel', { group: group.id, reason: 'x' })
        await Promise.all([at(stores, i + 1).apply([failure(first as StoredJob)]), control])
        await Promise.all(stores.map((each) => followUpAll(each, 3)))
        expect(await store.claim(claimOf({ token: `none-${i}` }))).toEqual([])
        expect(await groupOf(store, group)).toMatchObject({ status: 'PARTIAL', counts: { failed: 1, cancelled: 7 } })
      }
      expect(await verify(store)).toEqual([])
    })

    it('start once, and their events come in the order of their life', async () => {
      const fixture = await setup()
      const { store } = fixture
      const stores = await openStores(fixture, 5)
      const group = await createGroup(store)
      await addNamed(
        store,
        group,
        times(20, (i) => `j${i}`),
      )
      await seal(store, group)
      await Promise.all(stores.map((each, i) => each.claim(claimOf({ token: `s${i}`, workerId: `w${i}`, limit: 3 }))))
      await expect.poll(() => groupEvents(store), patience).toEqual(['group.created', 'group.sealed', 'group.started'])
      expect(await verify(store)).toEqual([])
    })
  })
}
