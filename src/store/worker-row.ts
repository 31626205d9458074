import type { WorkerRow } from './store.ts'

export interface WorkerColumns {
  readonly id: string
  readonly name: string
  readonly started_at: number
  readonly seen_at: number
  readonly lease_until: number
  readonly lost_at: number | null
  /** JSON. */
  readonly types: string
}

export function workerOfRow(row: WorkerColumns): WorkerRow {
  const { id, name, started_at: startedAt, seen_at: seenAt, lease_until: leaseUntil, lost_at: lostAt } = row
  return { id, name, startedAt, seenAt, leaseUntil, lostAt, types: JSON.parse(row.types) }
}
