import { fingerprintOf } from '../core/job/fingerprint.ts'
import type { Store, StoredJob } from '../store/store.ts'

export interface FailuresQuery {
  /** A name: the job itself and all below it. */
  readonly branch?: string
  readonly type?: string
}

/** Jobs of one type that failed for the same cause, as far as their errors tell. */
export interface FailureGroup {
  readonly type: string
  /** What their errors have in common. */
  readonly fingerprint: string
  /** The error of the newest. */
  readonly error: string
  readonly count: number
  readonly firstAt: Date
  readonly lastAt: Date
  /** The newest of them: ids and names. */
  readonly jobs: readonly { readonly id: string; readonly name: string }[]
}

/** The newest jobs that failed for good, by cause. */
export interface FailuresView {
  readonly items: readonly FailureGroup[]
  /** How many jobs were looked at. */
  readonly looked: number
  /** Whether there are older ones. */
  readonly more: boolean
}

const lookMax = 1_000
const pageSize = 500
const shownMax = 5

/** Failed jobs have an index of their own, so the newest are found at once however many others there are. */
export async function failuresOf(
  store: Store,
  idOf: (stored: StoredJob) => string,
  query: FailuresQuery,
): Promise<FailuresView> {
  const filter = { ...query, status: 'final', outcome: 'FAILED', cancelled: false, tasks: false } as const
  const jobs: StoredJob[] = []
  let before: number | null = null
  do {
    const page: Awaited<ReturnType<Store['list']>> = await store.list({ ...filter, before, limit: pageSize })
    jobs.push(...page.jobs)
    before = page.next
  } while (before !== null && jobs.length < lookMax)
  return { items: grouped(jobs, idOf), looked: jobs.length, more: before !== null }
}

/** The newest cause first. */
function grouped(jobs: readonly StoredJob[], idOf: (stored: StoredJob) => string): readonly FailureGroup[] {
  const byCause = Map.groupBy(jobs, ({ job }) => `${job.type}\n${fingerprintOf(job.error ?? '')}`)
  const groups = [...byCause.values()].map((members): FailureGroup => {
    const times = members.map(({ job }) => job.finishedAt ?? job.updatedAt)
    const [newest] = members as [StoredJob]
    const error = newest.job.error ?? ''
    return {
      type: newest.job.type,
      fingerprint: fingerprintOf(error),
      error,
      count: members.length,
      firstAt: new Date(Math.min(...times)),
      lastAt: new Date(Math.max(...times)),
      jobs: members.slice(0, shownMax).map((stored) => ({ id: idOf(stored), name: stored.job.name })),
    }
  })
  return groups.sort((a, b) => b.lastAt.getTime() - a.lastAt.getTime())
}
