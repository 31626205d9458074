import { describe, expect, it } from 'vitest'
import type { GroupRow } from '../../src/store/controls.ts'
import type { Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { followUpAll, reread } from '../support/children.ts'
import { newId, type Setup, submission } from '../support/fixture.ts'
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
import { claimOf, codeOf, completion, failure, finish } from '../support/requests.ts'

export function groupOrderContract(setup: Setup): void {
  const cancelGroup = (store: Store, { id }: Pick<GroupRow, 'id'>, reason = 'no need') => {
    return store.control('group.cancel', { group: id, reason }, { now: 2_500, context: { actor: 'ada' } })
  }
  const reorder = (store: Store, { id }: Pick<GroupRow, 'id'>, jobs: readonly (StoredJob | undefined)[]) => {
    return store.control('group.reorder', { group: id, jobIds: jobs.map((stored) => stored?.job.id ?? '') })
  }

  describe('the cancel of a group', () => {
    it('ends what does not run, asks what runs, and lets nobody start', async () => {
      const { store } = await setup()
      const { group, members } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b', 'c', 'd'])
      const a = await only(store, 'a')
      expect(await cancelGroup(store, group)).toMatchObject({ cancelRequested: true, status: 'RUNNING' })
      expect(await verify(store)).toEqual([])
      expect(await followUpAll(store, 2)).toBe(3)
      expect(await store.held('w1')).toMatchObject([{ jobId: a.job.id, cancelAsked: true }])
      expect(await groupOf(store, group)).toMatchObject({ status: 'RUNNING', counts: { cancelled: 3 } })
      expect(await claimed(store)).toEqual([])
      expect(await verify(store)).toEqual([])
      await store.apply([finish(a, { kind: 'cancelled' })], { now: 2_600 })
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED', finishedAt: 2_600 })
      for (const { job } of await reread(store, members)) expect(job.cancelled).toBe(true)
      const { entries } = await store.events({ jobId: members[3]?.job.id ?? '', limit: 10 })
      expect(entries.at(-1)).toMatchObject({
        eventType: 'job.cancelled',
        actor: 'ada',
        attributes: { reason: 'no need' },
      })
      await expect
        .poll(() => groupEvents(store), patience)
        .toEqual([...['group.created', 'group.sealed', 'group.started', 'group.cancel.requested', 'group.finished']])
      expect(await verify(store)).toEqual([])
    })

    it('seals it, and is done once, however often it is asked for', async () => {
      const { store } = await setup()
      const group = await createGroup(store)
      await addNamed(store, group, ['a', 'b'])
      expect(await cancelGroup(store, group)).toMatchObject({ sealed: true, cancelRequested: true })
      expect(await cancelGroup(store, group)).toMatchObject({ version: 3 })
      const [late] = await store.submit([submission({ group: group.id })])
      expect(late).toMatchObject({ outcome: 'refused', error: { code: 'group_sealed' } })
      expect(await seal(store, group)).toMatchObject({ version: 3 })
      expect(await followUpAll(store)).toBe(1)
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED', startedAt: null })
      expect(await cancelGroup(store, group)).toMatchObject({ status: 'CANCELLED', version: 4 })
      expect(await cancelGroup(store, await createGroup(store))).toMatchObject({ status: 'CANCELLED' })
      expect(await followUpAll(store)).toBe(0)
      expect(await verify(store)).toEqual([])
    })

    it('gives nobody a turn, though the member that had it ends before the others are cancelled', async () => {
      const { store } = await setup()
      const { group } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b', 'c'])
      const a = await only(store, 'a')
      await cancelGroup(store, group)
      await store.apply([completion(a)], { now: 2_600 })
      expect(await claimed(store, 2_700)).toEqual([])
      expect(await verify(store)).toEqual([])
      await followUpAll(store)
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED', counts: { completed: 1, cancelled: 2 } })
      expect(await verify(store)).toEqual([])
    })

    it('that comes too late for a member leaves it as it ended', async () => {
      const { store } = await setup()
      const { group } = await sealedGroup(store, {}, ['a', 'b'])
      const [a, b] = await claimed(store)
      await cancelGroup(store, group)
      await store.apply([completion(a as never)], { now: 2_600 })
      await followUpAll(store)
      await store.apply([completion(b as never)], { now: 2_700 })
      expect(await groupOf(store, group)).toMatchObject({ status: 'COMPLETED', counts: { completed: 2 } })
      expect(await verify(store)).toEqual([])
    })

    it('reaches a member that waits for its next attempt, and the limit is gone at the end', async () => {
      const { store } = await setup()
      const { group } = await sealedGroup(store, { width: 1 }, ['a', 'b'], { retry: { baseMs: 1_000_000 } })
      await store.apply([failure(await only(store, 'a'), 'boom', { random: 0.9 })], { now: 2_100 })
      await cancelGroup(store, group)
      await followUpAll(store)
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED', counts: { cancelled: 2 } })
      expect(await store.limits()).toEqual([])
      expect(await verify(store)).toEqual([])
    })
  })

  describe('another order of the members', () => {
    it('is that of their turns in a sequential group, before and after it is sealed', async () => {
      const { store } = await setup()
      const group = await createGroup(store, { mode: 'sequential' })
      const [a, b, c, d] = await addNamed(store, group, ['a', 'b', 'c', 'd'])
      await reorder(store, group, [d, c, b, a])
      expect(await membersOf(store, group)).toEqual(['d QUEUED', 'c QUEUED', 'b QUEUED', 'a QUEUED'])
      await seal(store, group)
      // Nobody has started: the one whose turn it is makes room for another.
      await reorder(store, group, [b, d, a, c])
      expect(await verify(store)).toEqual([])
      expect((await reread(store, [d as never]))[0]?.job).toMatchObject({ phase: 'pending', queuedAt: null })
      const first = await only(store, 'b')
      await reorder(store, group, [c, a, d])
      expect(await verify(store)).toEqual([])
      expect(await claimed(store)).toEqual([])
      await store.apply([completion(first)])
      expect(await runAll(store)).toEqual(['c', 'a', 'd'])
      expect(await groupOf(store, group)).toMatchObject({ status: 'COMPLETED', counts: { completed: 4 } })
      expect(await verify(store)).toEqual([])
    })

    it('leaves the turn with the first if it stays the first, and with one that waits for its time', async () => {
      const { store } = await setup()
      const group = await createGroup(store, { mode: 'sequential' })
      const [a] = await addNamed(store, group, ['a'], { scheduledFor: 5_000 })
      const [b, c] = await addNamed(store, group, ['b', 'c'])
      await seal(store, group)
      await reorder(store, group, [a, c, b])
      expect((await reread(store, [a as never]))[0]?.job).toMatchObject({ phase: 'queued', version: 2 })
      await reorder(store, group, [c, a, b])
      expect(await verify(store)).toEqual([])
      await store.apply([completion(await only(store, 'c'))], { now: 3_000 })
      expect(await claimed(store, 4_000)).toEqual([])
      expect(await runAll(store, 6_000)).toEqual(['a', 'b'])
      expect(await verify(store)).toEqual([])
    })

    it('is that of the queue in a parallel group, and moves nobody else', async () => {
      const { store } = await setup()
      const group = await createGroup(store)
      const [a] = await addNamed(store, group, ['a'])
      await store.submit([submission({ name: '/m/x' })], { now: 1_500 })
      const [b] = await addNamed(store, group, ['b'])
      await store.submit([submission({ name: '/m/y' })], { now: 1_500 })
      const [c] = await addNamed(store, group, ['c'], { priority: 5 })
      await reorder(store, group, [b, c, a])
      await seal(store, group)
      expect(await membersOf(store, group)).toEqual(['b QUEUED', 'c QUEUED', 'a QUEUED'])
      expect(names(await store.queue({ limit: 9 }))).toEqual(['b', 'c', 'x', 'a', 'y'])
      await reorder(store, group, [a, b, c])
      expect(names(await store.queue({ limit: 9 }))).toEqual(['a', 'b', 'x', 'c', 'y'])
      expect(await verify(store)).toEqual([])
      expect(names(await claimed(store, 2_000, 1))).toEqual(['a'])
      await reorder(store, group, [c, b])
      expect(names(await claimed(store))).toEqual(['c', 'x', 'b', 'y'])
      expect(await verify(store)).toEqual([])
    })

    it('of members that wait at the limit of their width is kept when they leave it', async () => {
      const { store } = await setup()
      const { group, members } = await sealedGroup(store, { width: 1 }, ['a', 'b', 'c'])
      const a = await only(store, 'a')
      await reorder(store, group, [members[2], members[1]])
      expect(await verify(store)).toEqual([])
      await store.apply([completion(a)])
      expect(await runAll(store)).toEqual(['c', 'b'])
    })

    it('needs all members that have not started, each once, and none else', async () => {
      const { store } = await setup()
      const { group, members } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b', 'c', 'd'])
      const [a, b, c, d] = members
      await store.apply([completion(await only(store, 'a'))])
      await only(store, 'b')
      const [other] = (await sealedGroup(store, {}, ['other'])).members
      const codes = async (jobs: readonly (StoredJob | undefined)[]) => await codeOf(reorder(store, group, jobs))
      expect(await codes([c])).toBe('invalid_argument')
      expect(await codes([c, d, c])).toBe('invalid_argument')
      expect(await codes([c, d, other])).toBe('not_found')
      expect(await codes([b, c, d])).toBe('already_dispatched')
      expect(await codes([c, a, d])).toBe('illegal_transition')
      expect(await codeOf(store.control('group.reorder', { group: group.id, jobIds: ['x'] }))).toBe('invalid_id')
      expect(await codeOf(store.control('group.reorder', { group: group.id, jobIds: 'x' as never }))).toBe(
        'invalid_argument',
      )
      expect(await membersOf(store, group)).toEqual(['a COMPLETED', 'b RUNNING', 'c QUEUED', 'd QUEUED'])
      await cancelGroup(store, group)
      expect(await codes([d, c])).toBe('illegal_transition')
      expect(await verify(store)).toEqual([])
    })
  })

  describe('the job that follows a group', () => {
    const finish = () => ({ id: newId(), name: '/m/done', type: 'never-seen', params: '{"to":"ops"}' })
    const ways = [
      ['its last member completes', ['a'], (job: StoredJob) => completion(job), 'COMPLETED'],
      ['its last member fails', ['a'], (job: StoredJob) => failure(job), 'PARTIAL'],
    ] as const

    it.each(ways)('is submitted once when %s', async (_, members, end, status) => {
      const { store } = await setup()
      const following = finish()
      const { group } = await sealedGroup(store, { path: '/g/x', finish: following }, members)
      const a = await only(store, 'a')
      expect(await store.find([{ id: following.id }])).toEqual([null])
      await store.apply([end(a)], { now: 2_100 })
      await store.apply([end(a)], { now: 2_200 })
      const [made] = await store.find([{ id: following.id }])
      const { counts } = await groupOf(store, group)
      expect(JSON.parse(made?.params ?? '')).toEqual({
        to: 'ops',
        group: { id: group.id, path: '/g/x', status, counts },
      })
      expect(made?.job).toMatchObject({ name: '/m/done', groupId: null, phase: 'queued' })
      const { entries } = await store.events({ jobId: following.id, limit: 10 })
      expect(entries[0]?.cause).toBe(`${group.id}.4`)
      expect(await store.claim(claimOf({ types: ['never-seen'], token: 'f' }))).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })

    it('is submitted when the group is sealed empty, cancelled, or left by its last member', async () => {
      const { store } = await setup()
      const given = times(4, (i) => ({ ...finish(), name: `/m/done-${i}` }))
      const [empty, cancelled, emptied, left] = given
      await seal(store, await createGroup(store, { finish: empty as never }))
      await cancelGroup(store, await createGroup(store, { finish: emptied as never }))
      const { group } = await sealedGroup(store, { finish: cancelled as never }, ['a', 'b'])
      await cancelGroup(store, group)
      await followUpAll(store)
      await sealedGroup(store, { finish: left as never }, ['c'])
      await store.submit([submission({ name: '/m/c', onConflict: 'replace' })])
      const found = await store.find(given.map(({ id }) => ({ id })))
      expect(found.map((stored) => JSON.parse(stored?.params ?? '').group.status)).toEqual([
        ...['COMPLETED', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
      ])
      expect(await verify(store)).toEqual([])
    })

    it('stands below its name if that is taken by then', async () => {
      const { store } = await setup()
      await store.submit([submission({ name: '/m/done', type: 'other' })])
      const following = finish()
      await seal(store, await createGroup(store, { finish: following }))
      const [made] = await store.find([{ id: following.id }])
      expect(made?.job.name).toBe(`/m/done/${following.id}`)
      expect(await verify(store)).toEqual([])
    })
  })

  describe('a group of thousands', () => {
    it('is sealed, stopped and cancelled page by page', async () => {
      const { store } = await setup()
      const many = times(2_300, (i) => `j${String(i).padStart(4, '0')}`)
      const { group } = await sealedGroup(store, {}, many)
      expect(await verify(store)).toEqual([])
      expect(await store.queue({ limit: 5_000 })).toHaveLength(1_000)
      expect(await followUpAll(store, 500)).toBe(3)
      expect(await store.queue({ limit: 5_000 })).toHaveLength(2_300)
      await cancelGroup(store, group)
      expect(await followUpAll(store, 500)).toBe(5)
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED', counts: { cancelled: 2_300 } })
      const { group: sequence } = await sealedGroup(store, { mode: 'sequential' }, many)
      await store.apply([failure(await only(store, 'j0000'))], { now: 2_100 })
      expect(await followUpAll(store, 1_000)).toBe(3)
      expect(await groupOf(store, sequence)).toMatchObject({
        status: 'PARTIAL',
        counts: { failed: 1, cancelled: 2_299 },
      })
      expect(await verify(store)).toEqual([])
    })

    it('that is cancelled while it is being sealed lets nobody start who was not ready yet', async () => {
      const { store } = await setup()
      const many = times(1_200, (i) => `j${i}`)
      const { group } = await sealedGroup(store, {}, many)
      await cancelGroup(store, group)
      await store.followUp({ limit: 100 })
      expect(await store.queue({ limit: 5_000 })).toHaveLength(1_000)
      await followUpAll(store, 500)
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED', counts: { cancelled: 1_200 } })
      expect(await verify(store)).toEqual([])
    })
  })
}
