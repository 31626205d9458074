import { type Difference, same } from '../difference.ts'
import type { AuditedJob, LogEntry, Store } from '../store.ts'

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
    .filter((field) => !same(left[field], right[field]))
    .map((field) => ({ jobId, field, stored: right[field], derived: left[field] }))
}

async function compareLogs(a: Store, b: Store): Promise<readonly Difference[]> {
  const [left, right] = [entriesOf(a), entriesOf(b)]
  for (;;) {
    const [one, other] = [await left.next(), await right.next()]
    if (one.done && other.done) return []
    const [derived, stored] = [one.value ?? null, other.value ?? null]
    if (!same(stored, derived))
      return [{ jobId: derived?.jobId ?? stored?.jobId ?? null, field: 'log', stored, derived }]
  }
}

async function* entriesOf(store: Store): AsyncGenerator<LogEntry, undefined> {
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<Store['events']>> = await store.events({ after, limit: pageSize })
    yield* page.entries
    if (page.entries.length < pageSize) return
    after = page.cursor
  }
}
