import { describe, expect, it } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { cancel, followUpAll, reread } from '../support/children.ts'
import type { Setup } from '../support/fixture.ts'
import {
  addNamed,
  claimed,
  createGroup,
  groupEvents,
  groupOf,
  only,
  patience,
  seal,
  sealedGroup,
} from '../support/groups.ts'
import { completion, failure, finish } from '../support/requests.ts'

export function groupSequenceContract(setup: Setup): void {
  const terminal = { terminal: true }

  describe('a sequential group', () => {
    it('runs one member after the other, whatever their priorities', async () => {
      const { store } = await setup()
      const group = await createGroup(store, { mode: 'sequential' })
      await addNamed(store, group, ['a', 'b'], { priority: 0 })
      await addNamed(store, group, ['c'], { priority: 9 })
      await seal(store, group)
      const a = await only(store, 'a')
      expect(await claimed(store)).toEqual([])
      await store.apply([completion(a)], { now: 2_100 })
      const b = await only(store, 'b', 2_200)
      expect(await verify(store)).toEqual([])
      await store.apply([completion(b)], { now: 2_300 })
      await store.apply([completion(await only(store, 'c', 2_400))], { now: 2_500 })
      expect(await groupOf(store, group)).toMatchObject({ status: 'COMPLETED', finishedAt: 2_500, startedAt: 2_000 })
      expect(await verify(store)).toEqual([])
    })

    it('waits through the backoff of a member, and for what it awaits', async () => {
      const { store } = await setup()
      await sealedGroup(store, { mode: 'sequential' }, ['a', 'b'], { retry: { baseMs: 1_000 } })
      const a = await only(store, 'a')
      await store.apply([failure(a, 'boom', { random: 0.999 })], { now: 2_000 })
      expect(await claimed(store, 2_500)).toEqual([])
      const again = await only(store, 'a', 3_500)
      await store.apply([finish(again, { kind: 'suspended', awaits: null, until: null })], { now: 3_600 })
      expect(await claimed(store, 9_000)).toEqual([])
      const answer = { kind: 'completed', resultDigest: null } as const
      await store.apply([{ job: a.job.id, command: { type: 'answer', answer } }], { now: 9_000 })
      await only(store, 'b', 9_100)
      expect(await verify(store)).toEqual([])
    })

    it('goes on after a member that was cancelled or skipped, in turn or before it', async () => {
      const { store } = await setup()
      const { group, members } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b', 'c', 'd', 'e'])
      const [, b, , d] = members.map(({ job }) => job.id)
      const a = await only(store, 'a')
      await store.apply([cancel(b ?? ''), cancel(d ?? '')], { now: 2_100 })
      expect(await claimed(store, 2_100)).toEqual([])
      await store.apply([cancel(a.job.id), finish(a, { kind: 'cancelled' })], { now: 2_200 })
      const c = await only(store, 'c', 2_300)
      await store.apply([completion(c)], { now: 2_400 })
      const skip = { type: 'skip', reason: 'x', cancelled: false } as const
      await store.apply([{ job: members[4]?.job.id ?? '', command: skip }], { now: 2_500 })
      const counts = { total: 5, completed: 1, failed: 0, cancelled: 3, skipped: 1 }
      expect(await groupOf(store, group)).toMatchObject({ status: 'CANCELLED', counts })
      expect(await verify(store)).toEqual([])
    })

    it('stops at a member that failed for good: the rest is cancelled with a run that says why', async () => {
      const { store } = await setup()
      const { group, members } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b', 'c', 'd'])
      await store.apply([completion(await only(store, 'a'))], { now: 2_100 })
      await store.apply([failure(await only(store, 'b', 2_200), 'boom', terminal)], { now: 2_300 })
      expect(await groupOf(store, group)).toMatchObject({ status: 'RUNNING', stopped: true })
      expect(await claimed(store, 2_400)).toEqual([])
      expect(await verify(store)).toEqual([])
      // Whatever crashes between two pages, nobody starts and nothing is wrong.
      for (let pages = 0; await store.followUp({ limit: 1, now: 2_400 }); pages++) {
        expect(pages).toBeLessThan(3)
        expect(await claimed(store, 2_400)).toEqual([])
        expect(await verify(store)).toEqual([])
      }
      const counts = { total: 4, completed: 1, failed: 1, cancelled: 2, skipped: 0 }
      expect(await groupOf(store, group)).toMatchObject({ status: 'PARTIAL', counts })
      const reason = 'group stopped: /m/b failed'
      for (const { job } of (await reread(store, members)).slice(2)) {
        expect(job).toMatchObject({ state: 'final', cancelled: true, outcome: 'SKIPPED', error: reason })
        expect(await store.runs(job.id)).toMatchObject([{ attempt: 0, status: 'SKIPPED', reason }])
      }
      await expect
        .poll(() => groupEvents(store), patience)
        .toEqual([...['group.created', 'group.sealed', 'group.started', 'group.stopped', 'group.finished']])
      expect(await verify(store)).toEqual([])
    })

    it('that stops lets nobody start in the meantime, also when others are cancelled', async () => {
      const { store } = await setup()
      const { group, members } = await sealedGroup(store, { mode: 'sequential' }, ['a', 'b', 'c'])
      await store.apply([failure(await only(store, 'a'))], { now: 2_100 })
      await store.apply([cancel(members[1]?.job.id ?? '')], { now: 2_200 })
      expect(await claimed(store, 2_300)).toEqual([])
      expect(await followUpAll(store)).toBe(1)
      expect(await groupOf(store, group)).toMatchObject({ status: 'PARTIAL', counts: { failed: 1, cancelled: 2 } })
      expect(await verify(store)).toEqual([])
    })

    it('goes on after a failure if it is to, and stops for nothing if the last one fails', async () => {
      const { store } = await setup()
      const { group } = await sealedGroup(store, { mode: 'sequential', onFailure: 'continue' }, ['a', 'b'])
      await store.apply([failure(await only(store, 'a'))], { now: 2_100 })
      await store.apply([completion(await only(store, 'b', 2_200))], { now: 2_300 })
      expect(await groupOf(store, group)).toMatchObject({ status: 'PARTIAL', stopped: false })
      const { group: other } = await sealedGroup(store, { mode: 'sequential' }, ['c', 'd'])
      await store.apply([completion(await only(store, 'c', 2_400))], { now: 2_500 })
      await store.apply([failure(await only(store, 'd', 2_600))], { now: 2_700 })
      expect(await groupOf(store, other)).toMatchObject({ status: 'PARTIAL', stopped: false })
      expect(await followUpAll(store)).toBe(0)
      expect(await verify(store)).toEqual([])
    })
  })
}
