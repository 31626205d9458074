import { type Retention, shortestMs } from '../../core/retention/policy.ts'
import type { Transaction } from '../transaction.ts'
import { allPolicies } from './policies.ts'
import type { Stretch, Walk, WalkKind } from './walks.ts'

/** What a walk goes over. */
export interface Ground {
  readonly kind: WalkKind
  /** The policy that lets things of it leave. */
  readonly field: keyof Retention
  /** For how long after a look something older may still appear there. */
  readonly lateMs: number
  /** The last of the next positions after one whose thing is from `before` or earlier; null when there is none. */
  ahead(tx: Transaction, front: string, before: number, limit: number): Promise<string | null>
}

/** How many stretches are made due in one transaction at the most. */
const reviewMax = 1_000

/**
 * The next stretch to look at: one that is due, or a new one of up to `limit` things before the front. Null when nothing can
 * leave yet, or when somebody else is at all that is left.
 */
export async function nextStretch(tx: Transaction, ground: Ground, limit: number): Promise<Stretch | null> {
  const due = await tx.walks.due(ground.kind)
  if (due !== null) return due
  const walk = await tx.walks.hold(ground.kind)
  if (walk === null) return null
  if (walk.reviewAfter === null) return await goOn(tx, ground, walk, limit)
  const reviewed = await review(tx, ground, walk, walk.reviewAfter)
  return (await tx.walks.due(ground.kind)) ?? (await goOn(tx, ground, reviewed, limit))
}

/** Policies have changed: what was walked over is looked at again, page by page, before the walk goes on. */
async function review(tx: Transaction, { kind, field }: Ground, walk: Walk, after: number): Promise<Walk> {
  const reviewed = {
    ...walk,
    shortestMs: shortestMs(await allPolicies(tx), field),
    reviewAfter: await tx.walks.makeDue(kind, after, reviewMax),
  }
  await tx.walks.save(reviewed)
  return reviewed
}

async function goOn(tx: Transaction, ground: Ground, walk: Walk, limit: number): Promise<Stretch | null> {
  if (walk.shortestMs === null) return null
  const { kind, front: after } = walk
  const upto = await ground.ahead(tx, after, tx.now - walk.shortestMs, limit)
  if (upto === null) return null
  await tx.walks.save({ ...walk, front: upto })
  return await tx.walks.add({ kind, after, upto, madeAt: tx.now, dueAt: tx.now })
}

/**
 * A stretch was looked at: `left` has, for each thing that is left there, when it can leave at the earliest, or null for
 * never. A stretch without anything is forgotten, but not before everything that could still appear there has.
 */
export async function settle(
  tx: Transaction,
  { lateMs }: Ground,
  { pk, madeAt }: Stretch,
  left: readonly (number | null)[],
): Promise<void> {
  const lastLookAt = madeAt + lateMs
  const instants = [...left.filter((at) => at !== null), ...(tx.now < lastLookAt ? [lastLookAt] : [])]
  if (left.length === 0 && instants.length === 0) await tx.walks.remove(pk)
  else await tx.walks.setDue(pk, instants.length === 0 ? null : Math.min(...instants))
}
