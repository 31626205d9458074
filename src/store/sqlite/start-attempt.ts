import { catalogue } from '../../core/job/events.ts'
import type { CheckedClaim } from '../claim-request.ts'
import { type ClaimedRow, columnOf, isReadable, openState } from '../claimed-row.ts'
import type { Options } from '../job-row.ts'
import type { Statements } from './statements.ts'

/** A ready row: its place in the order and the job it leads to. */
export type ReadyRow = readonly [lane: number, job: number, priority: number, position: number, limited: number]

/** A row of a job that is claimed now, before the claim adds when the attempt started. */
type Row = readonly (string | number | null)[]

export interface Chosen {
  readonly ready: ReadyRow
  readonly row: Row
}

const revisionAt = columnOf('revision')
const nameAt = columnOf('name')
const namespaceAt = columnOf('namespace')
const versionAt = columnOf('version')
const attemptAt = columnOf('attempt')
const scheduledForAt = columnOf('scheduled_for')
const groupIdAt = columnOf('group_id')
const expiresAtAt = columnOf('expires_at')
const deadlineAtAt = columnOf('deadline_at')
const optionsAt = columnOf('options')
const stateAt = columnOf('state')

/** So many at once are worth statements for all of them. */
const manyRows = 16

/**
 * Starts the first jobs of their lanes, and no others: all that stand before the last of each lane are among them. What one
 * call of a statement costs is half of what it does, so there are few for all jobs together.
 */
export function startFirst(
  sql: Statements,
  now: number,
  request: CheckedClaim,
  chosen: readonly Chosen[],
): readonly ClaimedRow[] {
  if (chosen.length < manyRows) return chosen.map((each) => start(sql, now, request, each))
  const { workerId, token, context } = request
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = context
  const jobs = JSON.stringify(chosen.map(({ ready: [, job] }) => job))
  removeFirst(sql, now, chosen)
  const origin = { actor, cause, execution_id: executionId, trace_id: traceId, span_id: spanId }
  const first_row = sql.insert('insertStarts', { now, jobs, token, worker_id: workerId, ...origin })
  sql.run('insertClaims', { now, jobs, token, worker_id: workerId, first_row })
  return chosen.map(({ ready: [, job], row }) => {
    const startedAt = Math.max(now, Number(row[scheduledForAt]))
    const attemptDeadlineAt = deadlineOf(row, startedAt)
    moveDeadline(sql, job, row, attemptDeadlineAt)
    return [...row, startedAt, attemptDeadlineAt] as unknown as ClaimedRow
  })
}

function removeFirst(sql: Statements, now: number, chosen: readonly Chosen[]): void {
  const last = new Map<string, { readonly ready: ReadyRow; count: number }>()
  for (const { ready } of chosen) {
    const [lane, , priority] = ready
    const count = (last.get(`${lane} ${priority}`)?.count ?? 0) + 1
    last.set(`${lane} ${priority}`, { ready, count })
  }
  for (const { ready, count } of last.values()) {
    const [lane, job, priority, position] = ready
    const removed = sql.run('removeReadyRows', { lane, priority, position, job, now })
    if (removed !== count) throw new Error(`${removed} seats of lane ${lane} were taken for ${count} jobs.`)
  }
}

