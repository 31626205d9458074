import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../src/core/job/awaits.ts'
import { digestOf } from '../../src/store/digest.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, applied, codeOf, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import { claimOf, claimOne, completion, failure, finish } from '../support/requests.ts'

export function applyContract(setup: Setup): void {
  describe('apply', () => {
    it('retries a failed attempt until the charged ones are used up', async () => {
      const { store } = await setup()
      const { job } = await submitOne(store, { retry: { maxAttempts: 3, baseMs: 0 } }, 1_000)
      for (const attempt of [1, 2, 3]) {
        const claimed = await claimOne(store, { token: `t${attempt}`, now: 1_000 })
        expect(claimed.job.attempt).toBe(attempt)
        await store.apply([failure(claimed, `boom ${attempt}`)], { now: 1_000 })
      }
      const [final] = await store.find([{ id: job.id }])
      expect(final?.job).toMatchObject({ state: 'final', outcome: 'FAILED', error: 'boom 3', charged: 3, attempt: 3 })
      expect((await store.runs(job.id)).map(({ status, error }) => [status, error])).toEqual([
        ['FAILED', 'boom 1'],
        ['FAILED', 'boom 2'],
        ['FAILED', 'boom 3'],
      ])
      expect(await verify(store)).toEqual([])
    })

    it('refuses an attempt that lost its job, and changes nothing', async () => {
      const { store, raw } = await setup()
      await submitOne(store, {}, 1_000)
      const old = await claimOne(store, { token: 'old', now: 1_000 })
      await store.apply([{ job: old, command: { type: 'lose', token: 'old', random: 0, alone: true } }], { now: 1_000 })
      const fresh = await claimOne(store, { token: 'new', workerId: 'w2', now: 1_000 })
      const events = (await readAll({ store, raw })).length
      const results = await store.apply([
        completion(old, '1'),
        { job: old, command: { type: 'giveBack', token: 'old' } },
      ])
      expect(results.map(codeOf)).toEqual(['stale_token', 'stale_token'])
      expect(await readAll({ store, raw })).toHaveLength(events)
      expect((await store.find([{ id: old.job.id }]))[0]).toEqual(fresh)
    })

    it('takes the same answer again as success', async () => {
      const { store } = await setup()
      await submitOne(store)
      const claimed = await claimOne(store)
      const first = await store.apply([completion(claimed, '{"n":1}')])
      const again = await store.apply([completion(claimed, '{"n":1}')])
      const other = await store.apply([completion(claimed, '{"n":2}')])
      expect([...first, ...again, ...other].map(codeOf)).toEqual(['ok', 'ok', 'stale_token'])
      expect(await store.runs(claimed.job.id)).toHaveLength(1)
    })

    it('decides again when the job has changed since it was read', async () => {
      const { store } = await setup()
      const queued = await submitOne(store)
      await store.apply([{ job: queued, command: { type: 'edit', changes: { priority: 4 } } }])
      const [cancelled] = await store.apply([{ job: queued, command: { type: 'cancel', reason: 'test' } }])
      expect(applied(cancelled).job).toMatchObject({ priority: 4, version: 3, cancelled: true })
      expect(await verify(store)).toEqual([])
    })

    it('never writes over what a job without a seat has become since it was read', async () => {
      const { store } = await setup()
      const { job } = await submitOne(store)
      const suspended = { kind: 'suspended', awaits: null, until: null } as const
      const [result] = await store.apply([finish(await claimOne(store), suspended)])
      const awaiting = applied(result)
      await store.apply([{ job: job.id, command: { type: 'cancel', reason: 'test' } }])
      const [cancelled] = await store.find([{ id: job.id }])
      // Decided on the job as it was read, the answer would be fine.
      const answer = { kind: 'completed', resultDigest: null } as const
      const [late] = await store.apply([{ job: awaiting, command: { type: 'answer', answer } }])
      expect(codeOf(late)).toBe('not_found')
      expect(await store.find([{ id: job.id }])).toEqual([cancelled])
      expect(await verify(store)).toEqual([])
    })

    it('lets an attempt finish that was told to stop meanwhile', async () => {
      const { store } = await setup()
      await submitOne(store)
      const claimed = await claimOne(store)
      await store.apply([{ job: claimed.job.id, command: { type: 'cancel', reason: 'test' } }])
      expect(await verify(store)).toEqual([])
      const [result] = await store.apply([completion(claimed)])
      expect(applied(result).job).toMatchObject({ outcome: 'COMPLETED', cancelled: false, version: 4 })
      expect(await verify(store)).toEqual([])
    })

    it('does several commands of one job one after the other', async () => {
      const { store } = await setup()
      const { job } = await submitOne(store)
      const edit = (priority: number) => ({ job: job.id, command: { type: 'edit', changes: { priority } } }) as const
      const cancel = { job: job.id, command: { type: 'cancel', reason: 'test' } } as const
      const results = await store.apply([edit(1), edit(2), cancel, edit(3)])
      expect(results.map(codeOf)).toEqual(['ok', 'ok', 'ok', 'illegal_transition'])
      expect((await store.find([{ id: job.id }]))[0]?.job).toMatchObject({ priority: 2, state: 'final', version: 4 })
    })

    it('refuses one bad command alone', async () => {
      const { store } = await setup()
      await store.submit([submission(), submission(), submission()])
      const [a, b, c] = await store.claim(claimOf())
      if (a === undefined || b === undefined || c === undefined) throw new Error('Three were expected.')
      const missing = { job: newId(), command: { type: 'cancel', reason: 'x' } } as const
      const results = await store.apply([completion(a), missing, completion(b, null, 'wrong'), completion(c)])
      expect(results.map(codeOf)).toEqual(['ok', 'not_found', 'stale_token', 'ok'])
      expect(await verify(store)).toEqual([])
    })

    it('edits a job that waits, and keeps the params that were replaced in the log', async () => {
      const { store } = await setup()
      const first = await submitOne(store, { params: '{"v":1}', name: '/test/first' })
      await submitOne(store, { name: '/test/second' })
      const params = '{"v":2}'
      const changes = { priority: -1, params: { digest: digestOf(params), replaced: first.params } }
      const [edited] = await store.apply([{ job: first, command: { type: 'edit', changes }, params }])
      expect(applied(edited)).toMatchObject({ params, job: { priority: -1 } })
      const { entries } = await store.events({ jobId: first.job.id, limit: 10 })
      expect(entries[1]?.attributes).toMatchObject({ params: { replaced: '{"v":1}' } })
      const claimed = await store.claim(claimOf())
      expect(claimed.map(({ job }) => job.name)).toEqual(['/test/second', '/test/first'])
      expect(await verify(store)).toEqual([])
      const [late] = await store.apply([{ job: first.job.id, command: { type: 'edit', changes: { priority: 1 } } }])
      expect(codeOf(late)).toBe('already_dispatched')
    })

    it('postpones and brings forward', async () => {
      const { store } = await setup()
      const { job } = await submitOne(store, {}, 1_000)
      const move = (scheduledFor: number) =>
        ({ job: job.id, command: { type: 'edit', changes: { scheduledFor } } }) as const
      await store.apply([move(9_000)], { now: 1_000 })
      expect(await store.claim(claimOf({ now: 8_000 }))).toEqual([])
      await store.apply([move(2_000)], { now: 1_500 })
      expect(await verify(store)).toEqual([])
      expect(await store.claim(claimOf({ now: 2_000 }))).toHaveLength(1)
    })

    it('gives back without a charge, snoozes, and loses with one', async () => {
      const { store } = await setup()
      await submitOne(store, {}, 1_000)
      const given = await claimOne(store, { token: 'a', now: 1_000 })
      const [back] = await store.apply([{ job: given, command: { type: 'giveBack', token: 'a' } }], { now: 1_000 })
      expect(applied(back).job).toMatchObject({ state: 'error', charged: 0, scheduledFor: 1_000, suspect: false })
      const snoozing = await claimOne(store, { token: 'b', now: 1_000 })
      const [snoozed] = await store.apply([finish(snoozing, { kind: 'snoozed', delayMs: 50, random: 0 })], {
        now: 1_000,
      })
      expect(applied(snoozed).job).toMatchObject({ state: 'error', charged: 0, snoozes: 1, scheduledFor: 1_050 })
      const losing = await claimOne(store, { token: 'c', now: 1_050 })
      const [lost] = await store.apply(
        [{ job: losing, command: { type: 'lose', token: 'c', random: 0, alone: true } }],
        {
          now: 1_060,
        },
      )
      expect(applied(lost).job).toMatchObject({ state: 'error', charged: 1, suspect: true, attempt: 3 })
      const reasons = (await store.runs(losing.job.id)).map(({ reason }) => reason)
      expect(reasons).toEqual(['released', 'snoozed', 'lease_lost'])
      expect(await verify(store)).toEqual([])
    })

    it('cancels in every state', async () => {
      const { store } = await setup()
      const [queued, delayed] = (
        await store.submit([submission(), submission({ scheduledFor: 99_000 })], { now: 1_000 })
      ).map(accepted)
      const cancel = (id: string | undefined) =>
        ({ job: id ?? '', command: { type: 'cancel', reason: 'test' } }) as const
      const results = await store.apply([cancel(queued?.job.id), cancel(delayed?.job.id)], { now: 1_000 })
      expect(results.map((r) => applied(r).job.cancelled)).toEqual([true, true])

      await submitOne(store, {}, 1_000)
      const running = await claimOne(store, { now: 1_000 })
      const [asked] = await store.apply([cancel(running.job.id)], { now: 1_100 })
      expect(applied(asked).job).toMatchObject({ state: 'running', cancelRequestedAt: 1_100 })
      const [ended] = await store.apply([finish(running, { kind: 'cancelled' })], { now: 1_200 })
      expect(applied(ended).job).toMatchObject({ state: 'final', cancelled: true, outcome: 'FAILED' })

      await submitOne(store, {}, 1_000)
      const waiting = await claimOne(store, { token: 't2', now: 1_000 })
      await store.apply([finish(waiting, { kind: 'suspended', awaits: null, until: null })], { now: 1_000 })
      const [stopped] = await store.apply([cancel(waiting.job.id)], { now: 1_300 })
      expect(applied(stopped).job).toMatchObject({ state: 'final', cancelled: true })
      expect(await store.claim(claimOf({ now: 99_999 }))).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('expires, times out and is answered from outside', async () => {
      const { store } = await setup()
      const fields = [{ expiresAt: 2_000 }, { timeoutMs: 10 }, {}]
      const jobs = (
        await store.submit(
          fields.map((f) => submission(f)),
          { now: 1_000 },
        )
      ).map(accepted)
      const [expiring, timing, answering] = jobs.map(({ job }) => job.id)
      const elapse = (id = '') => ({ job: id, command: { type: 'elapse', random: 0 } }) as const
      const answer = { kind: 'completed', resultDigest: digestOf('7') } as const
      const answered = { job: answering ?? '', command: { type: 'answer', answer }, result: '7' } as const
      expect((await store.apply([answered], { now: 1_000 })).map(codeOf)).toEqual(['not_started'])
      await store.apply([elapse(expiring)], { now: 2_000 })
      await store.claim(claimOf({ now: 2_000 }))
      const results = await store.apply([elapse(timing), answered], { now: 2_010 })
      expect(applied(results[0]).job).toMatchObject({ state: 'error', error: 'Attempt 1 ran out of time.' })
      expect(applied(results[1])).toMatchObject({ result: '7', job: { outcome: 'COMPLETED' } })
      expect((await store.find([{ id: expiring ?? '' }]))[0]?.job).toMatchObject({
        outcome: 'SKIPPED',
        error: 'expired',
      })
      expect(await verify(store)).toEqual([])
    })

    it('suspends without a worker and holds what is awaited', async () => {
      const { store } = await setup()
      await submitOne(store)
      const claimed = await claimOne(store)
      const awaits = newAwaits([{ eventType: 'paid', match: {}, times: 1, taskId: null }], [])
      const [result] = await store.apply([finish(claimed, { kind: 'suspended', awaits, until: 77_000 })])
      expect(applied(result).job).toMatchObject({
        state: 'running',
        phase: 'awaiting',
        workerId: 'w1',
        attemptDeadlineAt: 77_000,
        awaits,
      })
      expect((await store.find([{ id: claimed.job.id }]))[0]).toEqual(applied(result))
      expect(await verify(store)).toEqual([])
    })
  })
}
