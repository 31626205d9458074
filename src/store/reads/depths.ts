import type { DepthRow } from '../store.ts'

/** Seats of one kind, of one type in one namespace. */
export interface SeatCount {
  readonly namespace: string
  readonly type: string
  readonly count: number
  /** Of ready ones: when the oldest was to start. */
  readonly oldest?: number | null
}

export type SeatCounts = Readonly<Record<'ready' | 'delayed' | 'gated' | 'running', readonly SeatCount[]>>

/** One row for each type in each namespace, by namespace and type. Both are plain letters, so any order of texts will do. */
export function depthRows(counts: SeatCounts): readonly DepthRow[] {
  const rows = new Map<string, DepthRow>()
  for (const seat of ['ready', 'delayed', 'gated', 'running'] as const) {
    for (const { namespace, type, count, oldest = null } of counts[seat]) {
      const key = `${namespace} ${type}`
      const row = rows.get(key) ?? { namespace, type, ready: 0, delayed: 0, gated: 0, running: 0, oldestReadyAt: null }
      rows.set(key, { ...row, [seat]: row[seat] + count, oldestReadyAt: row.oldestReadyAt ?? oldest })
    }
  }
  return [...rows.values()].sort((a, b) => compare(a.namespace, b.namespace) || compare(a.type, b.type))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
