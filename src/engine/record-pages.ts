import type { ListInput } from '../store/controls.ts'
import type { Page } from './jobs-api.ts'
import { cursorOf, keyIn } from './row-cursor.ts'

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
  return { ...(path === undefined ? {} : { path }), withReleased: all, before: keyIn(cursor), limit }
}

export function pageOf<Row, View>(
  { items, next }: { readonly items: readonly Row[]; readonly next: number | string | null },
  view: (row: Row) => View,
): Page<View> {
  return { items: items.map(view), cursor: typeof next === 'number' ? cursorOf(next) : next }
}
