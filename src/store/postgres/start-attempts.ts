import type { ClientBase } from 'pg'
import { laneOf } from '../change.ts'
import type { CheckedClaim } from '../claim-request.ts'
import { claimedJob } from '../claimed-row.ts'
import type { StoredJob } from '../store.ts'
import { type ClaimedAnswer, claimedRow } from './claimed-answer.ts'
import type { Params, Statements } from './statements.ts'
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
  const { client, sql } = tools
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = request.context
  // Where nothing may be stored, the one statement that does it all is sent.
  const isShort = only === null && sql.isStored('claimFirstJobs')
  const rows = await sql.arrays<ClaimedAnswer>(client, isShort ? 'claimFirstJobs' : 'claimJobs', {
    ...(await claimParams(tools, request)),
    ...{ actor, cause, execution_id: executionId, trace_id: traceId, span_id: spanId },
    only,
  })
  return takenOf(rows, tools, request)
}

/** What was written, and what the claim that went with it took. */
export interface Both<Result> {
  readonly result: Result
  /** An error when what was claimed cannot be read: what was written is written all the same. */
  readonly taken: Taken | Error
}

/** What a program has written before it claimed: when, the keys of the jobs, and how many it made ready and did not look for. */
export interface Written {
  readonly at: number
  readonly pks: readonly number[]
  readonly left: number
}

/**
 * Writes what makes jobs ready and starts attempts for a worker, in one transaction. Null when nothing was done, because more has to
 * be done than the program can; it throws when a name or an id is taken, or is about to be.
 */
export async function writeAndClaim(
  tools: ClaimTools,
  program: 'insertAndClaim' | 'completeTasksAndClaim',
  params: Params,
  request: CheckedClaim,
): Promise<Both<Written> | null> {
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = request.context
  const rows = await tools.sql.arrays<ClaimedAnswer>(tools.client, program, {
    ...(await claimParams(tools, request)),
    ...{ worker_actor: actor, worker_cause: cause, worker_execution: executionId, worker_trace: traceId },
    ...{ worker_span: spanId, only: null },
    ...params,
  })
  const [first, ...claimed] = rows
  if (first === undefined) return null
  const [, , , , , left, at, , , , pks] = first
  return { result: { at, pks: JSON.parse(pks ?? '[]'), left }, taken: readable(() => takenOf(claimed, tools, request)) }
}

function readable(read: () => Taken): Taken | Error {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function claimParams(tools: ClaimTools, request: CheckedClaim): Promise<Params> {
  const { workerId, token, limit, suspectLimit, now } = request
  const lanes = await lanesOf(tools, request)
  return {
    lanes,
    plain_lanes: lanes.filter((lane) => lane % 2 === 0),
    suspect_lanes: lanes.filter((lane) => lane % 2 === 1),
    limit,
    suspect_limit: suspectLimit,
    token,
    worker_id: workerId,
    now: now ?? null,
    tx_offset: tools.txOffset,
    barrier: tools.sql.barrier,
  }
}

function takenOf(rows: readonly ClaimedAnswer[], { types }: ClaimTools, { workerId, token }: CheckedClaim): Taken {
  const by = { workerId, token, typeName: (id: number) => types.nameOf(id) }
  const claimed = rows.filter(([pk]) => pk !== null)
  return { jobs: claimed.map((row) => claimedJob(claimedRow(row), by)), isGated: claimed.length < rows.length }
}

export async function lanesOf({ client, types }: ClaimTools, request: CheckedClaim): Promise<readonly number[]> {
  const typeIds = await types.known(client, request.types)
  return typeIds.flatMap((id) => [laneOf(id, false), laneOf(id, true)])
}
