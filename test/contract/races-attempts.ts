import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../src/core/job/awaits.ts'
import type { ApplyRequest, Store, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { codeOf, type Setup, submission } from '../support/fixture.ts'
import { allJobs, at, batches, idsOf, openStores, submitMany, times } from '../support/racing.ts'
import { claimOf, completion, failure, finish } from '../support/requests.ts'

/** Claims until there is nothing left, and tells what each claim brought. */
async function claimAll(store: Store, name: string, limit: number, types: readonly string[], now: number) {
  const claims: (readonly StoredJob[])[] = []
  for (let i = 0; ; i++) {
    const claimed = await store.claim(claimOf({ workerId: name, token: `${name}.${i}`, types, limit, now }))
    if (claimed.length === 0) return claims
    claims.push(claimed)
  }
}

export function attemptRaces(setup: Setup): void {
  describe('attempts at the same time', () => {
    it('many claimers never get one job twice, never more than they asked for, and together get all', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      const submissions = times(240, (i) => {
        return submission({ type: at(['a', 'b', 'c'], i), priority: i % 4, scheduledFor: 1_000 + (i % 7) * 100 })
      })
      await fixture.store.submit(submissions, { now: 1_000 })
      const claimers = times(15, (i) => claimAll(at(stores, i), `w${i}`, 1 + (i % 7), ['a', 'b', 'c'], 2_000))
      const claims = await Promise.all(claimers)
      for (const [i, made] of claims.entries()) {
        for (const claimed of made) expect(claimed.length).toBeLessThanOrEqual(1 + (i % 7))
      }
      // Whoever came last may have found the rest locked by others who then did not take it.
      const rest = await claimAll(fixture.store, 'rest', 50, ['a', 'b', 'c'], 2_000)
      const claimed = [...claims.flat(2), ...rest.flat()]
      expect([...idsOf(claimed)].sort()).toEqual(submissions.map(({ id }) => id).sort())
      expect(new Set(claimed.map(({ job }) => job.attempt))).toEqual(new Set([1]))
      expect(await verify(fixture.store)).toEqual([])
    })

    it('an old token never writes, whatever it says', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      await submitMany(store, 20, { retry: { baseMs: 0 } })
      const old = await store.claim(claimOf({ token: 'old', limit: 20 }))
      const lost = await other.apply(
        old.map(({ job }) => ({ job: job.id, command: { type: 'lose', token: 'old', random: 0, alone: true } })),
      )
      expect(new Set(lost.map(codeOf))).toEqual(new Set(['ok']))
      const fresh = await other.claim(claimOf({ token: 'new', workerId: 'w2', limit: 20, suspectLimit: 20 }))
      expect(fresh).toHaveLength(20)
      const { length: eventsBefore } = await fixture.raw('select 1 from events')

      const awaits = newAwaits([{ eventType: 'x', match: {}, times: 1, taskId: null }], [])
      const late = (job: StoredJob): readonly ApplyRequest[] => [
        completion(job, '1'),
        failure(job, 'late'),
        finish(job, { kind: 'snoozed', delayMs: 1, random: 0 }),
        finish(job, { kind: 'suspended', awaits, until: null }),
        finish(job, { kind: 'suspended', awaits: null, until: null }),
        finish(job, { kind: 'cancelled' }),
        { job, command: { type: 'giveBack', token: 'old' } },
        { job, command: { type: 'lose', token: 'old', random: 0, alone: true } },
      ]
      const said = old.flatMap(late)
      const byId = said.map((request) => ({
        ...request,
        job: typeof request.job === 'string' ? request.job : request.job.job.id,
      }))
      const answers = await Promise.all([store.apply(said), other.apply(byId)])
      expect(new Set(answers.flat().map(codeOf))).toEqual(new Set(['stale_token']))
      expect(await fixture.raw('select 1 from events')).toHaveLength(eventsBefore)
      expect(await store.find(fresh.map(({ job }) => ({ id: job.id })))).toEqual(fresh)
      expect(await verify(store)).toEqual([])
    })

    it('a command is refused by what the job is now, not by what it was when it was read', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      const [answered, finished] = await submitMany(store, 2)
      if (answered === undefined || finished === undefined) throw new Error('Two jobs were expected.')
      await other.claim(claimOf({ token: 'held' }))
      const answer = { kind: 'completed', resultDigest: null } as const
      const results = await store.apply([
        { job: answered, command: { type: 'answer', answer } },
        completion(finished, null, 'held'),
      ])
      expect(results.map(codeOf)).toEqual(['ok', 'ok'])
      expect(await verify(store)).toEqual([])
    })

    it('a cancel that races with claims and edits is never lost, and no job has two seats', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      const jobs = await submitMany(fixture.store, 80)
      const cancel = (job: StoredJob): ApplyRequest => ({ job, command: { type: 'cancel', reason: 'race' } })
      const edit = ({ job }: StoredJob, i: number): ApplyRequest => {
        return { job: job.id, command: { type: 'edit', changes: { priority: i % 5, position: 7 * i } } }
      }
      const [cancelled, edited] = await Promise.all([
        Promise.all(batches(jobs, 8).map((batch) => at(stores, 1).apply(batch.map(cancel)))),
        Promise.all(batches([...jobs].reverse(), 5).map((batch) => at(stores, 2).apply(batch.map(edit)))),
        ...times(6, (i) => claimAll(at(stores, i), `w${i}`, 3, ['work'], Date.now() + 60_000)),
      ])
      expect(new Set(cancelled.flat().map(codeOf))).toEqual(new Set(['ok']))
      for (const code of edited.flat().map(codeOf))
        expect(['ok', 'already_dispatched', 'illegal_transition']).toContain(code)

      const after = await allJobs(fixture.store)
      expect(after).toHaveLength(80)
      for (const { job } of after) {
        if (job.state === 'running') expect(job).toMatchObject({ attempt: 1, cancelRequestedAt: expect.any(Number) })
        else expect(job).toMatchObject({ state: 'final', cancelled: true, attempt: 0 })
      }
      expect(await verify(fixture.store)).toEqual([])
      const running = after.filter(({ job }) => job.state === 'running')
      const stopped = await fixture.store.apply(running.map((job) => finish(job, { kind: 'cancelled' })))
      expect(stopped.map(codeOf)).toEqual(running.map(() => 'ok'))
      expect((await allJobs(fixture.store)).every(({ job }) => job.state === 'final' && job.cancelled)).toBe(true)
      expect(await verify(fixture.store)).toEqual([])
    })

    it('of an end and a rescue of one attempt exactly one is recorded', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      await submitMany(fixture.store, 40)
      const running = await fixture.store.claim(claimOf({ token: 'held', limit: 40 }))
      const pairs = await Promise.all(
        running.map(async (job, i) => {
          const lose = { job: job.job.id, command: { type: 'lose', token: 'held', random: 0.5, alone: true } } as const
          const [ends, rescues] = [at(stores, i), at(stores, i + 1 + (i % 3))]
          const [[ended], [rescued]] = await Promise.all([ends.apply([completion(job)]), rescues.apply([lose])])
          return [codeOf(ended), codeOf(rescued)]
        }),
      )
      for (const pair of pairs) expect([...pair].sort()).toEqual(['ok', 'stale_token'])
      for (const [i, { job }] of running.entries()) {
        const runs = await fixture.store.runs(job.id)
        expect(runs.map(({ attempt, status, reason }) => [attempt, status, reason])).toEqual([
          pairs[i]?.[0] === 'ok' ? [1, 'COMPLETED', null] : [1, 'FAILED', 'lease_lost'],
        ])
      }
      expect(await verify(fixture.store)).toEqual([])
    })

    it('the same end given by several at once is success for all, and one run', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      await submitMany(fixture.store, 30)
      const running = await fixture.store.claim(claimOf({ limit: 30 }))
      const ends = running.map((job, i) => (i % 2 === 0 ? completion(job, `{"n":${i}}`) : failure(job, `error ${i}`)))
      const answers = await Promise.all(stores.map((store, i) => store.apply(i % 2 === 0 ? ends : [...ends].reverse())))
      expect(new Set(answers.flat().map(codeOf))).toEqual(new Set(['ok']))
      const runs = await Promise.all(running.map(({ job }) => fixture.store.runs(job.id)))
      expect(runs.map(({ length }) => length)).toEqual(running.map(() => 1))
      const { length: ended } = await fixture.raw('select 1 from events where code in (6, 7)')
      expect(ended).toBe(30)
      expect(await verify(fixture.store)).toEqual([])
    })
  })
}
