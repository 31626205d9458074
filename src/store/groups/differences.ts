import { type Group, statusOf } from '../../core/group/group.ts'
import { type Difference, same } from '../difference.ts'
import type { AuditedGroup } from '../store.ts'

/** Where what a group keeps differs from what its members say. */
export function groupDifferences(audited: AuditedGroup): readonly Difference[] {
  const { id, group, released, counts, waiting } = audited
  const found: Difference[] = []
  const compare = (field: string, stored: unknown, derived: unknown) => {
    if (!same(stored, derived)) found.push({ jobId: null, groupId: id, field, stored, derived })
  }
  // Members may leave a group that is over, as all that is over leaves in the end.
  if (!released || counts.total === group.counts.total) compare('counts', group.counts, counts)
  compare('status', group.status, statusOf(group))
  compare('finished', group.finishedAt !== null, group.sealed && liveIn(counts) === 0)
  compare('released', released, group.finishedAt !== null)
  if (waiting > 0 && !isMoving(audited)) compare('waits', waiting, 0)
  const turns = liveIn(counts) - waiting
  const most = turnsIn(group)
  if (turns > most) compare('turns', turns, most)
  return found
}

/** How many members may run at once. */
function turnsIn({ sealed, mode }: Group): number {
  if (!sealed) return 0
  return mode === 'sequential' ? 1 : Number.POSITIVE_INFINITY
}

function liveIn({ total, completed, failed, cancelled, skipped }: Group['counts']): number {
  return total - completed - failed - cancelled - skipped
}

/** Whether something will end the waiting of those who wait for the group: its seal, the end of another, or a follow-up. */
function isMoving({ group, counts, waiting, isFollowedUp }: AuditedGroup): boolean {
  const hasTurn = group.mode === 'sequential' && !group.stopped && liveIn(counts) > waiting
  return !group.sealed || isFollowedUp || hasTurn
}
