import { describe, expect, it } from 'vitest'
import { step } from '../../src/core/job/decide.ts'
import { jobEvent } from '../../src/store/event-row.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, type Setup, submission, submitOne } from '../support/fixture.ts'
import { claimOf, claimOne, failure } from '../support/requests.ts'

export function claimContract(setup: Setup): void {
  describe('claim', () => {
    it('takes jobs by priority, then position', async () => {
      const { store } = await setup()
      const priorities = [0, 5, -1, 5, 0]
      const batch = priorities.map((priority, i) => submission({ priority, name: `/test/${i}-p${priority}` }))
      await store.submit(batch)
      const claimed = await store.claim(claimOf())
      expect(claimed.map(({ job }) => job.name)).toEqual([
        '/test/1-p5',
        '/test/3-p5',
        '/test/0-p0',
        '/test/4-p0',
        '/test/2-p-1',
      ])
    })

    it('takes across types in one order, and leaves types that were not asked for', async () => {
      const { store } = await setup()
      const types = ['a', 'b', 'c', 'a', 'b']
      await store.submit(types.map((type, i) => submission({ type, name: `/test/${type}${i}x` })))
      const claimed = await store.claim(claimOf({ types: ['b', 'a', 'never'] }))
      expect(claimed.map(({ job }) => job.name)).toEqual(['/test/a0x', '/test/b1x', '/test/a3x', '/test/b4x'])
      expect((await store.claim(claimOf({ types: ['c'] }))).map(({ job }) => job.type)).toEqual(['c'])
      expect(await store.claim(claimOf({ types: [] }))).toEqual([])
    })

    it('never takes more than asked', async () => {
      const { store } = await setup()
      await store.submit(Array.from({ length: 20 }, (_, i) => submission({ type: i % 2 === 0 ? 'a' : 'b' })))
      expect(await store.claim(claimOf({ types: ['a', 'b'], limit: 0 }))).toHaveLength(0)
      expect(await store.claim(claimOf({ types: ['a', 'b'], limit: 7 }))).toHaveLength(7)
      expect(await store.claim(claimOf({ types: ['a', 'b'], limit: 100 }))).toHaveLength(13)
    })

    it('leaves a job until its time, then takes it at its place', async () => {
      const { store } = await setup()
      const batch = [
        submission({ scheduledFor: 5_000, name: '/test/late' }),
        submission({ scheduledFor: 5_000, priority: 9, name: '/test/late-urgent' }),
        submission({ name: '/test/now' }),
      ]
      await store.submit(batch, { now: 1_000 })
      expect((await store.claim(claimOf({ now: 4_999, limit: 0 }))).length).toBe(0)
      const claimed = await store.claim(claimOf({ now: 5_000, limit: 2 }))
      expect(claimed.map(({ job }) => job.name)).toEqual(['/test/late-urgent', '/test/late'])
      expect((await store.claim(claimOf({ now: 5_000 }))).map(({ job }) => job.name)).toEqual(['/test/now'])
      expect(await verify(store)).toEqual([])
    })

    it('uses the time of the database when none is given', async () => {
      const { store } = await setup()
      const now = await store.now()
      await store.submit([submission({ scheduledFor: now - 1_000 }), submission({ scheduledFor: now + 3_600_000 })])
      const claimed = await store.claim(claimOf())
      expect(claimed).toHaveLength(1)
      expect(Math.abs((claimed[0]?.job.startedAt ?? 0) - now)).toBeLessThan(60_000)
    })

    it('moves due jobs of other types to their queue on the way', async () => {
      const { store } = await setup()
      await store.submit([submission({ type: 'other', scheduledFor: 2_000 })], { now: 1_000 })
      expect(await store.claim(claimOf({ now: 3_000 }))).toEqual([])
      expect(await verify(store)).toEqual([])
      expect(await store.claim(claimOf({ now: 3_000, types: ['other'] }))).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })

    it('takes suspects one at a time, or none, and others as before', async () => {
      const { store } = await setup()
      await store.submit(
        Array.from({ length: 4 }, (_, i) => submission({ name: `/test/s${i}` })),
        { now: 1_000 },
      )
      const held = await store.claim(claimOf({ limit: 3, now: 1_000 }))
      const lost = held.map((job) => ({ job, command: { type: 'lose', token: 't1', random: 0, alone: true } }) as const)
      const results = await store.apply(lost, { now: 1_000 })
      expect(results.map((result) => result.ok && result.stored.job.suspect)).toEqual([true, true, true])

      expect(
        (await store.claim(claimOf({ suspectLimit: 0, now: 2_000, limit: 1 }))).map(({ job }) => job.name),
      ).toEqual(['/test/s3'])
      const second = await store.claim(claimOf({ token: 't2', now: 2_000 }))
      expect(second.map(({ job }) => job.name)).toEqual(['/test/s0'])
      expect(
        (await store.claim(claimOf({ token: 't3', now: 2_000, suspectLimit: 5, limit: 1 }))).map(({ job }) => job.name),
      ).toEqual(['/test/s1'])
      expect(await verify(store)).toEqual([])
    })

    it('takes one suspect over all types, whether it was ready or has just become due', async () => {
      const { store } = await setup()
      const types = ['a', 'b', 'a', 'b']
      await store.submit(
        types.map((type) => submission({ type, retry: { baseMs: 1_000 } })),
        { now: 1_000 },
      )
      const held = await store.claim(claimOf({ types: ['a', 'b'], now: 1_000 }))
      const lost = held.map((job, i) => {
        // Half of them are due at once, half of them later.
        return { job, command: { type: 'lose', token: 't1', random: i < 2 ? 0 : 0.5, alone: true } } as const
      })
      await store.apply(lost, { now: 1_000 })
      const again = await store.claim(claimOf({ types: ['a', 'b'], token: 't2', now: 9_000 }))
      expect(again.map(({ job }) => job.id)).toEqual([held[0]?.job.id])
      expect(await verify(store)).toEqual([])
      expect(await store.claim(claimOf({ types: ['a', 'b'], token: 't3', now: 9_000, suspectLimit: 9 }))).toHaveLength(
        3,
      )
    })

    it('does not take jobs that are pending, running, cancelled or in backoff', async () => {
      const { store } = await setup()
      const [a, b] = (await store.submit([submission(), submission(), submission()], { now: 1_000 })).map(accepted)
      if (a === undefined || b === undefined) throw new Error('Nothing was submitted.')
      await store.apply([{ job: a, command: { type: 'cancel', reason: 'test' } }], { now: 1_000 })
      const running = await claimOne(store, { now: 1_000 })
      expect(running.job.id).toBe(b.job.id)
      await store.apply([failure(running, 'boom', { random: 0.5 })], { now: 1_000 })
      expect(await store.claim(claimOf({ now: 1_001 }))).toHaveLength(1)
      expect(await store.claim(claimOf({ now: 5_999 }))).toHaveLength(0)
      const [again] = await store.claim(claimOf({ now: 6_000, token: 't9' }))
      expect(again?.job).toMatchObject({ id: b.job.id, attempt: 2, error: null, state: 'running' })
      expect(await verify(store)).toEqual([])
    })

    it('leaves a job that may not start any more', async () => {
      const { store } = await setup()
      const fields = [{ expiresAt: 2_000 }, { deadlineAt: 2_000 }, { scheduledFor: 1_500, expiresAt: 1_900 }, {}]
      await store.submit(
        fields.map((given) => submission(given)),
        { now: 1_000 },
      )
      const last = (await store.claim(claimOf({ now: 2_000 }))).map(({ job }) => job.expiresAt ?? job.deadlineAt)
      expect(last).toEqual([null])
      expect(await verify(store)).toEqual([])
      expect(await store.claim(claimOf({ now: 1_800, token: 't2' }))).toHaveLength(3)
    })

    it('passes over a job that is over before it is due, also when the clock goes back', async () => {
      const { store } = await setup()
      const never = submission({ scheduledFor: 5_000, expiresAt: 4_000 })
      await store.submit([never, submission({ scheduledFor: 5_000 })], { now: 1_000 })
      expect(await store.claim(claimOf({ now: 6_000, limit: 0 }))).toEqual([])
      const claimed = await store.claim(claimOf({ now: 3_000 }))
      expect(claimed.map(({ job }) => job.id)).not.toContain(never.id)
      expect(await store.claim(claimOf({ now: 6_000 }))).toHaveLength(claimed.length === 0 ? 1 : 0)
      expect(await verify(store)).toEqual([])
    })

    it('decides exactly as the core decides, event for event and field for field', async () => {
      const { store } = await setup()
      await store.submit(
        [
          submission({ timeoutMs: 500 }),
          submission({ priority: 3, key: 'k', labels: { a: 'b' }, params: '[]' }),
          submission({ retry: { maxAttempts: 9 } }),
          submission({ awaits: { events: [], failOn: ['x'] } }),
        ],
        { now: 1_000 },
      )
      // Two rounds: first attempts, and attempts after a failure.
      for (const [round, now] of [2_000, 9_000].entries()) {
        const context = { actor: 'tester', cause: 'c', executionId: 'e', traceId: 't', spanId: 's' }
        const request = claimOf({ token: `tok-${round}`, now, context })
        const before = await queued(store)
        const claimed = await store.claim(request)
        expect(claimed).toHaveLength(4)
        for (const after of claimed) {
          const resting = before.get(after.job.id)
          if (resting === undefined) throw new Error('A job was claimed that was not queued.')
          const command = { type: 'claim', workerId: request.workerId, token: request.token } as const
          const expected = step(resting.job, command, now, context)
          expect(after.job).toEqual(expected.job)
          const { entries } = await store.events({ jobId: after.job.id, limit: 100 })
          const last = entries.at(-1)
          expect(last === undefined ? null : jobEvent(last)).toEqual(expected.events[0])
        }
        await store.apply(
          claimed.map((job) => failure(job)),
          { now },
        )
      }
      expect(await verify(store)).toEqual([])
    })

    async function queued(store: Awaited<ReturnType<Setup>>['store']) {
      const { jobs } = await store.audit({ after: null, limit: 100 })
      return new Map(jobs.map(({ stored }) => [stored.job.id, stored]))
    }

    it('refuses a bad request and takes nothing', async () => {
      const { store } = await setup()
      await submitOne(store)
      for (const bad of [{ workerId: '' }, { token: 'a"b' }, { limit: -1 }, { limit: 1.5 }, { types: ['a b'] }]) {
        await expect(store.claim(claimOf(bad))).rejects.toMatchObject({ code: 'invalid_argument' })
      }
      expect(await store.claim(claimOf())).toHaveLength(1)
    })
  })
}
