import { describe, expect, it } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { cancel } from '../support/children.ts'
import { accepted, newId, type Setup, submission } from '../support/fixture.ts'
import {
  addNamed,
  claimed,
  createGroup,
  groupEvents,
  groupOf,
  membersOf,
  names,
  only,
  patience,
  runAll,
  seal,
  sealedGroup,
} from '../support/groups.ts'
import { times } from '../support/racing.ts'
import { claimOf, completion, failure, finish } from '../support/requests.ts'
import { groupInputsContract } from './groups-inputs.ts'
import { groupOrderContract } from './groups-order.ts'
import { groupSequenceContract } from './groups-sequence.ts'

export function groupsContract(setup: Setup): void {
  describe('groups', () => {
    it('have all their fields, and are found by id, by path and in lists', async () => {
      const { store } = await setup()
      const finish = { id: newId(), name: '/m/done', type: 'done', params: '{"a":1}' }
      const given = { path: '/g/nightly', width: 2, label: 'Nightly', finish }
      const made = await createGroup(store, given)
      expect(made).toEqual({
        ...{ ...given, id: made.id, mode: 'parallel', onFailure: 'continue', status: 'CREATED' },
        ...{ sealed: false, stopped: false, cancelRequested: false, startedAt: null, finishedAt: null },
        counts: { total: 0, completed: 0, failed: 0, cancelled: 0, skipped: 0 },
        ...{ version: 1, createdAt: 1_000, updatedAt: 1_000 },
      })
      expect(await store.control('group.get', { group: '/g/nightly' })).toEqual(made)
      expect(await store.control('group.get', { group: made.id })).toEqual(made)
      expect(await store.control('group.get', { group: '/g/none' })).toBeNull()
      const other = await createGroup(store, { path: '/h/x', mode: 'sequential' })
      expect(other).toMatchObject({ mode: 'sequential', width: null, onFailure: 'stop', label: null, finish: null })
      const idsIn = async (path?: string) => {
        const { items } = await store.control('group.list', { limit: 10, ...(path === undefined ? {} : { path }) })
        return items.map(({ id }) => id)
      }
      expect(await idsIn()).toEqual([other.id, made.id])
      expect(await idsIn('/g')).toEqual([made.id])
      expect(await verify(store)).toEqual([])
    })

    it('keep their members pending until they are sealed, and take no more then', async () => {
      const { store } = await setup()
      const group = await createGroup(store)
      const [a] = await addNamed(store, group, ['a', 'b'])
      expect(a?.job).toMatchObject({ groupId: group.id, phase: 'pending', state: 'initial' })
      expect(await claimed(store)).toEqual([])
      expect(await groupOf(store, group)).toMatchObject({ status: 'CREATED', counts: { total: 2 } })
      expect(await verify(store)).toEqual([])
      expect(await seal(store, group)).toMatchObject({ status: 'QUEUED', sealed: true })
      expect(await seal(store, group)).toMatchObject({ status: 'QUEUED', version: 2 })
      const [late] = await store.submit([submission({ group: group.path })])
      expect(late).toMatchObject({ outcome: 'refused', error: { code: 'group_sealed' } })
      expect(await verify(store)).toEqual([])
      expect(names(await claimed(store))).toEqual(['a', 'b'])
    })

    it('go through their life, and leave path and limit behind', async () => {
      const { store } = await setup()
      const { group } = await sealedGroup(store, { path: '/g/life', width: 2 }, ['a', 'b', 'c'])
      const [a, b] = await claimed(store, 2_000)
      expect(await groupOf(store, group)).toMatchObject({ status: 'RUNNING', startedAt: 2_000, finishedAt: null })
      await store.apply([completion(a as never)], { now: 2_100 })
      const c = await only(store, 'c', 2_200)
      expect(await groupOf(store, group)).toMatchObject({ status: 'RUNNING', startedAt: 2_000 })
      await store.apply([completion(b as never), completion(c)], { now: 2_300 })
      const counts = { total: 3, completed: 3, failed: 0, cancelled: 0, skipped: 0 }
      expect(await groupOf(store, group)).toMatchObject({ status: 'COMPLETED', finishedAt: 2_300, counts })
      expect(await store.limits()).toEqual([])
      await expect
        .poll(() => groupEvents(store), patience)
        .toEqual(['group.created', 'group.sealed', 'group.started', 'group.finished'])
      expect(await store.control('group.get', { group: '/g/life' })).toBeNull()
      await createGroup(store, { path: '/g/life' })
      expect(await verify(store)).toEqual([])
    })

    it.each([
      ['in the order of the queue', {}],
      ['of a worker that is bound to a branch', { paths: ['/m'] }],
      ['of namespaces in turn', { fairness: { after: null } }],
    ] as const)('start by a claim %s', async (_, how) => {
      const { store } = await setup()
      const { group } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b'])
      const jobs = await store.claim(claimOf({ now: 2_000, ...how }))
      expect(names(jobs)).toEqual(['a'])
      expect(await groupOf(store, group)).toMatchObject({ status: 'RUNNING', startedAt: 2_000 })
      expect(await verify(store)).toEqual([])
    })

    it('that are sealed without a member are over at once, and so are those whose members are', async () => {
      const { store } = await setup()
      expect(await seal(store, await createGroup(store))).toMatchObject({ status: 'COMPLETED', finishedAt: 1_800 })
      const group = await createGroup(store, { mode: 'sequential' })
      const [a, b] = await addNamed(store, group, ['a', 'b'], { expiresAt: 1_700 })
      await store.apply([cancel(a?.job.id ?? '')])
      await store.apply([{ job: b?.job.id ?? '', command: { type: 'elapse', random: 0 } }], { now: 1_700 })
      expect(await groupOf(store, group)).toMatchObject({ status: 'CREATED', counts: { cancelled: 1, skipped: 1 } })
      expect(await seal(store, group)).toMatchObject({ status: 'CANCELLED', startedAt: null })
      expect(await verify(store)).toEqual([])
    })

    it('have no more members at work than their width, whatever ends them', async () => {
      const { store } = await setup()
      const { group } = await sealedGroup(
        store,
        { width: 2 },
        times(8, (i) => `j${i}`),
        { retry: { baseMs: 0 } },
      )
      const [a, b] = await claimed(store)
      expect(await claimed(store)).toEqual([])
      await store.apply([failure(a as never)], { now: 2_100 })
      const [again] = await claimed(store, 2_200)
      expect(await claimed(store, 2_200)).toEqual([])
      await store.apply([finish(b as never, { kind: 'suspended', awaits: null, until: null })], { now: 2_300 })
      expect(await claimed(store, 2_300)).toEqual([])
      await store.apply([cancel(b?.job.id ?? ''), completion(again as never)], { now: 2_400 })
      expect(await claimed(store, 2_500)).toHaveLength(2)
      expect(await groupOf(store, group)).toMatchObject({ counts: { completed: 1, cancelled: 1 } })
      expect(await verify(store)).toEqual([])
    })

    it('with members of many kinds of ends say so', async () => {
      const { store } = await setup()
      const { group, members } = await sealedGroup(store, {}, ['a', 'b', 'c', 'd'], { expiresAt: 2_600 })
      const [a, b] = await claimed(store, 2_000, 2)
      await store.apply([completion(a as never), failure(b as never)], { now: 2_100 })
      await store.apply([cancel(members[2]?.job.id ?? '')], { now: 2_200 })
      await store.apply([{ job: members[3]?.job.id ?? '', command: { type: 'elapse', random: 0 } }], { now: 2_600 })
      const counts = { total: 4, completed: 1, failed: 1, cancelled: 1, skipped: 1 }
      expect(await groupOf(store, group)).toMatchObject({ status: 'PARTIAL', counts, stopped: false })
      expect(await membersOf(store, group)).toEqual(['a COMPLETED', 'b FAILED', 'c CANCELLED', 'd SKIPPED'])
      expect(await verify(store)).toEqual([])
    })

    it('count a member that failed and then succeeded as completed', async () => {
      const { store } = await setup()
      const { group } = await sealedGroup(store, {}, ['a'], { retry: { baseMs: 0 } })
      await store.apply([failure(await only(store, 'a'))], { now: 2_100 })
      await store.apply([completion(await only(store, 'a', 2_200))], { now: 2_300 })
      expect(await groupOf(store, group)).toMatchObject({ status: 'COMPLETED', counts: { completed: 1, failed: 0 } })
    })

    it('have members that are skipped at once, because others have their names', async () => {
      const { store } = await setup()
      await store.submit([submission({ name: '/m/a' })], { now: 1_000 })
      const group = await createGroup(store, { mode: 'sequential' })
      await addNamed(store, group, ['a', 'b'], { onConflict: 'skip' })
      expect(await groupOf(store, group)).toMatchObject({ counts: { total: 2, skipped: 1 } })
      await seal(store, group)
      expect(await runAll(store)).toEqual(['a', 'b'])
      expect(await groupOf(store, group)).toMatchObject({ status: 'COMPLETED' })
      expect(await verify(store)).toEqual([])
    })

    it('are left by a member that another job replaces, and joined by one that replaces another', async () => {
      const { store } = await setup()
      const [plain] = await store.submit([submission({ name: '/m/a' })], { now: 1_000 })
      const running = await only(store, 'a', 1_100)
      const group = await createGroup(store, { mode: 'sequential' })
      await addNamed(store, group, ['a', 'b'], { onConflict: 'replace' })
      await seal(store, group)
      expect(await claimed(store)).toEqual([])
      expect(await verify(store)).toEqual([])
      const taking = accepted((await store.submit([submission({ name: '/m/b', onConflict: 'replace' })]))[0])
      expect(taking.job).toMatchObject({ phase: 'queued', groupId: null })
      expect(await groupOf(store, group)).toMatchObject({ counts: { total: 2, cancelled: 1 } })
      await store.apply([finish(running, { kind: 'cancelled' })], { now: 2_100 })
      expect(accepted(plain).job.id).toBe(running.job.id)
      const jobs = await claimed(store, Date.now() + 10_000)
      expect(names(jobs).toSorted()).toEqual(['a', 'b'])
      await store.apply(jobs.map((job) => completion(job)))
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED' })
      expect(await verify(store)).toEqual([])
    })

    it('go on with the next when the member whose turn it is is replaced', async () => {
      const { store } = await setup()
      const { group } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b'])
      await store.submit([submission({ name: '/m/a', type: 'other', onConflict: 'replace' })])
      await store.apply([completion(await only(store, 'b'))])
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED' })
      expect(await verify(store)).toEqual([])
    })
  })

  groupSequenceContract(setup)
  groupOrderContract(setup)
  groupInputsContract(setup)
}
