import { laneOf } from '../change.ts'
import { claimInTurns } from '../claim-in-turns.ts'
import { type CheckedClaim, takesTurns } from '../claim-request.ts'
import type { ClaimedRow } from '../claimed-row.ts'
import { openLimits, passGates } from '../gates.ts'
import { SqliteClaimer } from './sqlite-claimer.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'
import {
  type Chosen,
  claimable,
  firstOfLane,
  firstReadable,
  inOrder,
  type ReadyRow,
  start,
  startFirst,
} from './start-attempt.ts'
import type { Statements } from './statements.ts'

interface DelayedRow {
  readonly due_at: number
  readonly job: number
  readonly revision: number
  readonly lane: number
  readonly priority: number
  readonly position: number
  readonly not_after: number | null
  readonly limited: number
  readonly namespace: string
}

/** How many due jobs one claim moves to the ready ones at the most. */
const promoteMax = 1_000

/**
 * Takes the first ready jobs of the types asked for. It is the decider's `claim`, written for speed: the contract holds it
 * equal to the decider, event for event and field for field.
 */
export async function claim(
  tx: SqliteTransaction,
  sql: Statements,
  request: CheckedClaim,
): Promise<readonly ClaimedRow[]> {
  const known = request.types.map((type) => tx.typeId(type))
  const found = look(tx, sql, request, known)
  // A worker that was found lost must take nothing more: what it took would only have to be rescued again.
  if (found.isLost) return []
  if (found.isDue) promoteDue(sql, tx.now)
  if (found.isOver) await openLimits(tx, tx.gates.expirePermits())
  const types = found.isPaused ? openTypes(sql, known) : known
  if (takesTurns(request)) return await claimInTurns(request, new SqliteClaimer(tx, sql, request, types))
  // What was due, or was let go by a limit, may be suspect.
  const suspectLimit = found.hasSuspects || found.isDue || found.isOver ? request.suspectLimit : 0
  return await claimFirst(tx, sql, { ...request, suspectLimit }, types, found.hasPathGates)
}

/** What a claim has to see to besides the first jobs, in one look: nearly always it is nothing. */
function look(tx: SqliteTransaction, sql: Statements, { workerId }: CheckedClaim, types: readonly number[]) {
  const lanes = JSON.stringify(types.map((id) => laneOf(id, true)))
  const flags = sql.row('besidesFirstJobs', workerId, tx.now, lanes) ?? []
  const [isLost, isDue, isOver, isPaused, hasPathGates, hasSuspects] = flags.map((flag) => flag === 1)
  return { isLost, isDue, isOver, isPaused, hasPathGates: hasPathGates === true, hasSuspects }
}

/** Of these types those that are not paused. */
function openTypes(sql: Statements, types: readonly number[]): readonly number[] {
  const paused = new Set(sql.all<{ type: number }>('pausedTypes', {}).map(({ type }) => type))
  return types.filter((id) => !paused.has(id))
}

/** How often a claim looks behind jobs that were shut out. Each time it looks at as many as it was asked for. */
const roundMax = 1_000

/** In the order of the queue, whatever the names. */
async function claimFirst(
  tx: SqliteTransaction,
  sql: Statements,
  request: CheckedClaim,
  types: readonly number[],
  hasPathGates: boolean,
): Promise<readonly ClaimedRow[]> {
  const started: ClaimedRow[] = []
  let { limit, suspectLimit } = request
  for (let round = 0; limit > 0 && round < roundMax; round++) {
    const first = chooseFirst(sql, tx.now, types, limit, suspectLimit)
    const chosen = first ?? choose(sql, tx.now, types, limit, suspectLimit)
    const isFree = !hasPathGates && chosen.every(({ ready }) => ready[4] === 0)
    if (isFree && first !== null) return [...started, ...startFirst(sql, tx.now, request, first)]
    const { passed, shutOut } = isFree ? { passed: chosen, shutOut: [] } : await passGates(tx, chosen.map(claimable))
    for (const each of passed) started.push(start(sql, tx.now, request, each))
    // Others stand behind those that were shut out.
    if (shutOut.length === 0) break
    limit -= passed.length
    suspectLimit -= passed.filter(({ ready: [lane] }) => lane % 2 === 1).length
  }
  return started
}

/** The first of their lanes, and none of those before the last is left out; null when one of them cannot be read. */
function chooseFirst(
  sql: Statements,
  now: number,
  types: readonly number[],
  limit: number,
  suspectLimit: number,
): readonly Chosen[] | null {
  const found: Chosen[] = []
  for (const id of types) {
    for (const isSuspect of [false, true]) {
      const most = isSuspect ? Math.min(limit, suspectLimit) : limit
      const first = most === 0 ? [] : firstOfLane(sql, laneOf(id, isSuspect), now, most)
      if (first === null) return null
      for (const each of first) found.push(each)
    }
  }
  if (types.length > 1 || suspectLimit > 0) found.sort((a, b) => inOrder(a.ready, b.ready))
  let suspects = 0
  const few = found.filter(({ ready: [lane] }) => lane % 2 === 0 || ++suspects <= suspectLimit)
  return few.slice(0, limit)
}

function choose(
  sql: Statements,
  now: number,
  types: readonly number[],
  limit: number,
  suspectLimit: number,
): readonly Chosen[] {
  const first = (suspect: boolean, most: number) => {
    const rows = types.flatMap((id) => sql.rows('readyInLane', laneOf(id, suspect), now, most) as readonly ReadyRow[])
    return types.length === 1 ? rows : rows.sort(inOrder).slice(0, most)
  }
  const suspects = firstReadable(sql, Math.min(limit, suspectLimit), (count) => first(true, count))
  const trusted = firstReadable(sql, limit, (count) => first(false, count))
  if (suspects.length === 0) return trusted
  return [...trusted, ...suspects].sort((a, b) => inOrder(a.ready, b.ready)).slice(0, limit)
}

function promoteDue(sql: Statements, now: number): void {
  for (const { due_at, ...place } of sql.all<DelayedRow>('dueDelayed', { now, limit: promoteMax })) {
    sql.run('takeDelayed', { due_at, job: place.job, revision: place.revision })
    sql.run('insertReady', { ...place })
  }
}
