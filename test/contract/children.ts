import { describe, expect, it } from 'vitest'
import type { ApplyRequest, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel, followUpAll, parentOf, reread, runningParent, submitChildren } from '../support/children.ts'
import { applied, codeOf, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { claimOf, claimOne, completion, failure, finish } from '../support/requests.ts'

const parents = { types: ['parent'], token: 'next' } as const

/** Every way for an attempt to end without completing, and what its job does after. */
const failing: readonly (readonly [
  how: string,
  end: (job: StoredJob) => readonly ApplyRequest[],
  after: 'pending' | 'final',
])[] = [
  ['failed', (job) => [failure(job)], 'pending'],
  ['failed for good', (job) => [failure(job, 'boom', { terminal: true })], 'final'],
  ['timed out', ({ job }) => [{ job: job.id, command: { type: 'elapse', random: 0 } }], 'pending'],
  ['was lost', ({ job }) => [{ job: job.id, command: lost(job.token) }], 'pending'],
  ['was given back', (job) => [{ job, command: { type: 'giveBack', token: job.job.token ?? '' } }], 'pending'],
  ['was cancelled', (job) => [cancel(job), finish(job, { kind: 'cancelled' })], 'final'],
  ['stopped unasked', (job) => [finish(job, { kind: 'cancelled' })], 'pending'],
  ['was asked to stop and snoozed', (job) => [cancel(job), finish(job, snooze)], 'final'],
  ['snoozed too often', (job) => [finish(job, snooze)], 'pending'],
  ['awaited and was cancelled', (job) => [finish(job, suspended), cancel(job.job.id)], 'final'],
  ['awaited and was answered with a failure', (job) => [finish(job, suspended), failedAnswer(job)], 'pending'],
]

const snooze = { kind: 'snoozed', delayMs: 0, random: 0 } as const
const suspended = { kind: 'suspended', awaits: null, until: null } as const
const lost = (token: string | null) => ({ type: 'lose', token: token ?? '', random: 0, alone: false }) as const

function failedAnswer({ job }: StoredJob): ApplyRequest {
  return {
    job: job.id,
    command: { type: 'answer', answer: { kind: 'failed', error: 'no', terminal: false, random: 0 } },
  }
}

export function childrenContract(setup: Setup): void {
  describe('jobs of an attempt', () => {
    it.each(failing)('are cancelled when it %s', async (_, end, after) => {
      const { store } = await setup()
      const fields = { timeoutMs: 1_000, retry: { baseMs: 0, maxSnoozes: 0 } }
      const parent = await runningParent(store, fields)
      const others = [await submitOne(store, { type: 'other' })]
      const [runs] = await submitChildren(store, parent, 1, { type: 'running' })
      const running = await claimOne(store, { types: ['running'], token: 'child' })
      const waiting = await submitChildren(store, parent, 3)
      const later = Date.now() + 10_000
      const results = await store.apply(end(parent), { now: later })
      expect(results.map(codeOf)).toEqual(results.map(() => 'ok'))
      const [ended] = await reread(store, [parent])
      expect(ended?.job.phase).toBe(after)
      expect(await verify(store)).toEqual([])
      expect(await store.claim(claimOf({ ...parents, now: later }))).toEqual([])

      expect(await followUpAll(store)).toBe(1)
      for (const { job } of await reread(store, waiting)) expect(job).toMatchObject({ phase: 'final', cancelled: true })
      expect((await reread(store, [running]))[0]?.job).toMatchObject({ id: runs?.job.id, phase: 'running' })
      expect(await store.held('w1')).toMatchObject([{ jobId: running.job.id, cancelAsked: true }])
      expect(await reread(store, others)).toEqual(others)
      expect(await store.claim(claimOf({ ...parents, now: later }))).toEqual([])
      expect(await verify(store)).toEqual([])

      await store.apply([finish(running, { kind: 'cancelled' })], { now: later })
      const next = await store.claim(claimOf({ ...parents, now: later }))
      expect(next.map(({ job }) => [job.id, job.attempt])).toEqual(after === 'final' ? [] : [[parent.job.id, 2]])
      expect(await followUpAll(store)).toBe(0)
      expect(await verify(store)).toEqual([])
    })

    it.each([
      ['completes', (job: StoredJob) => [completion(job)]],
      ['snoozes', (job: StoredJob) => [finish(job, snooze)]],
      ['begins to wait', (job: StoredJob) => [finish(job, suspended)]],
      ['is asked to stop', (job: StoredJob) => [cancel(job)]],
    ])('go on when it %s', async (_, end) => {
      const { store } = await setup()
      const parent = await runningParent(store)
      const children = await submitChildren(store, parent, 2)
      expect((await store.apply(end(parent))).map(codeOf)).toEqual(['ok'])
      expect(await followUpAll(store)).toBe(0)
      expect(await reread(store, children)).toEqual(children)
      expect(await verify(store)).toEqual([])
    })

    it('are cancelled when an event fails the attempt that awaits it', async () => {
      const { store } = await setup()
      const paid = { eventType: 'paid', match: {}, times: 1, taskId: null }
      const parent = await runningParent(store, { awaits: { events: [paid], failOn: ['refused'] } })
      const children = await submitChildren(store, parent, 2)
      await store.apply([finish(parent, suspended)])
      await store.append([{ namespace: 'test', source: 's', id: '1', type: 'refused', jobId: parent.job.id }])
      expect((await reread(store, [parent]))[0]?.job).toMatchObject({ phase: 'final', outcome: 'FAILED' })
      await followUpAll(store)
      for (const { job } of await reread(store, children)) expect(job).toMatchObject({ cancelled: true })
      expect(await verify(store)).toEqual([])
    })

    it('that snoozed are cancelled when a later attempt fails', async () => {
      const { store } = await setup()
      const parent = await runningParent(store)
      const early = await submitChildren(store, parent, 2)
      await store.apply([finish(parent, snooze)])
      const second = await claimOne(store, { ...parents, now: Date.now() + 1_000 })
      const late = await submitChildren(store, second, 1)
      await store.apply([failure(second)])
      await followUpAll(store)
      for (const { job } of await reread(store, [...early, ...late])) expect(job).toMatchObject({ cancelled: true })
      const third = await claimOne(store, { ...parents, token: 'third', now: Date.now() + 1_000 })
      expect(third.job).toMatchObject({ id: parent.job.id, attempt: 3 })
      expect(await verify(store)).toEqual([])
    })

    it.each([
      ['cancelled', (id: string) => cancel(id)],
      ['out of time', (job: string): ApplyRequest => ({ job, command: { type: 'elapse', random: 0 } })],
    ])('that snoozed are cancelled when the job is %s before its next attempt', async (_, end) => {
      const { store } = await setup()
      const deadlineAt = Date.now() + 60_000
      const parent = await runningParent(store, { deadlineAt })
      const children = await submitChildren(store, parent, 2)
      await store.apply([finish(parent, snooze)])
      const [result] = await store.apply([end(parent.job.id)], { now: deadlineAt })
      expect(applied(result).job.phase).toBe('final')
      await followUpAll(store)
      for (const { job } of await reread(store, children)) expect(job).toMatchObject({ cancelled: true })
      expect(await verify(store)).toEqual([])
    })

    it('take their own jobs with them', async () => {
      const { store } = await setup()
      const parent = await runningParent(store)
      await submitChildren(store, parent, 1, { type: 'child' })
      const child = await claimOne(store, { types: ['child'], token: 'child' })
      const grandchildren = await submitChildren(store, child, 2)
      await store.apply([failure(parent)])
      await followUpAll(store)
      expect(await reread(store, grandchildren)).toEqual(grandchildren)
      await store.apply([finish(child, { kind: 'cancelled' })])
      expect(await store.claim(claimOf({ ...parents, now: Date.now() + 1_000 }))).toHaveLength(1)
      await followUpAll(store)
      for (const { job } of await reread(store, grandchildren)) expect(job).toMatchObject({ cancelled: true })
      expect(await verify(store)).toEqual([])
    })

    it('that have all ended hold nobody up', async () => {
      const { store } = await setup()
      const parent = await runningParent(store)
      await submitChildren(store, parent, 2)
      await store.apply((await store.claim(claimOf())).map((job) => completion(job)))
      const [result] = await store.apply([failure(parent)])
      expect(applied(result).job.phase).toBe('queued')
      expect(await followUpAll(store)).toBe(0)
      expect(await verify(store)).toEqual([])
    })

    it('may end between the failure and its follow-up', async () => {
      const { store } = await setup()
      const parent = await runningParent(store)
      await submitChildren(store, parent, 3)
      const running = await store.claim(claimOf())
      await store.apply([failure(parent)])
      await store.apply(running.map((job) => completion(job)))
      expect((await reread(store, [parent]))[0]?.job.phase).toBe('pending')
      expect(await followUpAll(store)).toBe(1)
      for (const { job } of await reread(store, running)) expect(job.outcome).toBe('COMPLETED')
      expect(await store.claim(claimOf({ ...parents, now: Date.now() + 1_000 }))).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })

    it('are refused with the token of an attempt that is over, and nothing is stored', async () => {
      const { store, raw } = await setup()
      const parent = await runningParent(store)
      await store.apply([failure(parent)])
      await store.claim(claimOf({ ...parents, now: Date.now() + 1_000 }))
      const unknown = { jobId: newId(), token: 'x' }
      const given = [parentOf(parent), { ...parentOf(parent), token: 'other' }, unknown].map((from) => {
        return submission({ parent: from })
      })
      const free = submission()
      const results = await store.submit([...given, free])
      expect(results.map(codeOf)).toEqual(['stale_token', 'stale_token', 'stale_token', 'created'])
      expect(await store.find(given.map(({ id }) => ({ id })))).toEqual([null, null, null])
      expect(await raw('select 1 from jobs')).toHaveLength(2)
      expect(await verify(store)).toEqual([])
    })

    it('are refused to an attempt that waits, for nobody is there to submit them', async () => {
      const { store } = await setup()
      const parent = await runningParent(store)
      await store.apply([finish(parent, suspended)])
      expect((await store.submit([submission({ parent: parentOf(parent) })])).map(codeOf)).toEqual(['stale_token'])
    })
  })
}
