import { claimInTurns } from '../claim-in-turns.ts'
import { type CheckedClaim, takesTurns } from '../claim-request.ts'
import { openLimits } from '../gates.ts'
import type { StoredJob } from '../store.ts'
import { PostgresClaimer } from './postgres-claimer.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'
import { type ClaimTools, startAttempts, type Taken } from './start-attempts.ts'

/** Takes the first ready jobs of the types asked for, in one statement and one round trip, up to the first gate. */
export async function claim(tools: ClaimTools, request: CheckedClaim): Promise<Taken> {
  return sortedTaken(await startAttempts(tools, request, null))
}

/** The statements read jobs by their keys. */
export function sortedTaken({ jobs, isGated }: Taken): Taken {
  return { jobs: [...jobs].sort(inOrder), isGated }
}

/** Takes the first jobs that pass all gates; the others are parked where they are shut out. Within a transaction. */
export async function claimGated(
  tx: PostgresTransaction,
  tools: ClaimTools,
  request: CheckedClaim,
): Promise<readonly StoredJob[]> {
  const { client, sql } = tools
  await sql.run(client, 'letClaimIn', { barrier: sql.barrier })
  const [worker] = await sql.run<{ lost_at: number | null }>(client, 'holdWorker', { id: request.workerId })
  if (worker !== undefined && worker.lost_at !== null) return []
  await openLimits(tx, await tx.gates.expirePermits())
  // Else the one statement of a plain claim has done it.
  if (takesTurns(request)) await sql.run(client, 'promoteDue', { now: tx.now })
  return await claimInTurns(request, new PostgresClaimer(tx, tools, request))
}

function inOrder({ job: a, guard: { pk: aPk } }: StoredJob, { job: b, guard: { pk: bPk } }: StoredJob): number {
  return b.priority - a.priority || a.position - b.position || aPk - bPk
}
