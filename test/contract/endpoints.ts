import { describe, expect, it } from 'vitest'
import { defaultRetry, defaultSlicePolicy } from '../../src/core/job/job.ts'
import type { ApplyRequest, Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel } from '../support/children.ts'
import { applied, newId, type Setup, submitOne } from '../support/fixture.ts'
import { at, openStores, times } from '../support/racing.ts'
import { claimOf, claimOne, codeOf, completion, failure, finish } from '../support/requests.ts'
import { day, pruneAll } from '../support/retention.ts'

const url = 'http://10.0.0.7:9000'

/** A job whose first attempt runs. The next is due at once. */
async function running(store: Store, token: string, fields: Partial<Submission> = {}): Promise<StoredJob> {
  const type = `of-${token}`
  await submitOne(store, { type, retry: { baseMs: 0 }, ...fields })
  return await claimOne(store, { types: [type], token, suspectLimit: 1 })
}

async function nextAttempt(store: Store, { job }: StoredJob, token: string): Promise<StoredJob> {
  return await claimOne(store, { types: [job.type], token, now: Date.now() + 60_000, suspectLimit: 1 })
}

function register(store: Store, { job }: StoredJob, name: string, to = url, token = job.token ?? ''): Promise<null> {
  return store.control('endpoint.register', { job: job.id, token, name, url: to })
}

async function resolve(store: Store, name: string, namespace = 'test'): Promise<string | null> {
  return (await store.control('endpoint.resolve', { namespace, name }))?.url ?? null
}

async function namesIn(store: Store, namespace = 'test'): Promise<readonly string[]> {
  const { items } = await store.control('endpoint.list', { namespace, limit: 100 })
  return items.map(({ name }) => name)
}

const command = (job: StoredJob, given: ApplyRequest['command']): ApplyRequest => ({ job, command: given })

/** All that ends an attempt. */
const ends: Readonly<Record<string, (store: Store, job: StoredJob) => Promise<unknown>>> = {
  completes: (store, job) => store.complete([{ job, result: '1' }]),
  'completes by a command': (store, job) => store.apply([completion(job, '1')]),
  fails: (store, job) => store.apply([failure(job)]),
  'fails for good': (store, job) => store.apply([failure(job, 'no', { terminal: true })]),
  snoozes: (store, job) => store.apply([finish(job, { kind: 'snoozed', delayMs: 0, random: 0 })]),
  'is given back': (store, job) => store.apply([command(job, { type: 'giveBack', token: job.job.token ?? '' })]),
  'is lost': (store, job) => {
    return store.apply([command(job, { type: 'lose', token: job.job.token ?? '', random: 0, alone: true })])
  },
  'is cancelled': async (store, job) => {
    applied((await store.apply([cancel(job)]))[0])
    // Its handler is told, and is there until it has ended.
    expect(await resolve(store, 'trainer')).toBe(url)
    return await store.apply([{ ...finish(job, { kind: 'cancelled' }), job: job.job.id }])
  },
}

