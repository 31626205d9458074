import { describe, expect, it } from 'vitest'
import type { OnFailure } from '../../src/core/job/job.ts'
import type { ApplyRequest, Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel } from '../support/children.ts'
import { applied, codeOf, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { at, openStores, times } from '../support/racing.ts'
import { claimOf, claimOne, completion, failure, finish } from '../support/requests.ts'

function alert(fields: Partial<OnFailure> = {}): OnFailure {
  return { id: newId(), name: `/alerts/${newId()}`, type: 'never-seen', params: '{"to":"ops"}', ...fields }
}

async function started(store: Store, onFailure: OnFailure, fields: Partial<Submission> = {}): Promise<StoredJob> {
  await submitOne(store, { onFailure, retry: { maxAttempts: 1 }, ...fields }, 1_000)
  return await claimOne(store, { now: 1_000 })
}

const elapse = (job: string): ApplyRequest => ({ job, command: { type: 'elapse', random: 0 } })
const waiting = { events: [{ eventType: 'paid', match: {}, times: 1, taskId: null }], failOn: ['refused'] }

type End = (store: Store, job: StoredJob) => Promise<unknown>
type Way = readonly [how: string, fields: Partial<Submission>, end: End]

const failures: readonly Way[] = [
  ['with its last attempt', {}, (store, job) => store.apply([failure(job)])],
  ['terminally', { retry: {} }, (store, job) => store.apply([failure(job, 'boom', { terminal: true })])],
  ['by a timeout', { timeoutMs: 10 }, (store, { job }) => store.apply([elapse(job.id)], { now: 2_000 })],
  ['by its deadline', { deadlineAt: 2_000 }, (store, { job }) => store.apply([elapse(job.id)], { now: 2_000 })],
  [
    'by its deadline between attempts',
    { deadlineAt: 2_000, retry: {} },
    async (store, job) => {
      await store.apply([failure(job, 'boom')], { now: 1_000 })
      await store.apply([elapse(job.job.id)], { now: 2_000 })
    },
  ],
  [
    'lost with its worker',
    {},
    (store, { job }) => store.apply([{ job: job.id, command: { type: 'lose', token: 't1', random: 0, alone: true } }]),
  ],
  [
    'by an event',
    { awaits: waiting },
    async (store, job) => {
      await store.apply([finish(job, { kind: 'suspended', awaits: null, until: null })])
      await store.append([{ namespace: 'test', source: 's', id: '1', type: 'refused', jobId: job.job.id }])
    },
  ],
  [
    'by an answer',
    {},
    (store, { job }) => {
      const answer = { kind: 'failed', error: 'no', terminal: true, random: 0 } as const
      return store.apply([{ job: job.id, command: { type: 'answer', answer } }])
    },
  ],
]

const others: readonly Way[] = [
  ['completed', {}, (store, job) => store.apply([completion(job)])],
  ['is tried again', { retry: {} }, (store, job) => store.apply([failure(job)])],
  ['was cancelled', {}, (store, job) => store.apply([cancel(job), finish(job, { kind: 'cancelled' })])],
  ['was cancelled between attempts', { retry: {} }, (store, job) => store.apply([failure(job), cancel(job.job.id)])],
]

export function onFailureContract(setup: Setup): void {
  describe('the job that follows a failure', () => {
    it.each(failures)('is submitted when its job failed for good %s', async (_, fields, end) => {
      const { store } = await setup()
      const following = alert()
      const { job } = await started(store, following, fields)
      expect(await store.find([{ id: following.id }])).toEqual([null])
      await end(store, (await store.find([{ id: job.id }]))[0] as StoredJob)
      const [failed, made] = await store.find([{ id: job.id }, { id: following.id }])
      expect(failed?.job).toMatchObject({ state: 'final', outcome: 'FAILED' })
      expect(made?.job).toMatchObject({ name: following.name, type: 'never-seen', phase: 'queued', onFailure: null })
      if (!failed) throw new Error('The job is gone.')
      const { id, name, type, attempt, error } = failed.job
      expect(JSON.parse(made?.params ?? '')).toEqual({ to: 'ops', failed: { jobId: id, name, type, attempt, error } })
      const { entries } = await store.events({ jobId: following.id, limit: 10 })
      expect(entries[0]).toMatchObject({ cause: `${id}.${failed.job.version}` })
      expect(await verify(store)).toEqual([])
      expect(await claimOne(store, { types: ['never-seen'], token: 't2' })).toMatchObject({ job: { id: following.id } })
    })

    it.each(others)('is not submitted when its job %s', async (_, fields, end) => {
      const { store } = await setup()
      const following = alert()
      const job = await started(store, following, fields)
      await end(store, job)
      expect(await store.find([{ id: following.id }])).toEqual([null])
      expect(await verify(store)).toEqual([])
    })

    it('is not submitted when its job never started', async () => {
      const { store } = await setup()
      const given = [alert(), alert(), alert()]
      const jobs = await store.submit(
        given.map((onFailure) => submission({ onFailure, expiresAt: 2_000 })),
        { now: 1_000 },
      )
      const [a, b, c] = jobs.map((result) => ('stored' in result ? result.stored.job.id : ''))
      const results = await store.apply(
        [elapse(a ?? ''), cancel(b ?? ''), { job: c ?? '', command: { type: 'skip', reason: 'x', cancelled: false } }],
        { now: 2_000 },
      )
      expect(results.map((result) => applied(result).job.phase)).toEqual(['final', 'final', 'final'])
      expect(await store.find(given.map(({ id }) => ({ id })))).toEqual([null, null, null])
    })

    it('is submitted once, however often the failure is told', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      const following = alert()
      const job = await started(fixture.store, following)
      const answers = await Promise.all(times(9, (i) => at(stores, i).apply([failure(job, 'boom')])))
      expect(new Set(answers.flat().map(codeOf))).toEqual(new Set(['ok']))
      expect(await fixture.raw('select 1 from jobs')).toHaveLength(2)
      await fixture.store.apply([completion(await claimOne(fixture.store, { types: ['never-seen'], token: 't2' }))])
      expect((await fixture.store.apply([failure(job, 'boom')])).map(codeOf)).toEqual(['ok'])
      expect(await fixture.raw('select 1 from jobs')).toHaveLength(2)
      expect(await verify(fixture.store)).toEqual([])
    })

    it('stays the first one while that has the name, and the job that fails still ends', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      const name = '/alerts/one'
      const given = times(12, () => alert({ name }))
      await fixture.store.submit(given.map((onFailure) => submission({ onFailure, retry: { maxAttempts: 1 } })))
      const running = await fixture.store.claim(claimOf({ limit: 12 }))
      const answers = await Promise.all(running.map((job, i) => at(stores, i).apply([failure(job)])))
      expect(new Set(answers.flat().map((result) => applied(result).job.phase))).toEqual(new Set(['final']))
      const made = await fixture.store.find(given.map(({ id }) => ({ id })))
      expect(made.filter((stored) => stored !== null)).toHaveLength(1)
      expect(await verify(fixture.store)).toEqual([])
    })

    it('is not made when another job has its id, and the job that fails still ends', async () => {
      const { store } = await setup()
      const other = await submitOne(store, { type: 'other' })
      const job = await started(store, alert({ id: other.job.id }))
      expect(applied((await store.apply([failure(job)]))[0]).job.phase).toBe('final')
      expect(await store.find([{ id: other.job.id }])).toEqual([other])
      expect(await verify(store)).toEqual([])
    })

    it('can have any params that its job was accepted with, and any error', async () => {
      const { store } = await setup()
      const texts = [
        ...[null, '{}', ' {"a" : 1}', '{"__proto__":{"x":1}}', '{"failed":"mine"}', '{"e":"\\u00e9\\n\\"\\\\"}'],
        `{"x":"${'x'.repeat(65_000)}"}`,
      ]
      for (const [i, params] of texts.entries()) {
        const following = alert({ params })
        const job = await started(store, following, { name: `/test/p${i}` })
        const error = ['"quoted" \\ \n', '\u0001'.repeat(70_000), '\ud800\0'][i % 3] as string
        expect(applied((await store.apply([failure(job, error)]))[0]).job.phase).toBe('final')
        const [made] = await store.find([{ id: following.id }])
        const { failed, ...given } = JSON.parse(made?.params ?? '')
        expect(failed).toMatchObject({ jobId: job.job.id, name: `/test/p${i}` })
        const { failed: _, ...expected } = JSON.parse(params ?? '{}')
        expect(given).toEqual(expected)
      }
      expect(await verify(store)).toEqual([])
    })

    it.each(['{', '{"a":}', '{} x', '{"a":1,}', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, '[]', 'null', ''])(
      'cannot have params that are no JSON object (%#): its job could never fail',
      async (params) => {
        const { store } = await setup()
        const [result] = await store.submit([submission({ onFailure: alert({ params }) })])
        expect(result).toMatchObject({
          outcome: 'refused',
          error: { message: expect.stringContaining('onFailure.params') },
        })
      },
    )
  })
}