/** The start of an attempt: a row of its own, while the job's row stays as it is. */
export function start(sql: Statements, now: number, request: CheckedClaim, { ready, row }: Chosen): ClaimedRow {
  const { workerId, token, context } = request
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = context
  const [lane, job, priority, position] = ready
  const number = (column: number) => Number(row[column])
  sql.write('removeReadyRow', lane, priority, position, job)
  // A clock that was set back does not close a gate that was open: no attempt starts before its time.
  const startedAt = Math.max(now, number(scheduledForAt))
  const attemptDeadlineAt = deadlineOf(row, startedAt)
  moveDeadline(sql, job, row, attemptDeadlineAt)
  const isOpen = number(stateAt) === openState
  const data = `{"attempt":${number(attemptAt) + (isOpen ? 0 : 1)},"token":"${token}","workerId":"${workerId}","attemptDeadlineAt":${attemptDeadlineAt}}`
  const namespace = row[namespaceAt] ?? null
  const logId = sql.add(
    isOpen ? 'insertOwnEvent' : 'insertLedEvent',
    ...[
      job,
      number(versionAt) + 1,
      isOpen ? catalogue['job.run.resumed'] : 4,
      startedAt,
      now,
      namespace,
      actor,
      cause,
      executionId,
      traceId,
      spanId,
      data,
    ],
  )
  const startRow = isOpen ? null : logId
  sql.write('insertClaim', job, number(revisionAt) + 1, startedAt, attemptDeadlineAt, token, workerId, startRow)
  return [...row, startedAt, attemptDeadlineAt] as unknown as ClaimedRow
}

function deadlineOf(row: Row, startedAt: number): number | null {
  const text = row[optionsAt]
  // Most have none, and to find that out costs less than to read what else they have.
  if (typeof text !== 'string' || !text.includes('"timeoutMs"')) return null
  const { timeoutMs }: Options = JSON.parse(text)
  return timeoutMs === undefined ? null : startedAt + timeoutMs
}

/** What time alone would change: before the first attempt it may have been when the job expires. */
function moveDeadline(sql: Statements, job: number, row: Row, attemptDeadlineAt: number | null): void {
  const deadlineAt = row[deadlineAtAt] as number | null
  if (attemptDeadlineAt !== null || deadlineAt !== null) {
    const at = Math.min(attemptDeadlineAt ?? Number.POSITIVE_INFINITY, deadlineAt ?? Number.POSITIVE_INFINITY)
    sql.write('setDeadline', job, at)
  } else if (row[expiresAtAt] !== null) sql.write('removeDeadline', job)
}

/** A chosen job as gates look at it. */
export function claimable({ ready, row }: Chosen) {
  const { limits: named = [] }: Options = row[optionsAt] === null ? {} : JSON.parse(String(row[optionsAt]))
  const limits = Number(row[stateAt]) === openState ? [] : named
  const [name, namespace] = [String(row[nameAt]), String(row[namespaceAt])]
  const [lane, pk] = ready
  return {
    ready,
    row,
    pk,
    name,
    namespace,
    limits,
    scheduledFor: Number(row[scheduledForAt]),
    groupId: row[groupIdAt] as string | null,
    isSuspect: lane % 2 === 1,
  }
}

/** How many rows that cannot be read a claim passes over. */
const unreadableMax = 100

/**
 * The first jobs of those that `find` gives, which looks for so many. A row that cannot be read stays where it is, and
 * must not hold up those behind it.
 */
export function firstReadable(
  sql: Statements,
  most: number,
  find: (count: number) => readonly ReadyRow[],
): readonly Chosen[] {
  for (let passed = 0; ; ) {
    const places = find(most + passed)
    const chosen = readable(sql, places)
    const unreadable = Math.min(unreadableMax, places.length - chosen.length)
    if (unreadable <= passed) return chosen.length <= most ? chosen : chosen.slice(0, most)
    passed = unreadable
  }
}

/** The first jobs of a lane, read at once; null when one of them cannot be read, and they have to be looked at one by one. */
export function firstOfLane(sql: Statements, lane: number, now: number, most: number): readonly Chosen[] | null {
  try {
    const rows = sql.rows('readyJobsInLane', lane, now, most)
    const chosen = rows.map((row): Chosen => ({ ready: row.slice(0, 5) as unknown as ReadyRow, row: row.slice(5) }))
    return chosen.every(({ row }) => row[0] !== null && isReadable(row as unknown as ClaimedRow)) ? chosen : null
  } catch {
    return null
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

/** The order of the queue. */
export function inOrder([, aJob, aPriority, aPosition]: ReadyRow, [, bJob, bPriority, bPosition]: ReadyRow): number {
  return bPriority - aPriority || aPosition - bPosition || aJob - bJob
}
