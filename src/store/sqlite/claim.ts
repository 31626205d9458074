import { step } from '../../core/job/decide.ts'
import { changeOf, laneOf } from '../change.ts'
import type { CheckedClaim } from '../claim-request.ts'
import type { StoredJob } from '../store.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'
import type { Statements } from './statements.ts'

/** A ready row: its place in the order and the job it leads to. */
interface ReadyRow {
  readonly row: number
  readonly job: number
  readonly priority: number
  readonly position: number
}

interface DelayedRow {
  readonly due_at: number
  readonly job: number
  readonly revision: number
  readonly lane: number
  readonly priority: number
  readonly position: number
  readonly not_after: number | null
}

/** How many due jobs one claim moves to the ready ones at the most. */
const promoteMax = 1_000

/** Takes the first ready jobs of the types asked for. What the job becomes is decided by the core, like everything. */
export function claim(tx: SqliteTransaction, sql: Statements, request: CheckedClaim): readonly StoredJob[] {
  const { types, limit, suspectLimit, workerId, token, context } = request
  // A worker that was found lost must take nothing more: what it took would only have to be rescued again.
  if (sql.get('lostWorker', { id: workerId }) !== undefined) return []
  promoteDue(sql, tx.now)
  const chosen = choose(tx, sql, types, limit, suspectLimit)
  const stored = new Map(tx.loadByKey(chosen.map(({ job }) => job)).map((job) => [job.guard.pk, job]))
  return chosen.flatMap(({ row, job }) => {
    const before = stored.get(job)
    if (before === undefined) return []
    sql.run('removeReadyRow', { row })
    // A clock that was set back does not close a gate that was open: no attempt starts before its time.
    const at = Math.max(tx.now, before.job.scheduledFor)
    const made = step(before.job, { type: 'claim', workerId, token }, at, context)
    const { after } = changeOf(before, made)
    tx.start(before, after, made.events)
    return [after]
  })
}

function promoteDue(sql: Statements, now: number): void {
  for (const { due_at, ...place } of sql.all<DelayedRow>('dueDelayed', { now, limit: promoteMax })) {
    sql.run('takeDelayed', { due_at, job: place.job, revision: place.revision })
    sql.run('insertReady', { ...place })
  }
}

function choose(
  tx: SqliteTransaction,
  sql: Statements,
  types: readonly string[],
  limit: number,
  suspectLimit: number,
): readonly ReadyRow[] {
  const ids = types.map((type) => tx.typeId(type))
  const first = (suspect: boolean, most: number) => {
    const rows = ids.flatMap((id) =>
      sql.all<ReadyRow>('readyInLane', { lane: laneOf(id, suspect), limit: most, now: tx.now }),
    )
    return ids.length === 1 ? rows : rows.sort(inOrder).slice(0, most)
  }
  const suspects = first(true, Math.min(limit, suspectLimit))
  const trusted = first(false, limit)
  return suspects.length === 0 ? trusted : [...trusted, ...suspects].sort(inOrder).slice(0, limit)
}

function inOrder(a: ReadyRow, b: ReadyRow): number {
  return b.priority - a.priority || a.position - b.position || a.job - b.job
}
