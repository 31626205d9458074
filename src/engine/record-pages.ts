import { refuse } from '../store/check-input.ts'
import type { ListInput } from '../store/controls.ts'
import type { Page } from './jobs-api.ts'

export interface RecordsQuery {
  /** Only at this path or below. */
  readonly path?: string
  /** Those that are archived, deleted or over, too. Default false. */
  readonly all?: boolean
  /** The cursor of the page before. */
  readonly cursor?: string | null
  /** Default 100. */
  readonly limit?: number
}

export function requestOf({ path, all = false, cursor = null, limit = 100 }: RecordsQuery): ListInput {
  if (cursor !== null && !/^[0-9]{1,15}$/.test(String(cursor))) {
    throw refuse('cursor', cursor, 'must be a cursor that a list gave')
  }
  const before = cursor === null ? null : Number(cursor)
  return { ...(path === undefined ? {} : { path }), withReleased: all, before, limit }
}

export function pageOf<Row, View>(
  { items, next }: { readonly items: readonly Row[]; readonly next: number | string | null },
  view: (row: Row) => View,
): Page<View> {
  return { items: items.map(view), cursor: next === null ? null : String(next) }
}
