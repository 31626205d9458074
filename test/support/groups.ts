import { expect } from 'vitest'
import type { GroupRow, NewGroup } from '../../src/store/controls.ts'
import type { Store, StoredJob, Submission } from '../../src/store/store.ts'
import { followUpAll } from './children.ts'
import { accepted, newId, submission } from './fixture.ts'
import { claimOf, completion } from './requests.ts'

/** Short ways to say what tests ask of groups again and again. */

export function createGroup(store: Store, fields: Partial<NewGroup> = {}, now = 1_000): Promise<GroupRow> {
  const id = newId()
  return store.control('group.create', { id, path: `/groups/g-${id}`, mode: 'parallel', ...fields }, { now })
}

/** Adds members with these names, below the path `/m`. */
export async function addNamed(
  store: Store,
  { id }: Pick<GroupRow, 'id'>,
  names: readonly string[],
  fields: Partial<Submission> = {},
): Promise<readonly StoredJob[]> {
  const given = names.map((name) => submission({ name: `/m/${name}`, group: id, retry: { maxAttempts: 1 }, ...fields }))
  return (await store.submit(given, { now: 1_500 })).map(accepted)
}

export async function groupOf(store: Store, { id }: Pick<GroupRow, 'id'>): Promise<GroupRow> {
  const group = await store.control('group.get', { group: id })
  if (group === null) throw new Error(`There is no group ${id}.`)
  return group
}

export function seal(store: Store, { id }: Pick<GroupRow, 'id'>, now = 1_800): Promise<GroupRow> {
  return store.control('group.seal', { group: id }, { now })
}

/** A group with members that is sealed. */
export async function sealedGroup(
  store: Store,
  fields: Partial<NewGroup>,
  names: readonly string[],
  more: Partial<Submission> = {},
): Promise<{ readonly group: GroupRow; readonly members: readonly StoredJob[] }> {
  const group = await createGroup(store, fields)
  const members = await addNamed(store, group, names, more)
  await seal(store, group)
  return { group, members }
}

export async function membersOf(store: Store, { id }: Pick<GroupRow, 'id'>): Promise<readonly string[]> {
  const { items } = await store.control('group.members', { group: id, limit: 10_000 })
  return items.map(({ name, status, outcome }) => `${shortName(name)} ${[status, outcome].filter(Boolean).join(' ')}`)
}

export function shortName(name: string): string {
  return name.slice('/m/'.length)
}

let claims = 0

/** Claims what is there, and gives the names without the path. */
export async function claimed(store: Store, now = 2_000, limit = 10): Promise<readonly StoredJob[]> {
  claims += 1
  return await store.claim(claimOf({ now, limit, token: `c${claims}` }))
}

export function names(jobs: readonly StoredJob[]): readonly string[] {
  return jobs.map(({ job }) => shortName(job.name))
}

/** The next member alone may start: gives it. */
export async function only(store: Store, name: string, now = 2_000): Promise<StoredJob> {
  const jobs = await claimed(store, now)
  expect(names(jobs)).toEqual([name])
  return jobs[0] as StoredJob
}

/** Runs everything that is ready, in the order in which it comes, and gives the names. */
export async function runAll(store: Store, now = 3_000): Promise<readonly string[]> {
  const ran: string[] = []
  for (;;) {
    await followUpAll(store)
    const jobs = await claimed(store, now, 1)
    if (jobs.length === 0) return ran
    ran.push(...names(jobs))
    await store.apply(
      jobs.map((job) => completion(job)),
      { now },
    )
  }
}

/** On PostgreSQL the newest events are seen when all transactions that began before have ended, in whatever database. */
export const patience = { timeout: 30_000 }

export async function groupEvents(store: Store): Promise<readonly string[]> {
  const { entries } = await store.events({ limit: 1_000 })
  return entries.map(({ eventType }) => eventType).filter((type) => type.startsWith('group.'))
}
