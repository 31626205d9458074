import { describe, expect, it } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { runningParent, submitChildren } from '../support/children.ts'
import { type Setup, submission, submitOne } from '../support/fixture.ts'
import { claimOf, claimOne, completion, failure } from '../support/requests.ts'

/** Every kind of difference, planted behind the store's back. */
const plants: readonly (readonly [what: string, sql: string, fields: readonly string[]])[] = [
  ['a changed state', 'update jobs set state = 2, phase = 3 where pk = 1', ['state', 'phase']],
  ['a changed attempt', 'update jobs set attempt = 7 where pk = 1', ['attempt']],
  ['a changed error', `update jobs set error = 'other' where pk = 1`, ['error']],
  ['changed params', `update jobs set params = '{"a":2}' where pk = 1`, ['params']],
  ['a changed result', `update jobs set result = '2' where pk = 1`, ['result']],
  ['a changed time', 'update jobs set finished_at = finished_at + 1 where pk = 1', ['finishedAt']],
  ['a name that was not given free', 'update jobs set released = 0 where pk = 1', ['released']],
  ['a run that is missing', 'delete from runs where job = 1', ['runs']],
  ['a version that skips an event', 'update jobs set version = 9 where pk = 1', ['version']],
  ['a queued job without a seat', 'delete from ready where job = 2', ['seat']],
  ['a seat of an older revision', 'update ready set revision = 0 where job = 2', ['seat', 'seat']],
  [
    'a second seat',
    'insert into ready (lane, priority, position, job, revision, namespace) select lane + 1, priority, position, job, revision, namespace from ready where job = 2',
    ['seat'],
  ],
  [
    'a seat of a job that is over',
    `insert into ready (lane, priority, position, job, revision, namespace) values (2, 0, 100, 1, 9, 'test')`,
    ['seat', 'seat'],
  ],
  ['a seat of another namespace', `update ready set namespace = 'other' where job = 2`, ['seat']],
  ['a running job without its claim', 'delete from claims where job = 3', ['seat']],
  [
    'a claim of no job',
    `insert into claims (job, revision, started_at, token, worker_id) values (99, 1, 1, 't', 'w')`,
    ['seat'],
  ],
]

export function verifyContract(setup: Setup): void {
  describe('verify', () => {
    async function prepared() {
      const fixture = await setup()
      const { store } = fixture
      await submitOne(store, { name: '/test/one', params: '{"a":1}' }, 1_000)
      await store.apply([failure(await claimOne(store, { now: 1_000 }))], { now: 1_000 })
      await store.apply([completion(await claimOne(store, { token: 't2', now: 1_000 }), '1')], { now: 1_100 })
      await store.submit([submission({ name: '/test/two' }), submission({ name: '/test/three' })], { now: 1_000 })
      const [two, three] = await store.claim(claimOf({ now: 2_000 }))
      if (two === undefined || three === undefined) throw new Error('Two jobs were expected.')
      await store.apply([{ job: two, command: { type: 'giveBack', token: 't1' } }], { now: 2_000 })
      // An open attempt whose job was written since: the row knows its claim.
      await store.apply([{ job: three, command: { type: 'cancel', reason: 'test' } }], { now: 2_000 })
      return fixture
    }

    it('finds nothing when nothing is wrong', async () => {
      const { store } = await prepared()
      expect(await verify(store)).toEqual([])
    })

    it.each(plants)('reports %s', async (_, sql, fields) => {
      const { store, raw } = await prepared()
      await raw(sql)
      const differences = await verify(store)
      expect(differences.map(({ field }) => field)).toEqual(expect.arrayContaining([...fields]))
      expect(differences.length).toBeGreaterThan(0)
      expect(differences.every(({ jobId }) => jobId === null || jobId.length === 36)).toBe(true)
    })

    it('reports a pending job that waits for nothing, or for what is over', async () => {
      const { store, raw } = await setup()
      await submitOne(store, { name: '/test/a' })
      await claimOne(store)
      await submitOne(store, { name: '/test/a', onConflict: 'replace' })
      expect(await verify(store)).toEqual([])
      await raw('update waits set on_job = 77')
      expect(await verify(store)).toMatchObject([{ field: 'waits', stored: false, derived: true }])
      await raw('delete from waits')
      expect(await verify(store)).toMatchObject([{ field: 'waits' }])
    })

    it('reports a job that waits for a follow-up which is not there', async () => {
      const { store, raw } = await setup()
      const parent = await runningParent(store)
      await submitChildren(store, parent, 1)
      await store.apply([failure(parent)])
      expect(await verify(store)).toEqual([])
      await raw('delete from follow_ups')
      expect(await verify(store)).toMatchObject([{ field: 'waits', stored: false, derived: true }])
    })

    it('goes through more jobs than fit on one page', async () => {
      const { store, raw } = await setup()
      await store.submit(Array.from({ length: 1_203 }, () => submission()))
      expect(await verify(store)).toEqual([])
      await raw('update jobs set charged = 2 where pk in (1, 700, 1203)')
      expect((await verify(store)).map(({ field }) => field)).toEqual(['charged', 'charged', 'charged'])
    })
  })
}
