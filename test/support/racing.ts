import type { Store, StoredJob } from '../../src/store/store.ts'
import { accepted, type Fixture, submission } from './fixture.ts'

/** The fixture's store and others on the same database, as other processes would have them. */
export async function openStores(fixture: Fixture, count: number): Promise<readonly Store[]> {
  const { store, open, another = open } = fixture
  return [store, ...(await Promise.all(Array.from({ length: count - 1 }, another)))]
}

/** What an array has at a place, where a test knows that there is something. */
export function at<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('There is nothing to take from.')
  return item
}

export function times<T>(count: number, make: (i: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

/** Another order of the same things, the same for the same seed. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const keyed = items.map((item, i) => ({ item, key: Math.imul((i + 1) * 2_654_435_761, 2 * seed + 1) >>> 0 }))
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
}

export function batches<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return times(Math.ceil(items.length / size), (i) => items.slice(i * size, (i + 1) * size))
}

export async function submitMany(
  store: Store,
  count: number,
  fields: Parameters<typeof submission>[0] = {},
): Promise<readonly StoredJob[]> {
  return (await store.submit(times(count, () => submission(fields)))).map(accepted)
}

export function idsOf(jobs: readonly StoredJob[]): readonly string[] {
  return jobs.map(({ job }) => job.id)
}

/** Every job of the database as it is stored now. */
export async function allJobs(store: Store): Promise<readonly StoredJob[]> {
  const { jobs } = await store.audit({ after: null, limit: 10_000 })
  return jobs.map(({ stored }) => stored)
}
