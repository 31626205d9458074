import { describe, expect, it } from 'vitest'
import type { ClaimRequest, Store, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, type Setup, submission } from '../support/fixture.ts'
import { at, idsOf, openStores, times } from '../support/racing.ts'
import { claimOf, completion } from '../support/requests.ts'

const namesOf = (jobs: readonly { readonly job: { readonly name: string } }[]) => jobs.map(({ job }) => job.name)

async function submitNamed(store: Store, names: readonly string[], fields: Partial<Submission> = {}) {
  const results = await store.submit(
    names.map((name) => submission({ name, ...fields })),
    { now: 1_000 },
  )
  return results.map((result) => accepted(result))
}

let claims = 0

/** The names of the jobs that a claim takes. */
async function take(store: Store, fields: Partial<ClaimRequest>): Promise<readonly string[]> {
  claims += 1
  return namesOf(await store.claim(claimOf({ now: 2_000, token: `t${claims}`, ...fields })))
}

/** Makes suspects of all jobs that are ready. */
async function makeSuspect(store: Store, limit: number): Promise<void> {
  const held = await store.claim(claimOf({ token: 'lost', limit, now: 1_000 }))
  const lose = { type: 'lose', token: 'lost', random: 0, alone: false } as const
  await store.apply(
    held.map((job) => ({ job, command: lose })),
    { now: 1_000 },
  )
}

/** Claims until there is nothing left. */
async function takeAll(store: Store, workerId: string, fields: Partial<ClaimRequest>) {
  const taken: string[] = []
  for (let i = 0; ; i++) {
    const claimed = await store.claim(claimOf({ workerId, token: `${workerId}.${i}`, ...fields }))
    if (claimed.length === 0) return taken
    taken.push(...idsOf(claimed))
  }
}

/** Workers may be bound to branches, and may take turns between namespaces. */
export function fairnessContract(setup: Setup): void {
  boundClaims(setup)
  claimsInTurns(setup)
  claimsAtOnce(setup)
}

