import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Job } from '../../src/core/job/job.ts'
import type { ListRequest, Store, StoredJob } from '../../src/store/store.ts'
import { cancel } from '../support/children.ts'
import { accepted, type Setup, submission } from '../support/fixture.ts'
import { allJobs, idsOf, times } from '../support/racing.ts'
import { claimOf, completion, failure, finish } from '../support/requests.ts'
import { split } from './shards.ts'

type Filter = Omit<ListRequest, 'before' | 'limit'>

/** Jobs of all kinds: pending, queued, delayed, gated, running, awaiting, and over in every way; and tasks. */
async function fill(store: Store): Promise<void> {
  await split(store, 4)
  const fields = (i: number) => ({
    type: i % 3 === 0 ? 'other' : 'work',
    name: `/${i % 5 === 0 ? 'b' : 'a'}/n${i % 4}/j${i}`,
    labels: i % 2 === 0 ? { even: String(i % 6) } : {},
    key: i % 7 === 0 ? `k${i}` : null,
    retry: { maxAttempts: i % 4 === 0 ? 1 : 3, baseMs: 0 },
    limits: i % 11 === 0 ? [{ key: 'shared', concurrency: 1 }] : [],
    ...(i % 13 === 0 ? { scheduledFor: Date.now() + 600_000 } : {}),
  })
  const submit = async (count: number, from: number) => {
    return (await store.submit(times(count, (i) => submission(fields(from + i))))).map(accepted)
  }
  await submit(40, 0)
  const claimed = await store.claim(claimOf({ types: ['work', 'other'], limit: 28 }))
  for (const [i, stored] of claimed.entries()) await carryOn(store, stored, i)
  // Some that failed are tried again, and end.
  for (const stored of await store.claim(claimOf({ types: ['work', 'other'], limit: 4, token: 't2' }))) {
    await store.complete([{ job: stored, result: null }])
  }
  const [skipped, cancelled] = await submit(12, 40)
  if (!skipped || !cancelled) throw new Error('Too few.')
  await store.apply([{ job: skipped, command: { type: 'skip', reason: 'x', cancelled: false } }, cancel(cancelled)])
  // A name that is taken by one that runs: the new one waits for its end.
  const running = claimed[6]
  if (running === undefined) throw new Error('Too few.')
  accepted((await store.submit([submission({ name: running.job.name, onConflict: 'replace' })]))[0])
}

async function carryOn(store: Store, stored: StoredJob, i: number): Promise<void> {
  switch (i % 7) {
    case 0:
      await store.complete([{ job: stored, result: '1' }])
      break
    case 1:
      await store.apply([completion(stored)])
      break
    case 2:
      await store.apply([failure(stored)])
      break
    case 3:
      await store.apply([failure(stored, 'boom', { terminal: true })])
      break
    case 4:
      await store.apply([finish(stored, { kind: 'suspended', awaits: null, until: null })])
      break
    case 5:
      await store.apply([cancel(stored), finish(stored, { kind: 'cancelled' })])
      break
  }
}

function fits(job: Job, filter: Filter): boolean {
  const { type, status, outcome, cancelled, branch, key, label, tasks = true } = filter
  const shown = job.state === 'final' || job.state === 'running' ? job.state : 'queued'
  return (
    (type === undefined || job.type === type) &&
    (status === undefined || shown === status) &&
    (outcome === undefined || job.outcome === outcome) &&
    (cancelled === undefined || job.cancelled === cancelled) &&
    (branch === undefined || job.name === branch || job.name.startsWith(`${branch}/`)) &&
    (key === undefined || job.key === key) &&
    (label === undefined || job.labels[label.name] === label.value) &&
    (tasks || job.task === null)
  )
}

const optional = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })

const filters: fc.Arbitrary<Filter> = fc
  .record({
    type: optional(['work', 'other', 'nobody']),
    status: optional(['queued', 'running', 'final'] as const),
    outcome: optional(['COMPLETED', 'FAILED', 'SKIPPED'] as const),
    cancelled: optional([true, false]),
    branch: optional(['/a', '/b', '/a/n1', '/m/whole', '/nobody']),
    key: optional(['k0', 'k7', 'k14', 'nobody']),
    label: optional([
      { name: 'even', value: '0' },
      { name: 'even', value: '4' },
    ]),
    tasks: optional([true, false]),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))

/** Few of the fields at once, so that something is found. */
const sparse: fc.Arbitrary<Filter> = fc
  .tuple(filters, fc.subarray(['type', 'status', 'outcome', 'cancelled', 'branch', 'key', 'label', 'tasks']))
  .map(([filter, fields]) => {
    return Object.fromEntries(Object.entries(filter).filter(([name]) => fields.slice(0, 2).includes(name)))
  })

async function paged(store: Store, filter: Filter, limit: number): Promise<readonly StoredJob[]> {
  const jobs: StoredJob[] = []
  let before: number | null = null
  do {
    const page = await store.list({ ...filter, before, limit })
    expect(page.jobs.length).toBeLessThanOrEqual(limit)
    jobs.push(...page.jobs)
    before = page.next
  } while (before !== null)
  return jobs
}

export function listsModel(setup: Setup): void {
  describe('lists of jobs by any filters', () => {
    it('have all jobs that fit, as they are stored, the newest first', { timeout: 300_000 }, async () => {
      const { store } = await setup()
      await fill(store)
      const all = [...(await allJobs(store))].sort((a, b) => b.guard.pk - a.guard.pk)
      expect([...new Set(all.map(({ job }) => `${job.phase} ${job.outcome}`))].sort()).toEqual([
        ...['awaiting null', 'final COMPLETED', 'final FAILED', 'final SKIPPED', 'final null', 'pending null'],
        ...['queued null', 'running null'],
      ])
      const find = fc.oneof({ weight: 3, arbitrary: sparse }, { weight: 1, arbitrary: filters })
      await fc.assert(
        fc.asyncProperty(find, fc.integer({ min: 1, max: 60 }), async (filter, limit) => {
          const expected = all.filter(({ job }) => fits(job, filter))
          const found = await paged(store, filter, limit)
          expect(idsOf(found)).toEqual(idsOf(expected))
          expect(found).toEqual(expected)
        }),
        { numRuns: 150 },
      )
    })
  })
}
