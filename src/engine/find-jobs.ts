import type { Json } from '../core/json.ts'
import { refuse } from '../store/check-input.ts'
import type { StoredJob } from '../store/store.ts'

/** What jobs are looked at for, beyond what the store finds them by. All of it must hold. */
export interface JobSearch {
  /** Stands in the name, type, key or error, whatever the case. */
  readonly text?: string
  /** Stands in the error, whatever the case. */
  readonly error?: string
  /** Values in the params by where they are, `{ 'customer.id': '42' }`, as text. */
  readonly params?: Readonly<Record<string, string>>
  /** Created then or later. */
  readonly since?: Date
}

/** How many jobs are looked at for one page, and how many at once. */
const lookMax = 5_000
const pageSize = 500

interface Found {
  readonly jobs: readonly StoredJob[]
  readonly next: number | null
}

export function isSearch({ text, error, params, since }: JobSearch): boolean {
  return text !== undefined || error !== undefined || params !== undefined || since !== undefined
}

/**
 * A page of what fits. No index knows what stands in params and errors, so jobs are looked at one after the other: so many, and
 * then the page ends with a cursor, however few it has.
 */
export async function findJobs(
  read: (before: number | null, limit: number) => Promise<Found>,
  search: JobSearch,
  { before, limit }: { readonly before: number | null; readonly limit: number },
): Promise<Found> {
  const fits = predicateOf(search)
  const since = sinceOf(search)
  const found: StoredJob[] = []
  let next = before
  for (let looked = 0; looked < lookMax; looked += pageSize) {
    const page = await read(next, pageSize)
    for (const [i, stored] of page.jobs.entries()) {
      if (stored.job.createdAt < since) return { jobs: found, next: null }
      if (fits(stored)) found.push(stored)
      // What comes after this one is for the next page.
      if (found.length === limit && i < page.jobs.length - 1) return { jobs: found, next: stored.guard.pk }
    }
    next = page.next
    if (next === null || found.length >= limit) break
  }
  return { jobs: found, next }
}

function sinceOf({ since }: JobSearch): number {
  if (since === undefined) return Number.NEGATIVE_INFINITY
  if (since instanceof Date && Number.isFinite(since.getTime())) return since.getTime()
  throw refuse('since', since, 'must be a valid Date')
}

function predicateOf({ text, error, params = {} }: JobSearch): (stored: StoredJob) => boolean {
  const [wanted, wantedError] = [text?.toLowerCase(), error?.toLowerCase()]
  const values = Object.entries(params).map(([path, value]) => [path.split('.'), value] as const)
  return ({ job, params: given }) => {
    const own = [job.name, job.type, job.key, job.error]
    if (wanted !== undefined && !own.some((each) => each?.toLowerCase().includes(wanted))) return false
    if (wantedError !== undefined && !job.error?.toLowerCase().includes(wantedError)) return false
    if (values.length === 0) return true
    const content = given === null ? null : (JSON.parse(given) as Json)
    return values.every(([path, value]) => textAt(content, path) === value)
  }
}

/** What stands at a place, as text; null where nothing does. */
function textAt(value: Json, path: readonly string[]): string | null {
  let at: Json | undefined = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return null
    at = (at as Readonly<Record<string, Json>>)[name]
  }
  return typeof at === 'string' ? at : JSON.stringify(at ?? null)
}
