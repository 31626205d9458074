import { describe, expect, it } from 'vitest'
import type { Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel, followUpAll, reread, runningParent, submitChildren } from '../support/children.ts'
import { accepted, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { allJobs, at, times } from '../support/racing.ts'
import { claimOf, claimOne, codeOf, completion, failure, finish } from '../support/requests.ts'
import { completedJob, day, pruneAll, setRetention } from '../support/retention.ts'

const start = 1_000_000

async function isGone(store: Store, { job }: StoredJob): Promise<boolean> {
  return (await store.find([{ id: job.id }]))[0] === null
}

export function retentionContract(setup: Setup): void {
  policiesContract(setup)
  pruningContract(setup)
  neededContract(setup)
}

function policiesContract(setup: Setup): void {
  describe('retention policies', () => {
    it('are inherited field by field, the nearest path the strongest', async () => {
      const { store } = await setup()
      const at = (path: string) => store.control('retention.get', { path })
      const builtIn = { jobsMs: 30 * day, runsMs: null, eventsMs: null }
      expect(await at('/r/a')).toEqual(builtIn)
      await setRetention(store, '/r', { jobsMs: 5, runsMs: 50 })
      await setRetention(store, '/r/a', { jobsMs: null, eventsMs: 7 })
      expect(await at('/r')).toEqual({ ...builtIn, jobsMs: 5, runsMs: 50 })
      expect(await at('/r/a/b/c')).toEqual({ jobsMs: null, runsMs: 50, eventsMs: 7 })
      expect(await at('/r/ab')).toEqual({ ...builtIn, jobsMs: 5, runsMs: 50 })
      expect(await at('/rr')).toEqual(builtIn)
    })

    it('can be changed, listed and removed, and the log says so', async () => {
      const { store } = await setup()
      await setRetention(store, '/r', { jobsMs: 5 }, 1_000)
      await setRetention(store, '/r', { runsMs: 6 }, 2_000)
      const row = { path: '/r', policy: { runsMs: 6 }, updatedAt: 2_000 }
      expect(await store.control('retention.list', { limit: 10 })).toEqual({ items: [row], next: null })
      expect(await store.control('retention.get', { path: '/r' })).toMatchObject({ jobsMs: 30 * day, runsMs: 6 })
      expect(await store.control('retention.remove', { path: '/r' })).toBe(true)
      expect(await store.control('retention.remove', { path: '/r' })).toBe(false)
      expect(await store.control('retention.list', { limit: 10 })).toEqual({ items: [], next: null })
      const told = async () => {
        const { entries } = await store.events({ limit: 10 })
        return entries.map(({ eventType, attributes }) => [eventType, attributes['path'], attributes['policy']])
      }
      // On PostgreSQL the newest events are seen when all transactions that began before have ended.
      await expect.poll(told, { timeout: 30_000 }).toEqual([
        ['retention.set', '/r', { jobsMs: 5 }],
        ['retention.set', '/r', { runsMs: 6 }],
        ['retention.removed', '/r', undefined],
      ])
    })

    it('refuse what is wrong, field by field, and write nothing then', async () => {
      const { store } = await setup()
      const wrong: readonly [path: unknown, policy: unknown, code: string][] = [
        ['r', {}, 'invalid_name'],
        ['/r/\0', {}, 'invalid_json'],
        [5, {}, 'invalid_argument'],
        ['/r', null, 'invalid_argument'],
        ['/r', [], 'invalid_argument'],
        ['/r', { jobsMs: -1 }, 'invalid_argument'],
        ['/r', { runsMs: 1.5 }, 'invalid_argument'],
        ['/r', { eventsMs: '30d' }, 'invalid_argument'],
        ['/r', { jobMs: 5 }, 'invalid_argument'],
        ['/r', { jobsMs: Number.POSITIVE_INFINITY }, 'invalid_argument'],
      ]
      for (const [path, policy, code] of wrong) {
        expect([path, policy, await codeOf(setRetention(store, path as string, policy as object))]).toEqual([
          ...[path, policy, code],
        ])
      }
      const named = setRetention(store, '/r', { runsMs: 'x' as never })
      await expect(named).rejects.toMatchObject({ details: { field: 'policy.runsMs' } })
      expect(await codeOf(store.control('retention.set', { id: 'x', path: '/r', policy: {} }))).toBe('invalid_id')
      expect(await codeOf(store.control('retention.prune', { limit: 0 }))).toBe('invalid_argument')
      const outside = { namespace: 'n', source: 's', id: '1', type: 'retention.set' }
      expect(await store.append([outside])).toMatchObject([{ error: { code: 'reserved_event_type' } }])
      expect((await store.events({ limit: 10 })).entries).toEqual([])
    })
  })
}

function pruningContract(setup: Setup): void {
  /** One job for each way to end, all at `start`. */
  async function endedJobs(store: Store): Promise<readonly StoredJob[]> {
    const at = { now: start }
    const [plain] = (await store.submit([submission({ name: '/r/plain', params: '{"b":1,"a":2}' })], at)).map(accepted)
    const claimed = await claimOne(store, at)
    await store.complete([{ job: claimed, result: '{"done":true}' }], at)
    const general = await completedJob(store, { name: '/r/general', key: 'k' }, start)
    const failed = await submitOne(store, { name: '/r/failed', retry: { maxAttempts: 1 } }, start)
    await store.apply([failure(await claimOne(store, { token: 'tf', ...at }))], at)
    const cancelled = await submitOne(store, { name: '/r/cancelled' }, start)
    await store.apply([cancel(cancelled)], at)
    const stopped = await submitOne(store, { name: '/r/stopped' }, start)
    const running = await claimOne(store, { token: 'ts', ...at })
    await store.apply([cancel(running)], at)
    const [asked] = await reread(store, [stopped])
    await store.apply([finish(asked as StoredJob, { kind: 'cancelled' }, 'ts')], at)
    const late = await submitOne(store, { name: '/r/late', expiresAt: start }, start - 1)
    await store.apply([{ job: late.job.id, command: { type: 'elapse', random: 0 } }], at)
    return await reread(store, [plain as StoredJob, general, failed, cancelled, stopped, late])
  }

  describe('pruning', () => {
    it('takes jobs that have been over for longer than their policy says, however they ended', async () => {
      const { store } = await setup()
      const jobs = await endedJobs(store)
      expect(jobs.map(({ job }) => [job.state, job.finishedAt])).toEqual(times(6, () => ['final', start]))
      expect(await pruneAll(store, start + 30 * day - 1)).toBe(0)
      expect(await reread(store, jobs)).toEqual(jobs)
      expect(await pruneAll(store, start + 30 * day)).toBe(6)
      expect(await store.find(jobs.map(({ job }) => ({ id: job.id })))).toEqual(times(6, () => null))
      expect(await store.list({ limit: 10 })).toEqual({ jobs: [], next: null })
      expect(await verify(store)).toEqual([])
      const past = await store.past(jobs.map(({ job }) => ({ id: job.id })))
      expect(past.map((each) => each?.outcome)).toEqual(['COMPLETED', 'COMPLETED', 'FAILED', null, 'FAILED', 'SKIPPED'])
      expect(past.map((each) => each?.body?.cancelled)).toEqual([false, false, false, true, true, false])
    })

    it('goes by the policy of each path', async () => {
      const { store } = await setup()
      await setRetention(store, '/r', { jobsMs: 10 })
      await setRetention(store, '/r/long', { jobsMs: 1_000 })
      await setRetention(store, '/r/ever', { jobsMs: null })
      const names = ['/r/a', '/r/long/a', '/r/ever/a', '/other/a']
      const jobs: StoredJob[] = []
      for (const name of names) jobs.push(await completedJob(store, { name }, start))
      const left = async () => (await allJobs(store)).map(({ job }) => job.name)
      await pruneAll(store, start + 9)
      expect(await left()).toEqual(names)
      await pruneAll(store, start + 10)
      expect(await left()).toEqual(['/r/long/a', '/r/ever/a', '/other/a'])
      await pruneAll(store, start + 1_000)
      expect(await left()).toEqual(['/r/ever/a', '/other/a'])
      await pruneAll(store, start + 30 * day)
      expect(await left()).toEqual(['/r/ever/a'])
      await pruneAll(store, start + 3_000 * day)
      expect(await left()).toEqual(['/r/ever/a'])
    })

    it('looks again at all that it has passed when a policy changes', async () => {
      const { store } = await setup()
      await setRetention(store, '/r/ever', { jobsMs: null })
      const kept = await completedJob(store, { name: '/r/ever/a' }, start)
      await pruneAll(store, start + 40 * day)
      await pruneAll(store, start + 42 * day)
      expect(await isGone(store, kept)).toBe(false)
      await setRetention(store, '/r/ever', { jobsMs: 43 * day })
      await pruneAll(store, start + 42 * day)
      expect(await isGone(store, kept)).toBe(false)
      await pruneAll(store, start + 43 * day)
      expect(await isGone(store, kept)).toBe(true)

      await setRetention(store, '/r/ever', { jobsMs: null })
      const second = await completedJob(store, { name: '/r/ever/b' }, start)
      await pruneAll(store, start + 90 * day)
      await pruneAll(store, start + 92 * day)
      expect(await isGone(store, second)).toBe(false)
      await store.control('retention.remove', { path: '/r/ever' })
      await pruneAll(store, start + 92 * day)
      expect(await isGone(store, second)).toBe(true)

      const young = await completedJob(store, { name: '/r/young' }, start + 92 * day)
      await pruneAll(store, start + 93 * day)
      expect(await isGone(store, young)).toBe(false)
      await setRetention(store, '/r/young', { jobsMs: day })
      await pruneAll(store, start + 93 * day)
      expect(await isGone(store, young)).toBe(true)
    })

    it('goes in small steps, and does not look again at what it cannot take', async () => {
      const { store, raw } = await setup()
      await setRetention(store, '/keep', { jobsMs: null })
      const given = times(50, (i) => submission({ name: `/${i % 5 === 0 ? 'keep' : 'r'}/j${i}`, type: 'many' }))
      await store.submit(given, { now: start })
      const claimed = await store.claim(claimOf({ types: ['many'], limit: 50, now: start }))
      await store.complete(
        claimed.map((job) => ({ job, result: null })),
        { now: start },
      )
      const now = start + 31 * day
      const steps: number[] = []
      for (;;) {
        const { pruned, more } = await store.control('retention.prune', { limit: 10 }, { now })
        if (!more) break
        steps.push(pruned)
      }
      expect(steps).toEqual([8, 8, 8, 8, 8])
      const again = await store.control('retention.prune', { limit: 10 }, { now })
      expect(again).toEqual({ pruned: 0, more: false })
      // Nothing is left where all jobs were taken, once nothing older can appear there any more.
      await setRetention(store, '/keep', { jobsMs: 0, runsMs: 0 })
      await setRetention(store, '/r', { runsMs: 0 })
      await pruneAll(store, now + 2 * day)
      expect(await raw('select 1 from stretches')).toEqual([])
      expect(await raw('select 1 from runs')).toEqual([])
    })

    it('touches nothing that lives, in whatever state it is', async () => {
      const { store } = await setup()
      await setRetention(store, '/test', { jobsMs: 0, runsMs: 0 })
      const late = 10_000 * day
      const far = { scheduledFor: late + day }
      await store.pause({ path: '/test/paused' })
      const submitted = async (fields: Partial<Submission>) => await submitOne(store, fields, start)
      const live: Record<string, StoredJob> = {
        queued: await submitted({ type: 'queued', name: '/test/a', key: 'k' }),
        delayed: await submitted(far),
        paused: await submitted({ type: 'gated', name: '/test/paused/a' }),
        limited: await submitted({ type: 'gated', limits: [{ key: 'full', concurrency: 0 }] }),
        expiring: await submitted({ type: 'expiring', expiresAt: late }),
      }
      await store.claim(claimOf({ types: ['gated'], now: start }))
      const run = async (name: string) => {
        await submitted({ type: name, retry: { baseMs: 1_000 } })
        return await claimOne(store, { types: [name], token: name, now: start })
      }
      live['running'] = await run('running')
      live['stopping'] = await run('stopping')
      await store.apply([cancel(live['stopping'])], { now: start })
      live['awaiting'] = await run('awaiting')
      const suspended = { kind: 'suspended', awaits: null, until: null } as const
      await store.apply([finish(live['awaiting'], suspended)], { now: start })
      live['retried'] = await run('retried')
      await store.apply([failure(live['retried'], 'boom', { random: 0.9 })], { now: start })
      // One that waits for the job that it replaces, and one that waits for its own follow-up.
      await submitted({ type: 'replaced', name: '/test/replaced' })
      live['replaced'] = await claimOne(store, { types: ['replaced'], token: 'replaced', now: start })
      live['replacing'] = await submitted({ type: 'x', name: '/test/replaced', onConflict: 'replace' })
      live['parent'] = await runningParent(store)
      live['child'] = at(await submitChildren(store, live['parent'], 1, { type: 'child' }), 0)
      await store.apply([failure(live['parent'])], { now: start })

      const before = await reread(store, Object.values(live))
      expect(before.every(({ job }) => job.state !== 'final')).toBe(true)
      expect(new Set(before.map(({ job }) => job.phase)).size).toBe(4)
      expect(await verify(store)).toEqual([])
      expect(await pruneAll(store, late)).toBe(0)
      expect(await reread(store, Object.values(live))).toEqual(before)
      expect(await verify(store)).toEqual([])
    })

    it('takes jobs in time whose end came long after their beginning', async () => {
      const { store } = await setup()
      const job = await submitOne(store, { name: '/r/slow' }, start)
      const claimed = await claimOne(store, { now: start })
      await pruneAll(store, start + 90 * day)
      await store.complete([{ job: claimed, result: null }], { now: start + 100 * day })
      await pruneAll(store, start + 129 * day)
      expect(await isGone(store, job)).toBe(false)
      await pruneAll(store, start + 130 * day)
      expect(await isGone(store, job)).toBe(true)
    })
  })
}

function neededContract(setup: Setup): void {
  describe('a job that is over but still needed', () => {
    it('stays while its children live', async () => {
      const { store } = await setup()
      const parent = await runningParent(store, { name: '/test/parent' })
      const [child] = await submitChildren(store, parent, 1)
      await store.apply([completion(parent)])
      const now = (await store.now()) + 31 * day
      await pruneAll(store, now)
      expect(await isGone(store, parent)).toBe(false)
      const [ended] = await store.claim(claimOf({ now }))
      expect(ended?.job.id).toBe(child?.job.id)
      await store.complete([{ job: ended as StoredJob, result: null }], { now })
      await pruneAll(store, now + 31 * day)
      expect([await isGone(store, parent), await isGone(store, child as StoredJob)]).toEqual([true, true])
      expect(await verify(store)).toEqual([])
    })

    it('stays while a follow-up has to do with it', async () => {
      const { store } = await setup()
      await setRetention(store, '/test', { jobsMs: 0 })
      const parent = await runningParent(store, { name: '/test/parent' })
      const children = await submitChildren(store, parent, 3)
      await store.apply([failure(parent, 'boom', { terminal: true })])
      await store.apply(children.map((child) => cancel(child)))
      const now = (await store.now()) + day
      await pruneAll(store, now)
      expect(await isGone(store, parent)).toBe(false)
      expect(await isGone(store, children[0] as StoredJob)).toBe(true)
      await followUpAll(store)
      await pruneAll(store, now + day)
      expect(await isGone(store, parent)).toBe(true)
      expect(await verify(store)).toEqual([])
    })

    it('stays while somebody waits for it', async () => {
      const { store, raw } = await setup()
      const ended = await completedJob(store, { name: '/r/a' }, start)
      await raw(`insert into waits (on_job, job) values (${ended.guard.pk}, 999)`)
      await pruneAll(store, start + 31 * day)
      expect(await isGone(store, ended)).toBe(false)
      await raw('delete from waits')
      await pruneAll(store, start + 62 * day)
      expect(await isGone(store, ended)).toBe(true)
    })

    it('stays while its group lives, and leaves with nothing of it behind', async () => {
      const { store } = await setup()
      const group = { id: newId(), path: '/r/group', mode: 'parallel' } as const
      await store.control('group.create', group, { now: start })
      const member = (name: string) => submission({ name, group: '/r/group' })
      const results = await store.submit([member('/r/a'), member('/r/b')], { now: start })
      await store.control('group.seal', { group: '/r/group' }, { now: start })
      const [first, last] = await store.claim(claimOf({ now: start }))
      await store.apply([completion(first as never)], { now: start })
      await pruneAll(store, start + 31 * day)
      expect(await isGone(store, accepted(results[0]))).toBe(false)
      await store.apply([completion(last as never)], { now: start + 31 * day })
      expect(await verify(store)).toEqual([])
      await pruneAll(store, start + 93 * day)
      expect([await isGone(store, accepted(results[0])), await isGone(store, accepted(results[1]))]).toEqual([
        true,
        true,
      ])
      expect(await store.control('group.get', { group: group.id })).toMatchObject({
        status: 'COMPLETED',
        counts: { total: 2 },
      })
      expect((await store.control('group.members', { group: group.id, limit: 9 })).items).toEqual([])
      expect(await verify(store)).toEqual([])
    })
  })
}
