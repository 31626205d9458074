import { keptUntil, type Retention } from '../../core/retention/policy.ts'
import { isUuid } from '../check-input.ts'
import type { PruneReport } from '../controls.ts'
import type { Transaction } from '../transaction.ts'
import type { AgedJob, PastJob } from './pasts.ts'
import { retentionOver } from './policies.ts'
import { type Ground, nextStretch, settle } from './walk.ts'

/** What lives, or is still needed by what lives, is looked at again after this time at the earliest. */
const againMs = 600_000

/** How many lines of logs leave in one transaction at the most. */
const lineMax = 5_000

const ground: Ground = {
  kind: 'jobs',
  field: 'jobsMs',
  // A job appears when the transaction that submits it commits, which may be the caller's own and take long.
  lateMs: 86_400_000,
  async ahead(tx, front, before, limit) {
    const page = await tx.pasts.jobsAfter(front, limit)
    const last = page.findLast(({ createdAt }) => createdAt <= before)
    return last === undefined ? null : String(last.pk)
  },
}

/**
 * One small step of retention: jobs that have been over for longer than their policy says leave, then the runs of those that
 * left before. Nothing that lives is touched, nor what something that lives still needs.
 */
export async function prune(tx: Transaction, limit: number): Promise<PruneReport> {
  const stretch = await nextStretch(tx, ground, limit)
  if (stretch === null) return { pruned: 0, more: false }
  const jobs = await tx.pasts.jobsWithin(stretch)
  const over = await retentionOver(
    tx,
    jobs.map(({ name }) => name),
  )
  const pruned = await pruneJobs(tx, jobs, over)
  const left = jobs.filter(({ pk }) => !pruned.has(pk)).map((job) => leavesAt(job, over(job.name), tx.now))
  await settle(tx, ground, stretch, [...left, ...(await forgetRuns(tx, await tx.pasts.within(stretch)))])
  return { pruned: pruned.size, more: true }
}

async function pruneJobs(
  tx: Transaction,
  jobs: readonly AgedJob[],
  over: (name: string) => Retention,
): Promise<ReadonlySet<number>> {
  const old = jobs.filter(({ name, endedAt }) => {
    return endedAt !== null && hasPassed(keptUntil(endedAt, over(name).jobsMs), tx.now)
  })
  const groups = await liveGroups(tx, old)
  const free = old.filter(({ groupId }) => groupId === null || !groups.has(groupId)).map(({ pk }) => pk)
  return free.length === 0 ? new Set() : await tx.pasts.prune(free)
}

/** A group keeps its members until it is over itself. */
async function liveGroups(tx: Transaction, jobs: readonly AgedJob[]): Promise<ReadonlySet<string>> {
  const ids = [...new Set(jobs.flatMap(({ groupId }) => groupId ?? []))].filter(isUuid)
  if (ids.length === 0) return new Set()
  const groups = await tx.records.find('group', ids, 'read')
  return new Set(groups.filter(({ released }) => !released).map(({ id }) => id))
}

/** When a job that is left can leave at the earliest; null for never. */
function leavesAt({ endedAt }: AgedJob, { jobsMs }: Retention, now: number): number | null {
  if (jobsMs === null) return null
  const at = (endedAt ?? now) + jobsMs
  return endedAt !== null && at > now ? at : Math.max(at, now + againMs)
}

type Aged = Pick<PastJob, 'pk' | 'name' | 'endedAt'>

/** Removes the runs of past jobs that are old enough, and tells of the others when they will be. */
async function forgetRuns(tx: Transaction, past: readonly Aged[]): Promise<readonly (number | null)[]> {
  const over = await retentionOver(
    tx,
    past.map(({ name }) => name),
  )
  const until = new Map(past.map(({ pk, name, endedAt }) => [pk, keptUntil(endedAt, over(name).runsMs)]))
  const old = [...until].filter(([, at]) => hasPassed(at, tx.now)).map(([pk]) => pk)
  const left = [...until.values()].filter((at) => !hasPassed(at, tx.now))
  if (old.length === 0) return left
  // Logs may be long: then the rest of them, and the runs, are for the next step.
  if ((await tx.pasts.forgetLines(old, lineMax)) === lineMax) return [...left, tx.now]
  await tx.pasts.forgetRuns(old)
  return left
}

function hasPassed(at: number | null, now: number): boolean {
  return at !== null && at <= now
}
