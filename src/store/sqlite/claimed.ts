import { type ClaimedRow, claimedJob } from '../claimed-row.ts'
import type { ClaimRequest, StoredJob } from '../store.ts'

/** What a claim took, before rows are made into jobs, and the names of the types by number. */
export interface Claimed {
  readonly rows: readonly ClaimedRow[]
  readonly types: readonly (readonly [id: number, name: string])[]
}

export function claimedJobs(
  { rows, types }: Claimed,
  { workerId, token }: Pick<ClaimRequest, 'workerId' | 'token'>,
): readonly StoredJob[] {
  const names = new Map(types)
  const by = { workerId, token, typeName: (id: number) => names.get(id) ?? '' }
  return rows.map((row) => claimedJob(row, by))
}
