import { describe, expect, it } from 'vitest'
import type { ApplyRequest, DeadlineKey, Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { applied, codeOf, type Setup, submitOne } from '../support/fixture.ts'
import { idsOf, submitMany, times } from '../support/racing.ts'
import { claimOne, completion, failure, finish } from '../support/requests.ts'

const elapse = (job: string): ApplyRequest => ({ job, command: { type: 'elapse', random: 0 } })

async function overdueAt(store: Store, now: number): Promise<readonly string[]> {
  const { jobIds, next } = await store.overdue({ after: null, limit: 100, now })
  expect(next).toBe(null)
  return jobIds
}

/** Brings a job to a phase; returns its id. */
type Make = (store: Store, fields: Partial<Submission>) => Promise<string>

async function started(store: Store, fields: Partial<Submission>): Promise<StoredJob> {
  await submitOne(store, fields, 1_000)
  return await claimOne(store, { now: 1_000 })
}

const phases: Record<string, Make> = {
  queued: async (store, fields) => (await submitOne(store, fields, 1_000)).job.id,
  delayed: async (store, fields) => (await submitOne(store, { ...fields, scheduledFor: 90_000 }, 1_000)).job.id,
  pending: async (store, fields) => {
    await started(store, { name: '/test/one' })
    return (await submitOne(store, { ...fields, name: '/test/one', onConflict: 'replace' }, 1_000)).job.id
  },
  running: async (store, fields) => (await started(store, fields)).job.id,
  awaiting: async (store, fields) => {
    const job = await started(store, fields)
    await store.apply([finish(job, { kind: 'suspended', awaits: null, until: null })], { now: 1_000 })
    return job.job.id
  },
  error: async (store, fields) => {
    const job = await started(store, fields)
    await store.apply([failure(job, 'boom')], { now: 1_000 })
    return job.job.id
  },
}

const ends: readonly (readonly [phase: string, what: string, fields: Partial<Submission>, end: object])[] = [
  ...['queued', 'delayed', 'pending'].flatMap((phase) => [
    [phase, 'deadline', { deadlineAt: 5_000 }, { outcome: 'SKIPPED', error: 'deadline', cancelled: false }] as const,
    [phase, 'expiry', { expiresAt: 5_000 }, { outcome: 'SKIPPED', error: 'expired', cancelled: false }] as const,
    [phase, 'earlier instant', { expiresAt: 5_000, deadlineAt: 6_000 }, { outcome: 'SKIPPED' }] as const,
  ]),
  ...['running', 'awaiting'].map((phase) => {
    return [phase, 'deadline', { deadlineAt: 5_000 }, { outcome: 'FAILED', error: 'The job ran out of time.' }] as const
  }),
  ['error', 'deadline', { deadlineAt: 5_000 }, { outcome: 'FAILED', error: 'boom' }],
]

export function deadlineContract(setup: Setup): void {
  describe('overdue jobs', () => {
    it.each(ends)('a %s job is overdue at its %s, not before, and ends by it', async (phase, _, fields, end) => {
      const { store } = await setup()
      const id = await (phases[phase] as Make)(store, fields)
      expect(await overdueAt(store, 4_999)).toEqual([])
      expect(await verify(store)).toEqual([])
      expect(await overdueAt(store, 5_000)).toEqual([id])
      const [early] = await store.apply([elapse(id)], { now: 4_999 })
      expect(early).toMatchObject({ ok: true, events: [] })
      const [result] = await store.apply([elapse(id)], { now: 5_000 })
      expect(applied(result).job).toMatchObject({ state: 'final', ...end })
      expect(await overdueAt(store, 5_000)).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('an attempt that runs too long ends, and the next has its own time', async () => {
      const { store } = await setup()
      const { job } = await started(store, { timeoutMs: 100, retry: { baseMs: 0 } })
      expect(await overdueAt(store, 1_099)).toEqual([])
      expect(await overdueAt(store, 1_100)).toEqual([job.id])
      const [result] = await store.apply([elapse(job.id)], { now: 1_100 })
      expect(applied(result).job).toMatchObject({ state: 'error', charged: 1, error: 'Attempt 1 ran out of time.' })
      expect(await overdueAt(store, 9_999)).toEqual([])
      await claimOne(store, { token: 't2', now: 2_000 })
      expect(await overdueAt(store, 2_099)).toEqual([])
      expect(await overdueAt(store, 2_100)).toEqual([job.id])
      expect(await verify(store)).toEqual([])
    })

    it('an attempt that awaits has until `until`, not the timeout of a running one', async () => {
      const { store } = await setup()
      const running = await started(store, { timeoutMs: 100, retry: { baseMs: 0 } })
      await store.apply([finish(running, { kind: 'suspended', awaits: null, until: 3_000 })], { now: 1_050 })
      expect(await overdueAt(store, 2_999)).toEqual([])
      expect(await overdueAt(store, 3_000)).toEqual([running.job.id])
      const [result] = await store.apply([elapse(running.job.id)], { now: 3_000 })
      expect(applied(result).job).toMatchObject({ state: 'error', charged: 1 })
      expect(await store.runs(running.job.id)).toMatchObject([{ reason: 'timeout' }])
      expect(await verify(store)).toEqual([])
    })

    it('an expiry counts no more once the first attempt has begun, with or without other deadlines', async () => {
      const { store } = await setup()
      const alone = await started(store, { expiresAt: 2_000 })
      const timed = await started(store, { expiresAt: 2_000, timeoutMs: 5_000 })
      const late = await started(store, { expiresAt: 2_000, deadlineAt: 7_000, retry: { baseMs: 0 } })
      expect(await verify(store)).toEqual([])
      expect(await overdueAt(store, 5_999)).toEqual([])
      await store.apply([failure(late), completion(alone), { job: timed, command: back }], { now: 1_500 })
      expect(await verify(store)).toEqual([])
      expect(await overdueAt(store, 6_999)).toEqual([])
      expect(await overdueAt(store, 7_000)).toEqual([late.job.id])
    })

    it('come in the order of their instants, page by page, past those that stay', async () => {
      const { store } = await setup()
      const jobs = await Promise.all(times(7, (i) => submitMany(store, 3, { deadlineAt: 9_000 - i * 1_000 })))
      const expected = [...jobs].reverse().flatMap((batch) => idsOf(batch))
      const found: string[] = []
      let after: DeadlineKey | null = null
      do {
        const page = await store.overdue({ after, limit: 2, now: 9_000 })
        expect(page.jobIds.length).toBeLessThanOrEqual(2)
        found.push(...page.jobIds)
        after = page.next
      } while (after !== null)
      expect(found).toHaveLength(expected.length)
      expect(new Set(found)).toEqual(new Set(expected))
      for (const [i, id] of found.entries()) expect(Math.floor(expected.indexOf(id) / 3)).toBe(Math.floor(i / 3))
    })

    it('are all brought to an end by many who look at the same time, each once', async () => {
      const { store, open } = await setup()
      const other = await open()
      const jobs = await submitMany(store, 30, { deadlineAt: 5_000 })
      const sweep = async (sweeper: Store) => {
        const { jobIds } = await sweeper.overdue({ after: null, limit: 100, now: 5_000 })
        return (await sweeper.apply(jobIds.map(elapse), { now: 5_000 })).map(codeOf)
      }
      const codes = (await Promise.all([sweep(store), sweep(other), sweep(store)])).flat()
      expect(new Set(codes)).toEqual(new Set(['ok']))
      const runs = await Promise.all(jobs.map(({ job }) => store.runs(job.id)))
      expect(runs.map(({ length }) => length)).toEqual(jobs.map(() => 1))
      expect(await overdueAt(store, 5_000)).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it.each([
      ['that is missing', 'delete from deadlines'],
      ['of another instant', 'update deadlines set at = at + 1'],
    ])('verify reports a deadline %s', async (_, sql) => {
      const { store, raw } = await setup()
      const { job } = await submitOne(store, { deadlineAt: 5_000 })
      await raw(sql)
      expect(await verify(store)).toMatchObject([{ jobId: job.id, field: 'deadline', derived: [5_000] }])
    })

    it('verify reports the deadline of a job that has none', async () => {
      const { store, raw } = await setup()
      const { job } = await submitOne(store)
      await raw('insert into deadlines (job, at) select pk, 7 from jobs')
      expect(await verify(store)).toMatchObject([{ jobId: job.id, field: 'deadline', stored: [7], derived: [] }])
    })
  })
}

const back = { type: 'giveBack', token: 't1' } as const
