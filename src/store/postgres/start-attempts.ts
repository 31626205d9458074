import type { ClientBase } from 'pg'
import { laneOf } from '../change.ts'
import type { CheckedClaim } from '../claim-request.ts'
import { claimedJob } from '../claimed-row.ts'
import type { StoredJob } from '../store.ts'
import { type ClaimedAnswer, claimedRow } from './claimed-answer.ts'
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
  /** In no particular order: the statement reads them by key. */
  readonly jobs: readonly StoredJob[]
  /** There are jobs that have to pass a gate first: pauses and limits must be looked at. */
  readonly isGated: boolean
}

/** Starts attempts in one statement: of the first ready jobs, up to the first gate, or of the seats at these places. */
export async function startAttempts(
  tools: ClaimTools,
  request: CheckedClaim,
  only: readonly string[] | null,
): Promise<Taken> {
  const { client, sql, types, txOffset } = tools
  const { workerId, token, limit, suspectLimit, context, now } = request
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = context
  const rows = await sql.arrays<ClaimedAnswer>(client, 'claimJobs', {
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
  return { jobs: claimed.map((row) => claimedJob(claimedRow(row), by)), isGated: claimed.length < rows.length }
}

export async function lanesOf({ client, types }: ClaimTools, request: CheckedClaim): Promise<readonly number[]> {
  const typeIds = await types.known(client, request.types)
  return typeIds.flatMap((id) => [laneOf(id, false), laneOf(id, true)])
}
