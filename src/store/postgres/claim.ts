import type { ClientBase } from 'pg'
import { laneOf } from '../change.ts'
import { checkClaim } from '../claim-request.ts'
import { type ClaimedRow, claimedJob } from '../claimed-row.ts'
import type { ClaimRequest, StoredJob } from '../store.ts'
import type { Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

/** Takes the first ready jobs of the types asked for, in one statement and one round trip. */
export async function claim(
  client: ClientBase,
  sql: Statements,
  types: TypeIds,
  txOffset: number,
  request: ClaimRequest,
): Promise<readonly StoredJob[]> {
  const { workerId, token, limit, suspectLimit, context, now, ...asked } = checkClaim(request)
  const typeIds = await types.known(client, asked.types)
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = context
  const rows = await sql.arrays<ClaimedRow>(client, 'claimJobs', {
    lanes: typeIds.flatMap((id) => [laneOf(id, false), laneOf(id, true)]),
    limit,
    suspect_limit: suspectLimit,
    token,
    worker_id: workerId,
    ...{ actor, cause, execution_id: executionId, trace_id: traceId, span_id: spanId },
    now: now ?? null,
    tx_offset: txOffset,
  })
  const by = { workerId, token, typeName: (id: number) => types.nameOf(id) }
  // The rows come in no particular order: the statement reads them by key.
  return rows.map((row) => claimedJob(row, by)).sort(inOrder)
}

function inOrder({ job: a, guard: { pk: aPk } }: StoredJob, { job: b, guard: { pk: bPk } }: StoredJob): number {
  return b.priority - a.priority || a.position - b.position || aPk - bPk
}
