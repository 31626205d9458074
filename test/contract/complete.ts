import { describe, expect, it } from 'vitest'
import { step } from '../../src/core/job/decide.ts'
import { digestOf } from '../../src/store/digest.ts'
import { jobEvent } from '../../src/store/event-row.ts'
import type { Completion, Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { codeOf, type Setup, submission, submitOne } from '../support/fixture.ts'
import { claimOf, claimOne, completion, failure } from '../support/requests.ts'

export function completeContract(setup: Setup): void {
  describe('complete', () => {
    const context = { actor: 'tester', cause: 'c', executionId: 'e', traceId: 't', spanId: 's' }

    it('decides exactly as the core decides, event for event, field for field and run for run', async () => {
      const { store } = await setup()
      const facts = { exitCode: 0, artifacts: ['a "b".txt', 'c\\d'], logPath: 'stint:x/log' }
      const kinds = [
        { timeoutMs: 60_000 },
        { key: 'k', labels: { a: 'b' }, params: '[]' },
        { deadlineAt: 90_000, expiresAt: 80_000 },
        { awaits: { events: [], failOn: ['x'] } },
        { retry: { maxAttempts: 9 } },
      ]
      await store.submit(
        kinds.map((kind) => submission(kind)),
        { now: 1_000 },
      )
      const first = await store.claim(claimOf({ now: 2_000 }))
      // The second attempt of some, and one that has snoozed before.
      await store.apply([failure(first[0] as never), failure(first[1] as never)], { now: 3_000 })
      const snooze = { kind: 'snoozed', delayMs: 0, random: 0 } as const
      await store.apply(
        [{ job: first[4] as never, command: { type: 'finish', token: first[4]?.job.token ?? '', ending: snooze } }],
        { now: 3_000 },
      )
      const claimed = [...first.slice(2, 4), ...(await store.claim(claimOf({ now: 4_000, token: 't2' })))]
      expect(claimed).toHaveLength(5)

      const result = '{"text":"with \\"quotes\\", back\\\\slashes and {braces}"}'
      const completions = claimed.map((job): Completion => ({ job, result, facts, context }))
      expect(await store.complete(completions, { now: 5_000 })).toEqual({ at: 5_000, done: claimed.map(() => true) })
      for (const { job, guard } of claimed) {
        const ending = { kind: 'completed', resultDigest: digestOf(result), facts } as const
        const expected = step(job, { type: 'finish', token: job.token ?? '', ending }, 5_000, context)
        const [stored] = await store.find([{ id: job.id }])
        expect(stored?.job).toEqual(expected.job)
        expect(stored).toMatchObject({ result, guard: { released: true, revision: guard.revision + 1 } })
        const { entries } = await store.events({ jobId: job.id, limit: 100 })
        expect(jobEvent(entries.at(-1) as never)).toEqual(expected.events[0])
        const run = (await store.runs(job.id)).at(-1)
        expect(run).toMatchObject({ status: 'COMPLETED', attempt: job.attempt, startedAt: job.startedAt, ...facts })
      }
      expect(await verify(store)).toEqual([])
      expect(await store.overdue({ after: null, limit: 10, now: 1e12 })).toMatchObject({ jobIds: [] })
    })

    it('leaves what is not as it was claimed to apply: another attempt, a cancel, an end', async () => {
      const { store } = await setup()
      const jobs = await claimed(store, 4)
      const [givenBack, cancelled, ended, fine] = jobs as [
        (typeof jobs)[0],
        (typeof jobs)[0],
        (typeof jobs)[0],
        (typeof jobs)[0],
      ]
      await store.apply([
        { job: givenBack, command: { type: 'giveBack', token: 't1' } },
        { job: cancelled, command: { type: 'cancel', reason: 'test' } },
        completion(ended, '1'),
      ])
      await claimOne(store, { token: 't2' })
      const { done } = await store.complete(jobs.map((job) => ({ job, result: '2' })))
      expect(done).toEqual([false, false, false, true])
      const found = await store.find(jobs.map(({ job }) => ({ id: job.id })))
      expect(found.map((stored) => [stored?.job.phase, stored?.result])).toEqual([
        ['running', null],
        ['running', null],
        ['final', '1'],
        ['final', '2'],
      ])
      // What apply then says is what it always says.
      const results = await store.apply([
        completion(givenBack, '2'),
        completion(cancelled, '2'),
        completion(ended, '1'),
      ])
      expect(results.map(codeOf)).toEqual(['stale_token', 'ok', 'ok'])
      expect(fine.job.phase).toBe('running')
      expect(await verify(store)).toEqual([])
    })

    it('leaves a job whose end others wait for to apply, which wakes them', async () => {
      const { store } = await setup()
      const old = await submitOne(store, { name: '/test/one' })
      const held = await claimOne(store)
      const next = await submitOne(store, { name: '/test/one', onConflict: 'replace' })
      expect(next.job.phase).toBe('pending')
      expect((await store.complete([{ job: held, result: null }])).done).toEqual([false])
      expect(await store.apply([completion(held)])).toMatchObject([{ ok: true }])
      expect((await store.find([{ id: next.job.id }]))[0]?.job.phase).toBe('queued')
      expect(old.job.id).toBe(held.job.id)
      expect(await verify(store)).toEqual([])
    })

    it('of a job whose row was written while it ran is left to apply', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/test/up' })
      const { job } = await claimOne(store)
      // Who begins to wait for a job writes it once more; when nobody waits any more, only the row tells of it.
      const waiting = await submitOne(store, { name: '/test/down', needs: { list: [{ of: job.id, at: null }] } })
      await store.apply([{ job: waiting.job.id, command: { type: 'cancel', reason: 'test' } }])
      const [held] = await store.find([{ id: job.id }])
      if (held === undefined || held === null) throw new Error('The job is there.')
      const { done } = await store.complete([{ job: held, result: '1' }])
      if (!done[0]) expect(await store.apply([completion(held, '1')])).toMatchObject([{ ok: true }])
      expect((await store.find([{ id: job.id }]))[0]?.job).toMatchObject({ state: 'final', outcome: 'COMPLETED' })
      expect(await verify(store)).toEqual([])
    })

    it('frees name and key', async () => {
      const { store } = await setup()
      const again = { name: '/test/again', key: 'k' }
      for (let i = 0; i < 3; i++) {
        await submitOne(store, again)
        const job = await claimOne(store, { token: `t${i}` })
        expect((await store.complete([{ job, result: null }])).done).toEqual([true])
      }
      expect(await verify(store)).toEqual([])
    })

    it('is done once for one attempt, whoever else ends it at the same time', async () => {
      const { store, open } = await setup()
      const other = await open()
      const jobs = await claimed(store, 40)
      const ways = await Promise.all([
        store.complete(jobs.map((job) => ({ job, result: '"a"' }))),
        other.complete([...jobs].reverse().map((job) => ({ job, result: '"b"' }))),
        other.apply(jobs.map((job) => completion(job, '"c"'))),
        store.apply(jobs.map(({ job }) => ({ job: job.id, command: { type: 'cancel', reason: 'test' } }))),
      ])
      for (const [i, { job }] of jobs.entries()) {
        const done = [ways[0].done[i], ways[1].done[jobs.length - 1 - i], codeOf(ways[2][i]) === 'ok']
        expect(done.filter(Boolean)).toHaveLength(1)
        expect(await store.runs(job.id)).toHaveLength(1)
      }
      expect(await verify(store)).toEqual([])
    })

    it('of something bad is left, and stops no other', async () => {
      const { store } = await setup()
      const [bad, good] = await claimed(store, 2)
      if (bad === undefined || good === undefined) throw new Error('Two jobs were submitted.')
      const { done } = await store.complete([
        { job: bad, result: '"\u0000"' },
        { job: good, result: '1' },
      ])
      expect(done).toEqual([false, true])
      expect(await store.complete([])).toMatchObject({ done: [] })
      expect(await verify(store)).toEqual([])
    })

    async function claimed(store: Store, count: number) {
      await store.submit(Array.from({ length: count }, () => submission()))
      return await store.claim(claimOf({ limit: count }))
    }
  })
}
