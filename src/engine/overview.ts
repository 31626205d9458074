import { type JobName, resolveName } from '../core/names/job-name.ts'
import type { DepthRow, Store, TreeNode } from '../store/store.ts'
import { dateOf } from './job-view.ts'
import type { Page } from './jobs-api.ts'

export interface TreeQuery {
  /** A path; a relative one begins at the namespace. Default the roots: all namespaces. */
  readonly path?: string
  /** The cursor of the page before. */
  readonly cursor?: string | null
  /** Default 100. */
  readonly limit?: number
}

/** Jobs of one type in one namespace that wait or run. */
export interface DepthView extends Omit<DepthRow, 'oldestReadyAt'> {
  /** When the oldest job that is ready was to start; null when none is. */
  readonly oldestReadyAt: Date | null
}

export async function treeOf(store: Store, namespace: JobName, query: TreeQuery): Promise<Page<TreeNode>> {
  const { path: given, cursor: after = null, limit = 100 } = query
  const path = given === undefined ? null : resolveName(given, namespace).toWire()
  const { nodes, next } = await store.tree({ path, after, limit })
  return { items: nodes, cursor: next }
}

export async function depthsOf(store: Store): Promise<Page<DepthView>> {
  const rows = await store.depths()
  return { items: rows.map((row) => ({ ...row, oldestReadyAt: dateOf(row.oldestReadyAt) })), cursor: null }
}