function boundClaims(setup: Setup): void {
  describe('claims of branches', () => {
    it('take what is at or below their paths, by components, and nothing else', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/a/x', '/ab/x', '/b/c', '/b/cd', '/b/c/d', '/a', '/b', '/c/x'])
      expect(await take(store, { paths: ['/a', '/b/c'] })).toEqual(['/a/x', '/b/c', '/b/c/d', '/a'])
      expect(await take(store, { paths: ['/a', '/b/c'] })).toEqual([])
      expect(await take(store, { paths: ['/nowhere', '/b/c/d/e'] })).toEqual([])
      expect(await verify(store)).toEqual([])
      expect(await take(store, {})).toEqual(['/ab/x', '/b/cd', '/b', '/c/x'])
      expect(await verify(store)).toEqual([])
    })

    it('keep the order of the queue over all their branches and types', async () => {
      const { store } = await setup()
      const branches = ['/a', '/b/deep', '/c', '/b']
      await store.submit(
        times(16, (i) => {
          const name = `${at(branches, i)}/j${String(i).padStart(2, '0')}`
          return submission({ name, priority: i % 3, type: i % 5 === 0 ? 'other' : 'work' })
        }),
      )
      const request = { paths: ['/c', '/b/deep'], types: ['work', 'other'] }
      const inOrder = [
        '/c/j02',
        '/b/deep/j05',
        '/c/j14',
        '/b/deep/j01',
        '/c/j10',
        '/b/deep/j13',
        '/c/j06',
        '/b/deep/j09',
      ]
      expect(await take(store, { ...request, limit: 3 })).toEqual(inOrder.slice(0, 3))
      expect(await take(store, request)).toEqual(inOrder.slice(3))
      expect(await verify(store)).toEqual([])
    })

    it('take a job once, also where their paths lie within each other', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/a/b/x', '/a/y'])
      expect(await take(store, { paths: ['/a/b', '/a', '/a', '/a/b/x'] })).toEqual(['/a/b/x', '/a/y'])
      expect(await verify(store)).toEqual([])
    })

    it('find the first of a branch with very many jobs, too, behind others of its namespace', async () => {
      const { store } = await setup()
      await store.submit(times(300, (i) => submission({ name: `/a/many-others/j${i}`, priority: 1 })))
      await store.submit(times(1_200, (i) => submission({ name: `/a/many/j${String(i).padStart(4, '0')}` })))
      const taken = await take(store, { paths: ['/a/many', '/b'], limit: 1_100, now: Date.now() + 1_000 })
      expect(taken).toEqual(times(1_100, (i) => `/a/many/j${String(i).padStart(4, '0')}`))
      expect(await take(store, { paths: ['/a/many'], limit: 1_100, now: Date.now() + 1_000 })).toHaveLength(100)
      expect(await verify(store)).toEqual([])
    })

    it('take what has become due, with nobody else there to move it', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/a/late', '/b/late'], { scheduledFor: 5_000 })
      await submitNamed(store, ['/a/deep/late'], { scheduledFor: 5_000 })
      expect(await take(store, { paths: ['/a'], now: 4_999 })).toEqual([])
      expect(await take(store, { paths: ['/a/deep'], now: 5_000 })).toEqual(['/a/deep/late'])
      expect(await take(store, { paths: ['/a'], now: 5_000 })).toEqual(['/a/late'])
      expect(await verify(store)).toEqual([])
      expect(await take(store, { now: 5_000 })).toEqual(['/b/late'])
    })

    it('take no more suspects than they may, and nothing that is over', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/a/s1', '/b/s', '/a/s2'], { retry: { baseMs: 0 } })
      await makeSuspect(store, 3)
      await submitNamed(store, ['/a/gone', '/a/deep/gone'], { expiresAt: 1_500 })
      await submitNamed(store, ['/a/deep/fine'])
      expect(await take(store, { paths: ['/a/deep'] })).toEqual(['/a/deep/fine'])
      expect(await take(store, { paths: ['/a'], suspectLimit: 0 })).toEqual([])
      expect(await take(store, { paths: ['/a'] })).toEqual(['/a/s1'])
      expect(await take(store, { paths: ['/a', '/b'], suspectLimit: 5, limit: 1 })).toEqual(['/b/s'])
      expect(await take(store, { paths: ['/a', '/b'], suspectLimit: 5 })).toEqual(['/a/s2'])
      expect(await verify(store)).toEqual([])
    })

    it('keep to limits and pauses, and look behind what is shut out', async () => {
      const { store } = await setup()
      await submitNamed(store, ['/a/l1', '/b/l', '/a/l2'], { limits: [{ key: 'gpu', concurrency: 1 }] })
      await submitNamed(store, ['/a/paused/x', '/a/free', '/a/other'])
      await submitNamed(store, ['/typed/x'], { type: 'other' })
      await store.pause({ path: '/a/paused' })
      await store.pause({ type: 'other' })
      const first = await store.claim(claimOf({ now: 2_000, paths: ['/a'], limit: 2 }))
      expect(namesOf(first)).toEqual(['/a/l1', '/a/free'])
      expect(await take(store, { paths: ['/a', '/typed'], types: ['work', 'other'] })).toEqual(['/a/other'])
      expect(await take(store, { paths: ['/b'] })).toEqual([])
      await store.apply([completion(first[0] as never)], { now: 2_100 })
      expect(await take(store, { paths: ['/b'], now: 2_200 })).toEqual(['/b/l'])
      await store.resume({ path: '/a/paused' })
      await store.resume({ type: 'other' })
      expect(await take(store, { paths: ['/a', '/typed'], types: ['work', 'other'], now: 2_200 })).toEqual([
        ...['/a/paused/x', '/typed/x'],
      ])
      expect(await verify(store)).toEqual([])
    })

    it('of a worker that was found lost take nothing', async () => {
      const { store } = await setup()
      await store.register({ id: 'w1', name: 'a', leaseMs: 100, paths: ['/a', '/a/b'] }, { now: 1_000 })
      await store.register({ id: 'w2', name: 'b', leaseMs: 10_000 }, { now: 1_000 })
      await store.buryLost({ now: 2_000 })
      await submitNamed(store, ['/a/x'])
      expect(await take(store, { paths: ['/a'] })).toEqual([])
      expect(await take(store, { fairness: { after: null } })).toEqual([])
      expect(await take(store, { paths: ['/a'], workerId: 'w2' })).toEqual(['/a/x'])
      expect((await store.workers()).map(({ id, paths }) => [id, paths])).toEqual([
        ['w1', ['/a']],
        ['w2', null],
      ])
    })
  })
}

