import type { NewWorker, WorkerRow } from './store.ts'

export interface WorkerColumns {
  readonly id: string
  readonly name: string
  readonly started_at: number
  readonly seen_at: number
  readonly lease_until: number
  readonly lost_at: number | null
  /** JSON. */
  readonly types: string
  /** JSON. */
  readonly paths: string | null
}

export function workerOfRow(row: WorkerColumns): WorkerRow {
  const { id, name, started_at: startedAt, seen_at: seenAt, lease_until: leaseUntil, lost_at: lostAt } = row
  const paths = row.paths === null ? null : JSON.parse(row.paths)
  return { id, name, startedAt, seenAt, leaseUntil, lostAt, types: JSON.parse(row.types), paths }
}

/** What a worker takes, as columns. */
export function takenBy({ types, paths }: Required<NewWorker>): Pick<WorkerColumns, 'types' | 'paths'> {
  return { types: JSON.stringify(types), paths: paths === null ? null : JSON.stringify(paths) }
}
