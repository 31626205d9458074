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
  const { workerId, token, context } = request
  // A worker that was found lost must take nothing more: what it took would only have to be rescued again.
  if (sql.get('lostWorker', { id: workerId }) !== undefined) return []
  promoteDue(sql, tx.now)
  return firstReadable(tx, sql, request).map(({ row, before }) => {
    sql.run('removeReadyRow', { row })
    // A clock that was set back does not close a gate that was open: no attempt starts before its time.
    const at = Math.max(tx.now, before.job.scheduledFor)
    const made = step(before.job, { type: 'claim', workerId, token }, at, context)
    const { after } = changeOf(before, made)
    tx.start(before, after, made.events)
    return after
  })
}

interface Chosen {
  readonly row: number
  readonly before: StoredJob
}

/** How many rows that cannot be read a claim passes over. */
const unreadableMax = 100

/** The first jobs in order. A row that cannot be read stays where it is, and must not hold up those behind it. */
function firstReadable(tx: SqliteTransaction, sql: Statements, request: CheckedClaim): readonly Chosen[] {
  const { types, limit, suspectLimit } = request
  for (let passed = 0; ; ) {
    const rows = choose(tx, sql, types, limit + passed, suspectLimit + passed)
    const chosen = readable(tx, rows)
    const unreadable = Math.min(unreadableMax, rows.length - chosen.length)
    if (unreadable <= passed) return withinLimits(chosen, limit, suspectLimit)
    passed = unreadable
  }
}

function readable(tx: SqliteTransaction, rows: readonly ReadyRow[]): readonly Chosen[] {
  const places = new Map(rows.map(({ row, job }) => [job, row]))
  const chosen = readEach(tx, [...places.keys()]).map((before) => ({ row: places.get(before.guard.pk) ?? 0, before }))
  const order = new Map(rows.map(({ row }, i) => [row, i]))
  return chosen.sort((a, b) => (order.get(a.row) ?? 0) - (order.get(b.row) ?? 0))
}

function readEach(tx: SqliteTransaction, pks: readonly number[]): StoredJob[] {
  try {
    return [...tx.loadByKey(pks)]
  } catch {
    return pks.length === 1 ? [] : pks.flatMap((pk) => readEach(tx, [pk]))
  }
}

function withinLimits(chosen: readonly Chosen[], limit: number, suspectLimit: number): readonly Chosen[] {
  let suspects = 0
  const allowed = chosen.filter(({ before }) => !before.job.suspect || ++suspects <= suspectLimit)
  return allowed.slice(0, limit)
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