function claimsInTurns(setup: Setup): void {
  describe('claims in turns', () => {
    const fairness = { after: null }
    /** So many jobs of each namespace, one namespace after the other. */
    const submitOf = async (
      store: Store,
      counts: Readonly<Record<string, number>>,
      fields: Partial<Submission> = {},
    ) => {
      for (const [namespace, count] of Object.entries(counts)) {
        await submitNamed(
          store,
          times(count, (i) => `/${namespace}/j${i}`),
          fields,
        )
      }
    }

    it('take the first of each namespace, then the second of each, while there are any', async () => {
      const { store } = await setup()
      await submitOf(store, { b: 5, a: 2, c: 1 })
      expect(await take(store, { fairness, limit: 7 })).toEqual([
        ...['/a/j0', '/b/j0', '/c/j0', '/a/j1', '/b/j1', '/b/j2', '/b/j3'],
      ])
      expect(await take(store, { fairness })).toEqual(['/b/j4'])
      expect(await take(store, { fairness })).toEqual([])
      expect(await verify(store)).toEqual([])
    })

    it('begin after the namespace that had the last turn, and go around', async () => {
      const { store } = await setup()
      await submitOf(store, { a: 3, b: 3, c: 3 })
      expect(await take(store, { fairness: { after: 'a' }, limit: 4 })).toEqual(['/b/j0', '/c/j0', '/a/j0', '/b/j1'])
      expect(await take(store, { fairness: { after: 'b' }, limit: 1 })).toEqual(['/c/j1'])
      expect(await take(store, { fairness: { after: 'c' }, limit: 1 })).toEqual(['/a/j1'])
      expect(await take(store, { fairness: { after: 'bb' }, limit: 2 })).toEqual(['/c/j2', '/a/j2'])
      expect(await take(store, { fairness: { after: 'zebra' } })).toEqual(['/b/j2'])
      expect(await verify(store)).toEqual([])
    })

    it('give every namespace one turn before any has a second, where they are more than a claim takes', async () => {
      const { store } = await setup()
      const namespaces = times(20, (i) => `n${String(i).padStart(2, '0')}`)
      await submitOf(store, Object.fromEntries(namespaces.map((name) => [name, 2])))
      const taken: string[] = []
      for (let after: string | null = null; taken.length < 40; after = taken.at(-1)?.split('/')[1] ?? null) {
        taken.push(...(await take(store, { fairness: { after }, limit: 3 })))
      }
      expect(taken).toEqual([0, 1].flatMap((i) => namespaces.map((name) => `/${name}/j${i}`)))
    })

    it('keep the order of the queue within a namespace, over all types', async () => {
      const { store } = await setup()
      await submitOf(store, { a: 2 })
      await submitNamed(store, ['/a/urgent'], { priority: 9, type: 'other' })
      await submitNamed(store, ['/b/low'], { priority: -1 })
      await submitNamed(store, ['/b/high'], { type: 'other' })
      await submitNamed(store, ['/c/typed'], { type: 'third' })
      const types = ['work', 'other']
      await store.pause({ type: 'third' })
      expect(await take(store, { fairness, types: [...types, 'third'] })).toEqual([
        ...['/a/urgent', '/b/high', '/a/j0', '/b/low', '/a/j1'],
      ])
      expect(await verify(store)).toEqual([])
    })

    it('take turns between the namespaces of their paths only', async () => {
      const { store } = await setup()
      await submitOf(store, { 'a/x': 3, 'a/y': 1, b: 2, 'c/x': 1, 'c/y': 2, d: 1 })
      const request = { fairness: { after: 'a' }, paths: ['/a/x', '/c', '/d/j0', '/b/none', '/e'] }
      expect(await take(store, { ...request, limit: 4 })).toEqual(['/c/x/j0', '/d/j0', '/a/x/j0', '/c/y/j0'])
      expect(await take(store, { ...request, fairness: { after: 'c' } })).toEqual(['/a/x/j1', '/c/y/j1', '/a/x/j2'])
      expect(await verify(store)).toEqual([])
      expect(await take(store, { fairness })).toEqual(['/a/y/j0', '/b/j0', '/b/j1'])
    })

    it('take what has become due, with nobody else there to move it', async () => {
      const { store } = await setup()
      await submitOf(store, { a: 2, b: 1 }, { scheduledFor: 5_000 })
      expect(await take(store, { fairness, now: 4_999 })).toEqual([])
      expect(await take(store, { fairness, now: 5_000 })).toEqual(['/a/j0', '/b/j0', '/a/j1'])
      expect(await verify(store)).toEqual([])
    })

    it('take no more suspects than they may, whoever has them', async () => {
      const { store } = await setup()
      await submitOf(store, { a: 1, b: 2, c: 1 }, { retry: { baseMs: 0 } })
      await makeSuspect(store, 4)
      await submitNamed(store, ['/b/fine', '/c/fine'])
      expect(await take(store, { fairness, suspectLimit: 0, limit: 1 })).toEqual(['/b/fine'])
      expect(await take(store, { fairness: { after: 'a' } })).toEqual(['/b/j0', '/c/fine'])
      expect(await take(store, { fairness: { after: 'c' }, suspectLimit: 5 })).toEqual(['/a/j0', '/b/j1', '/c/j0'])
      expect(await verify(store)).toEqual([])
    })

    it('give a namespace the next that may start, in place of what is shut out', async () => {
      const { store } = await setup()
      await submitOf(store, { 'a/shut': 2, 'b/shut': 1 })
      await submitOf(store, { a: 3, b: 3, c: 1 })
      await submitNamed(store, ['/d/l1', '/d/l2', '/e/l3'], { limits: [{ key: 'gpu', concurrency: 1 }] })
      await submitNamed(store, ['/d/free'])
      await store.pause({ path: '/a/shut' })
      await store.pause({ path: '/b/shut' })
      await store.pause({ path: '/c' })
      const taken = await take(store, { fairness, limit: 6 })
      expect(taken).toEqual(['/a/j0', '/b/j0', '/d/l1', '/a/j1', '/b/j1', '/d/free'])
      expect(await verify(store)).toEqual([])
      expect(await take(store, { fairness: { after: 'd' }, limit: 6 })).toEqual(['/a/j2', '/b/j2'])
      for (const path of ['/a/shut', '/b/shut', '/c']) await store.resume({ path })
      expect(await take(store, { fairness: { after: 'b' } })).toEqual([
        ...['/c/j0', '/a/shut/j0', '/b/shut/j0', '/a/shut/j1'],
      ])
      expect(await verify(store)).toEqual([])
    })

    it('keep to limits and rates, however many turns a namespace has', async () => {
      const { store } = await setup()
      await submitOf(store, { a: 4 }, { limits: [{ key: 'k', rate: { count: 2, perMs: 1_000 } }] })
      await submitOf(store, { b: 4 })
      await store.setLimit({ key: '/b', concurrency: 1 })
      expect(await take(store, { fairness })).toEqual(['/a/j0', '/b/j0', '/a/j1'])
      expect(await take(store, { fairness, now: 2_999 })).toEqual([])
      expect(await take(store, { fairness, now: 3_000 })).toEqual(['/a/j2', '/a/j3'])
      expect(await store.limits()).toMatchObject([
        { key: '/b', held: 1 },
        { key: 'k', started: 2 },
      ])
      expect(await verify(store)).toEqual([])
    })
  })
}

