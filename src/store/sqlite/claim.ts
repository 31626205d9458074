import { laneOf } from '../change.ts'
import type { CheckedClaim } from '../claim-request.ts'
import { type ClaimedRow, columnOf, isReadable } from '../claimed-row.ts'
import { openLimits, passGates } from '../gates.ts'
import type { Options } from '../job-row.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'
import type { Statements } from './statements.ts'

/** A ready row: its place in the order and the job it leads to. */
type ReadyRow = readonly [lane: number, job: number, priority: number, position: number, limited: number]

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

/** A row of a job that is claimed now, before the claim adds when the attempt started. */
type Row = readonly (string | number | null)[]

/** How many due jobs one claim moves to the ready ones at the most. */
const promoteMax = 1_000

const revisionAt = columnOf('revision')
const nameAt = columnOf('name')
const namespaceAt = columnOf('namespace')
const versionAt = columnOf('version')
const attemptAt = columnOf('attempt')
const scheduledForAt = columnOf('scheduled_for')
const expiresAtAt = columnOf('expires_at')
const deadlineAtAt = columnOf('deadline_at')
const optionsAt = columnOf('options')

/**
 * Takes the first ready jobs of the types asked for. It is the decider's `claim`, written for speed: the contract holds it
 * equal to the decider, event for event and field for field.
 */
export async function claim(
  tx: SqliteTransaction,
  sql: Statements,
  request: CheckedClaim,
): Promise<readonly ClaimedRow[]> {
  // A worker that was found lost must take nothing more: what it took would only have to be rescued again.
  if (sql.get('lostWorker', { id: request.workerId }) !== undefined) return []
  promoteDue(sql, tx.now)
  await openLimits(tx, tx.gates.expirePermits())
  const hasPathGates = tx.gates.hasPaths
  const started: ClaimedRow[] = []
  let { limit, suspectLimit } = request
  for (let round = 0; limit > 0 && round < roundMax; round++) {
    const chosen = firstReadable(tx, sql, { ...request, limit, suspectLimit })
    const isFree = !hasPathGates && chosen.every(({ ready }) => ready[4] === 0)
    const { passed, shutOut } = isFree ? { passed: chosen, shutOut: 0 } : await pass(tx, chosen)
    for (const { ready, row } of passed) started.push(start(sql, tx.now, request, ready, row))
    // Others stand behind those that were shut out.
    if (shutOut === 0) break
    limit -= passed.length
    suspectLimit -= passed.filter(({ ready: [lane] }) => lane % 2 === 1).length
  }
  return started
}

/** How often a claim looks behind jobs that were shut out. Each time it looks at as many as it was asked for. */
const roundMax = 1_000

async function pass(tx: SqliteTransaction, chosen: readonly Chosen[]) {
  const claimable = chosen.map(({ ready, row }) => {
    const { limits = [] }: Options = row[optionsAt] === null ? {} : JSON.parse(String(row[optionsAt]))
    const scheduledFor = Number(row[scheduledForAt])
    return { ready, row, pk: ready[1], name: String(row[nameAt]), limits, scheduledFor }
  })
  return await passGates(tx, claimable)
}

/** The start of an attempt: a row of its own, while the job's row stays as it is. */
function start(sql: Statements, now: number, request: CheckedClaim, ready: ReadyRow, row: Row): ClaimedRow {
  const { workerId, token, context } = request
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = context
  const [lane, job, priority, position] = ready
  const number = (column: number) => Number(row[column])
  sql.write('removeReadyRow', lane, priority, position, job)
  // A clock that was set back does not close a gate that was open: no attempt starts before its time.
  const startedAt = Math.max(now, number(scheduledForAt))
  const options: Options = row[optionsAt] === null ? {} : JSON.parse(String(row[optionsAt]))
  const attemptDeadlineAt = options.timeoutMs === undefined ? null : startedAt + options.timeoutMs
  moveDeadline(sql, job, row, attemptDeadlineAt)
  sql.write('insertClaim', job, number(revisionAt) + 1, startedAt, attemptDeadlineAt, token, workerId)
  const data = `{"attempt":${number(attemptAt) + 1},"token":"${token}","workerId":"${workerId}","attemptDeadlineAt":${attemptDeadlineAt}}`
  const namespace = row[namespaceAt] ?? null
  sql.write(
    'insertOwnEvent',
    ...[job, number(versionAt) + 1, 4, startedAt, now, namespace, actor, cause, executionId, traceId, spanId, data],
  )
  return [...row, startedAt, attemptDeadlineAt] as unknown as ClaimedRow
}

