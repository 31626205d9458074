import type { ClientBase } from 'pg'
import { laneOf } from '../change.ts'
import type { CheckedClaim } from '../claim-request.ts'
import { type ClaimedRow, claimedJob } from '../claimed-row.ts'
import { openLimits, passGates } from '../gates.ts'
import type { Options } from '../job-row.ts'
import type { StoredJob } from '../store.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'
import type { Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

/** What a claim needs of its store. */
export interface ClaimTools {
  readonly client: ClientBase
  readonly sql: Statements
  readonly types: TypeIds
  readonly txOffset: number
}

export interface Taken {
  readonly jobs: readonly StoredJob[]
  /** There are jobs that have to pass a gate first: pauses and limits must be looked at. */
  readonly isGated: boolean
}

/** Takes the first ready jobs of the types asked for, in one statement and one round trip, up to the first gate. */
export async function claim(tools: ClaimTools, request: CheckedClaim): Promise<Taken> {
  return await take(tools, request, null)
}

async function take(tools: ClaimTools, request: CheckedClaim, only: readonly number[] | null): Promise<Taken> {
  const { client, sql, types, txOffset } = tools
  const { workerId, token, limit, suspectLimit, context, now } = request
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = context
  const rows = await sql.arrays<ClaimedRow>(client, 'claimJobs', {
    lanes: await lanesOf(tools, request),
    limit,
    suspect_limit: suspectLimit,
    token,
    worker_id: workerId,
    ...{ actor, cause, execution_id: executionId, trace_id: traceId, span_id: spanId },
    now: now ?? null,
    tx_offset: txOffset,
    only,
  })
  const by = { workerId, token, typeName: (id: number) => types.nameOf(id) }
  const claimed = rows.filter(([pk]) => pk !== null)
  // The rows come in no particular order: the statement reads them by key.
  const jobs = claimed.map((row) => claimedJob(row, by)).sort(inOrder)
  return { jobs, isGated: claimed.length < rows.length }
}

async function lanesOf({ client, types }: ClaimTools, request: CheckedClaim): Promise<readonly number[]> {
  const typeIds = await types.known(client, request.types)
  return typeIds.flatMap((id) => [laneOf(id, false), laneOf(id, true)])
}

interface CandidateRow {
  readonly pk: number
  readonly suspect: number
  readonly name: string
  readonly options: string | null
  readonly scheduled_for: number
  readonly group_id: string | null
}

/** How often a claim looks behind jobs that were shut out. Each time it looks at as many as it was asked for. */
const roundMax = 1_000

/** Takes the first jobs that pass all gates; the others are parked where they are shut out. Within a transaction. */
export async function claimGated(
  tx: PostgresTransaction,
  tools: ClaimTools,
  request: CheckedClaim,
): Promise<readonly StoredJob[]> {
  const { client, sql } = tools
  const [worker] = await sql.run<{ lost_at: number | null }>(client, 'holdWorker', { id: request.workerId })
  if (worker !== undefined && worker.lost_at !== null) return []
  await openLimits(tx, await tx.gates.expirePermits())
  const taken: StoredJob[] = []
  let { limit, suspectLimit } = request
  for (let round = 0; limit > 0 && round < roundMax; round++) {
    const rows = await sql.run<CandidateRow>(client, 'claimCandidates', {
      lanes: await lanesOf(tools, request),
      limit,
      suspect_limit: suspectLimit,
      now: tx.now,
    })
    const { passed, shutOut } = await passGates(tx, rows.map(claimable))
    const only = passed.map(({ pk }) => pk)
    const most = { ...request, limit: rows.length, suspectLimit, now: tx.now }
    if (only.length > 0) taken.push(...(await take(tools, most, only)).jobs)
    // Others stand behind those that were shut out.
    if (shutOut === 0) break
    limit -= passed.length
    suspectLimit -= passed.filter(({ isSuspect }) => isSuspect).length
  }
  return taken
}

function claimable({ pk, suspect, name, options, scheduled_for: scheduledFor, group_id: groupId }: CandidateRow) {
  const { limits = [] }: Options = options === null ? {} : JSON.parse(options)
  return { pk, name, limits, scheduledFor, groupId, isSuspect: suspect === 1 }
}

function inOrder({ job: a, guard: { pk: aPk } }: StoredJob, { job: b, guard: { pk: bPk } }: StoredJob): number {
  return b.priority - a.priority || a.position - b.position || aPk - bPk
}