function claimsAtOnce(setup: Setup): void {
  describe('claims of branches and in turns at the same time', () => {
    it('never take one job twice, nor more than asked, nor what is elsewhere, and together take all', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      const names = ['/a', '/b/x', '/b/y', '/c']
      const submissions = times(240, (i) => {
        return submission({ name: `${at(names, i % 7)}/job-${i}x`, priority: i % 3, scheduledFor: 1_000 + (i % 5) })
      })
      await fixture.store.submit(submissions, { now: 1_000 })
      const kinds: readonly Partial<ClaimRequest>[] = [
        ...[{}, { paths: ['/a'] }, { paths: ['/b/x', '/c'] }],
        ...[{ fairness: { after: null } }, { fairness: { after: 'b' }, paths: ['/b/x', '/c'] }],
      ]
      const taken = await Promise.all(
        times(10, (i) => takeAll(at(stores, i), `w${i}`, { ...at(kinds, i), limit: 1 + (i % 4), now: 2_000 })),
      )
      // Whoever came last may have found the rest locked by others who then did not take it.
      const rest = await takeAll(fixture.store, 'rest', { now: 2_000 })
      expect([...taken.flat(), ...rest].sort()).toEqual(submissions.map(({ id }) => id).sort())
      const nameOf = new Map(submissions.map(({ id, name }) => [id, name]))
      for (const i of [1, 6]) for (const id of taken[i] ?? []) expect(nameOf.get(id)).toMatch(/^\/a\//)
      for (const i of [2, 4, 7, 9]) for (const id of taken[i] ?? []) expect(nameOf.get(id)).toMatch(/^\/(b\/x|c)\//)
      expect(await verify(fixture.store)).toEqual([])
    })

    it('keep to limits, and leave none behind', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      const limits = [{ key: 'k', concurrency: 3 }]
      const submissions = times(30, (i) => submission({ name: `/${at(['a', 'b', 'c'], i)}/job-${i}x`, limits }))
      await fixture.store.submit(submissions)
      let [running, most, done] = [0, 0, 0]
      const work = async (store: Store, worker: number) => {
        for (let round = 0; done < 30 && round < 2_000; round++) {
          const request = { workerId: `w${worker}`, token: `t${worker}-${round}`, limit: 2, fairness: { after: null } }
          const jobs = await store.claim(claimOf(request))
          running += jobs.length
          most = Math.max(most, running)
          await new Promise((resolve) => setTimeout(resolve, 1))
          running -= jobs.length
          await store.apply(jobs.map((job) => completion(job)))
          done += jobs.length
        }
      }
      await Promise.all(times(10, (i) => work(at(stores, i), i)))
      expect(done).toBe(30)
      expect(most).toBeLessThanOrEqual(3)
      expect(await verify(fixture.store)).toEqual([])
    })
  })
}
