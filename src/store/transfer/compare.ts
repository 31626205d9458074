import { type Difference, same } from '../difference.ts'
import type { AuditedJob, EventsPage, LogEntry, Store } from '../store.ts'

const pageSize = 500

/** What differs between two stores that should hold the same: every job with all that belongs to it, every entry of the log. */
export async function compareStores(a: Store, b: Store): Promise<readonly Difference[]> {
  return [...(await compareJobs(a, b)), ...(await compareLogs(a, b))]
}

async function compareJobs(a: Store, b: Store): Promise<readonly Difference[]> {
  const found: Difference[] = []
  let after: number | null = null
  do {
    const [left, right] = await Promise.all([a, b].map((store) => store.audit({ after, limit: pageSize })))
    if (left === undefined || right === undefined) break
    const others = new Map(right.jobs.map((job) => [job.stored.job.id, job]))
    for (const job of left.jobs) found.push(...jobDifferences(job, others.get(job.stored.job.id)))
    if (left.jobs.length !== right.jobs.length || left.next !== right.next) {
      found.push({ jobId: null, field: 'jobs', stored: right.jobs.length, derived: left.jobs.length })
      break
    }
    after = left.next
  } while (after !== null)
  return found
}

function jobDifferences(left: AuditedJob, right: AuditedJob | undefined): readonly Difference[] {
  const jobId = left.stored.job.id
  if (right === undefined) return [{ jobId, field: 'job', stored: null, derived: left.stored.job.name }]
  const fields = ['stored', 'runs', 'waitsFor', 'deadlines', 'handles', 'shards'] as const
  return fields
    .filter((field) => !isSame(left[field], right[field]))
    .map((field) => ({ jobId, field, stored: right[field], derived: left[field] }))
}

async function compareLogs(a: Store, b: Store): Promise<readonly Difference[]> {
  let [after, other]: [string | null, string | null] = [null, null]
  for (;;) {
    const [left, right]: [EventsPage, EventsPage] = await Promise.all([
      a.events({ after, limit: pageSize }),
      b.events({ after: other, limit: pageSize }),
    ])
    const found = firstDifference(left.entries, right.entries)
    if (found !== null) return [found]
    if (left.entries.length < pageSize) return []
    ;[after, other] = [left.cursor, right.cursor]
  }
}

function firstDifference(left: readonly LogEntry[], right: readonly LogEntry[]): Difference | null {
  if (isSame(left, right)) return null
  const at = left.findIndex((entry, i) => !same(entry, right[i] ?? null))
  const place = at === -1 ? left.length : at
  const [derived, stored] = [left[place] ?? null, right[place] ?? null]
  if (derived === null && stored === null) return null
  return { jobId: derived?.jobId ?? stored?.jobId ?? null, field: 'log', stored, derived }
}

/** Nearly all of it is the same in the same order, which is seen faster. */
function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right) || same(left, right)
}