export function endpointsContract(setup: Setup): void {
  describe('an endpoint', () => {
    it('is found by its name in the namespace of its job, and in no other', async () => {
      const { store } = await setup()
      const job = await running(store, 'a', { name: '/test/deep/trainer' })
      const other = await running(store, 'b', { name: '/other/trainer' })
      expect(await resolve(store, 'trainer')).toBeNull()
      await store.control('endpoint.register', { job: job.job.id, token: 'a', name: 'trainer', url }, { now: 7_000 })
      expect(await store.control('endpoint.resolve', { namespace: 'test', name: 'trainer' })).toEqual({
        ...{ name: 'trainer', url, job: '/test/deep/trainer', registeredAt: 7_000 },
      })
      expect([await resolve(store, 'trainer', 'other'), await namesIn(store, 'other')]).toEqual([null, []])
      // The same name there is another endpoint.
      await register(store, other, 'trainer', 'tcp://other')
      expect([await resolve(store, 'trainer'), await resolve(store, 'trainer', 'other')]).toEqual([url, 'tcp://other'])
      expect(await resolve(store, 'Trainer')).toBeNull()
      expect(await verify(store)).toEqual([])
    })

    it('is listed by name, page by page', async () => {
      const { store } = await setup()
      const job = await running(store, 'a')
      const over = await running(store, 'b')
      for (const name of ['b', 'B', 'C', '~', '10', '9']) await register(store, job, name)
      for (const name of ['a', 'bb', 'z']) await register(store, over, name)
      await store.complete([{ job: over, result: null }])
      const ordered = ['10', '9', 'B', 'C', 'b', '~']
      expect(await namesIn(store)).toEqual(ordered)
      const page = async (after: string | null, limit: number) => {
        const { items, next } = await store.control('endpoint.list', { namespace: 'test', after, limit })
        return [items.map(({ name }) => name), next]
      }
      expect(await page(null, 4)).toEqual([ordered.slice(0, 4), 'C'])
      expect(await page('C', 2)).toEqual([ordered.slice(4), '~'])
      expect(await page('~', 2)).toEqual([[], null])
    })

    it('is replaced by the attempt that has it, and removed by no other', async () => {
      const { store } = await setup()
      const [job, other] = [await running(store, 'a'), await running(store, 'b')]
      const remove = (from: StoredJob, name: string) => {
        return store.control('endpoint.remove', { job: from.job.id, token: from.job.token ?? '', name })
      }
      await register(store, job, 'x')
      await register(store, job, 'x', 'http://10.0.0.8')
      expect([await resolve(store, 'x'), await namesIn(store)]).toEqual(['http://10.0.0.8', ['x']])
      expect([await remove(other, 'x'), await remove(job, 'y')]).toEqual([false, false])
      expect(await resolve(store, 'x')).toBe('http://10.0.0.8')
      expect([await remove(job, 'x'), await remove(job, 'x'), await resolve(store, 'x')]).toEqual([true, false, null])
      await register(store, other, 'x')
      expect(await resolve(store, 'x')).toBe(url)
    })

    it.each(Object.keys(ends))('is gone when its attempt %s, and the name is free', async (how) => {
      const { store } = await setup()
      const job = await running(store, 'a')
      await register(store, job, 'trainer')
      await register(store, job, 'also')
      await ends[how]?.(store, job)
      expect([await resolve(store, 'trainer'), await namesIn(store)]).toEqual([null, []])
      const [stored] = await store.find([{ id: job.job.id }])
      if (stored?.job.state !== 'final') {
        const next = await nextAttempt(store, job, 'a2')
        // What the attempt before had is not the next one's.
        expect(await resolve(store, 'trainer')).toBeNull()
        expect(await codeOf(register(store, next, 'trainer', url, 'a'))).toBe('stale_token')
        await register(store, next, 'trainer', 'http://again')
        expect([await resolve(store, 'trainer'), await namesIn(store)]).toEqual(['http://again', ['trainer']])
        await store.complete([{ job: next, result: null }])
      }
      await register(store, await running(store, 'b'), 'trainer', 'http://other')
      expect([await resolve(store, 'trainer'), await namesIn(store)]).toEqual(['http://other', ['trainer']])
      expect(await verify(store)).toEqual([])
    })

    it('stays while its attempt awaits something, and is gone when that has come', async () => {
      const { store } = await setup()
      const [job, other] = [await running(store, 'a'), await running(store, 'b')]
      await register(store, job, 'trainer')
      applied((await store.apply([finish(job, { kind: 'suspended', awaits: null, until: null })]))[0])
      expect([await resolve(store, 'trainer'), await namesIn(store)]).toEqual([url, ['trainer']])
      expect(await codeOf(register(store, other, 'trainer'))).toBe('endpoint_taken')
      // Nobody holds the job, so nobody can register for it.
      expect(await codeOf(register(store, job, 'more'))).toBe('stale_token')
      const answer = { type: 'answer', answer: { kind: 'completed', resultDigest: null } } as const
      applied((await store.apply([{ job: job.job.id, command: answer, result: null }]))[0])
      expect(await resolve(store, 'trainer')).toBeNull()
      await register(store, other, 'trainer')
    })

    it('of a slice ends with the slice, though the attempt at the task goes on', async () => {
      const { store } = await setup()
      const whole = await running(store, 'plan')
      await register(store, whole, 'whole')
      const spec = { width: 1, tolerate: 0, retry: defaultRetry, slice: defaultSlicePolicy, timeoutMs: null }
      const page = { job: whole.job.id, token: 'plan' }
      await store.control('shard.plan', { ...page, spec, shards: [{ idx: 0, state: '0' }] })
      applied((await store.apply([finish(whole, { kind: 'planned', shards: 1 })]))[0])
      const task = await claimOne(store, { types: [whole.job.type], token: 's1' })
      await register(store, task, 'part')
      expect(await namesIn(store)).toEqual(['part', 'whole'])
      const sliced = { seq: 1, stateDigest: null, progress: null, position: 0, random: 0 } as const
      applied((await store.apply([finish(task, { kind: 'sliced', ...sliced }, 's1', '1')]))[0])
      expect(await namesIn(store)).toEqual(['whole'])
      const last = await claimOne(store, { types: [whole.job.type], token: 's2' })
      expect(await resolve(store, 'part')).toBeNull()
      applied((await store.apply([completion(last, '2')]))[0])
      // The job waits for a worker to go on with it: who registered it is not there any more.
      expect(await namesIn(store)).toEqual([])
    })

    it('that a live attempt has is refused to others, with its code and who has it', async () => {
      const { store } = await setup()
      const [job, other] = [await running(store, 'a', { name: '/test/first' }), await running(store, 'b')]
      await register(store, job, 'trainer')
      await expect(register(store, other, 'trainer', 'http://other')).rejects.toMatchObject({
        code: 'endpoint_taken',
        details: { namespace: 'test', name: 'trainer', job: '/test/first' },
      })
      expect(await resolve(store, 'trainer')).toBe(url)
    })

    it('is registered and removed by the attempt that holds the job only', async () => {
      const { store } = await setup()
      const job = await running(store, 'a')
      const queued = await submitOne(store)
      await register(store, job, 'mine')
      const remove = (token: string) => store.control('endpoint.remove', { job: job.job.id, token, name: 'mine' })
      for (const [given, token, code] of [
        [job, 'other', 'stale_token'],
        [queued, 'a', 'stale_token'],
        [{ ...job, job: { ...job.job, id: newId() } }, 'a', 'not_found'],
      ] as const) {
        expect(await codeOf(register(store, given, 'x', url, token))).toBe(code)
      }
      expect(await codeOf(remove('other'))).toBe('stale_token')
      expect(await namesIn(store)).toEqual(['mine'])
    })

    it('has a name and an address that both stores can keep, or is refused', async () => {
      const { store } = await setup()
      const job = await running(store, 'a')
      const longest = `http://${'x'.repeat(2_041)}`
      await register(store, job, 'A-z_0.9~'.padEnd(128, '-'), longest)
      expect(await namesIn(store)).toEqual(['A-z_0.9~'.padEnd(128, '-')])
      for (const name of ['', 'a b', 'a/b', 'a:b', 'ä', 'a\n', '\0', 'a'.repeat(129), 7, null, undefined]) {
        const refused = { code: 'invalid_argument', details: { field: 'name' } }
        const nul = { code: 'invalid_json', details: { field: 'name' } }
        const wanted = name === '\0' ? nul : refused
        await expect(register(store, job, name as string), String(name)).rejects.toMatchObject(wanted)
        const find = store.control('endpoint.resolve', { namespace: 'test', name: name as string })
        await expect(find, String(name)).rejects.toMatchObject(wanted)
      }
      for (const to of ['', '10.0.0.7:9000', 'trainer', 'http://', `${longest}x`, 7, null]) {
        const refused = { code: 'invalid_argument', details: { field: 'url' } }
        await expect(register(store, job, 'x', to as string), String(to)).rejects.toMatchObject(refused)
      }
      expect(await codeOf(register(store, job, 'x', 'http://a/\0'))).toBe('invalid_json')
      for (const wrong of [{ namespace: '/' }, { namespace: 7 }, { limit: 0 }, { after: 'a b' }]) {
        const input = { namespace: 'test', limit: 1, ...wrong }
        expect(await codeOf(store.control('endpoint.list', input as never))).toBe('invalid_argument')
      }
      expect(await namesIn(store)).toHaveLength(1)
    })

    it('leaves nothing behind when its job has left', async () => {
      const { store, raw } = await setup()
      const [job, other] = [await running(store, 'a'), await running(store, 'b')]
      for (const name of ['x', 'y']) await register(store, job, name)
      await register(store, other, 'z')
      await store.complete([{ job, result: null }])
      expect(await raw('select 1 from endpoints')).toHaveLength(3)
      // The other has taken over one of the names: that row is not the job's any more.
      await register(store, other, 'y')
      expect(await pruneAll(store, Date.now() + 31 * day)).toBe(1)
      expect(await raw('select 1 from endpoints')).toHaveLength(2)
      expect(await namesIn(store)).toEqual(['y', 'z'])
    })
  })

  describe('attempts that want one endpoint at the same time', () => {
    it.each(['is new', 'was left by one that is over'])('leave it to one of them: it %s', async (before) => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      for (const round of times(8, (i) => i)) {
        if (before !== 'is new') {
          const old = await running(fixture.store, `old${round}`)
          await register(fixture.store, old, `n${round}`)
          await fixture.store.complete([{ job: old, result: null }])
        }
        for (const _ of times(8, () => 0)) await submitOne(fixture.store)
        const jobs = await fixture.store.claim(claimOf({ token: `r${round}` }))
        const codes = await Promise.all(
          jobs.map((job, i) => codeOf(register(at(stores, i), job, `n${round}`, `http://${job.job.id}`))),
        )
        expect(codes.filter((code) => code === null)).toHaveLength(1)
        expect(codes.filter((code) => code === 'endpoint_taken')).toHaveLength(7)
        const winner = jobs[codes.indexOf(null)]
        expect(await resolve(fixture.store, `n${round}`)).toBe(`http://${winner?.job.id}`)
      }
    })

    it('as others end have it one after the other, and whoever ended is not found', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      let registered = 0
      const work = async (store: Store, worker: number) => {
        for (const round of times(12, (i) => i)) {
          const job = await running(store, `${worker}-${round}`)
          const address = `http://${job.job.id}`
          const code = await codeOf(register(store, job, 'shared', address))
          expect([null, 'endpoint_taken']).toContain(code)
          if (code === null) {
            registered += 1
            // Nobody takes it away while the attempt is open.
            expect(await resolve(store, 'shared')).toBe(address)
          }
          await store.complete([{ job, result: null }])
          expect(await resolve(store, 'shared')).not.toBe(address)
        }
      }
      await Promise.all(stores.map(work))
      expect(registered).toBeGreaterThan(0)
      expect(await resolve(fixture.store, 'shared')).toBeNull()
    })
  })
}
