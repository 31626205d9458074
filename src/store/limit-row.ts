import type { Limit, LimitState } from '../core/gates/limit.ts'
import type { LimitRow } from './store.ts'

export interface LimitColumns {
  readonly id: number
  readonly key: string
  readonly concurrency: number | null
  readonly rate_count: number | null
  readonly rate_ms: number | null
  readonly held: number
  readonly started: number
}

export interface WaitingColumns {
  readonly id: number
  readonly waiting: number
}

export function limitOfRow({ id, held, started, ...row }: LimitColumns): LimitState {
  return { id, ...plainLimit(row), held: Number(held), started: Number(started) }
}

export function shownLimits(rows: readonly LimitColumns[], waiting: readonly WaitingColumns[]): readonly LimitRow[] {
  const counts = new Map(waiting.map((row) => [row.id, Number(row.waiting)]))
  return rows.map((row) => {
    const { id, ...state } = limitOfRow(row)
    return { ...state, waiting: counts.get(id) ?? 0 }
  })
}

function plainLimit(row: Pick<LimitColumns, 'key' | 'concurrency' | 'rate_count' | 'rate_ms'>): Limit {
  const { key, concurrency, rate_count: count, rate_ms: perMs } = row
  return { key, concurrency, rate: count === null || perMs === null ? null : { count, perMs } }
}