/** What time alone would change: before the first attempt it may have been when the job expires. */
function moveDeadline(sql: Statements, job: number, row: Row, attemptDeadlineAt: number | null): void {
  const deadlineAt = row[deadlineAtAt] as number | null
  if (attemptDeadlineAt !== null || deadlineAt !== null) {
    const at = Math.min(attemptDeadlineAt ?? Number.POSITIVE_INFINITY, deadlineAt ?? Number.POSITIVE_INFINITY)
    sql.write('setDeadline', job, at)
  } else if (row[expiresAtAt] !== null) sql.write('removeDeadline', job)
}

interface Chosen {
  readonly ready: ReadyRow
  readonly row: Row
}

/** How many rows that cannot be read a claim passes over. */
const unreadableMax = 100

/** The first jobs in order. A row that cannot be read stays where it is, and must not hold up those behind it. */
function firstReadable(tx: SqliteTransaction, sql: Statements, request: CheckedClaim): readonly Chosen[] {
  const { types, limit, suspectLimit } = request
  for (let passed = 0; ; ) {
    const places = choose(tx, sql, types, limit + passed, suspectLimit + passed)
    const chosen = readable(sql, places)
    const unreadable = Math.min(unreadableMax, places.length - chosen.length)
    if (unreadable <= passed) return withinLimits(chosen, limit, suspectLimit)
    passed = unreadable
  }
}

function readable(sql: Statements, places: readonly ReadyRow[]): readonly Chosen[] {
  const chosen: Chosen[] = []
  for (const ready of places) {
    const row = readOne(sql, ready[1])
    if (row !== null) chosen.push({ ready, row })
  }
  return chosen
}

function readOne(sql: Statements, pk: number): Row | null {
  try {
    const row = sql.row('jobToClaim', pk)
    return row !== null && isReadable(row as unknown as ClaimedRow) ? row : null
  } catch {
    return null
  }
}

function withinLimits(chosen: readonly Chosen[], limit: number, suspectLimit: number): readonly Chosen[] {
  let suspects = 0
  const allowed = chosen.filter(({ ready: [lane] }) => lane % 2 === 0 || ++suspects <= suspectLimit)
  return allowed.length <= limit ? allowed : allowed.slice(0, limit)
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
  const paused = new Set(sql.all<{ type: number }>('pausedTypes', {}).map(({ type }) => type))
  const ids = types.map((type) => tx.typeId(type)).filter((id) => !paused.has(id))
  const first = (suspect: boolean, most: number) => {
    const rows = ids.flatMap((id) => sql.rows('readyInLane', laneOf(id, suspect), tx.now, most) as readonly ReadyRow[])
    return ids.length === 1 ? rows : rows.sort(inOrder).slice(0, most)
  }
  const suspects = first(true, Math.min(limit, suspectLimit))
  const trusted = first(false, limit)
  return suspects.length === 0 ? trusted : [...trusted, ...suspects].sort(inOrder).slice(0, limit)
}

function inOrder([, aJob, aPriority, aPosition]: ReadyRow, [, bJob, bPriority, bPosition]: ReadyRow): number {
  return bPriority - aPriority || aPosition - bPosition || aJob - bJob
}
