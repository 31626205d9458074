import { depthRows, type SeatCount } from '../reads/depths.ts'
import { countMax, isCrowded, lookedMax, type NodeRow, pathsToShow, type TreeParams, treePage } from '../reads/tree.ts'
import type { DepthRow, TreePage } from '../store.ts'
import type { Statements } from './statements.ts'

/** What people look at. */

export function tree(sql: Statements, params: TreeParams): TreePage {
  const { prefix, until, after, steps } = params
  const met = sql.all<{ name: string }>('treeNames', { prefix, until, after, steps })
  const paths = pathsToShow(
    params,
    met.map(({ name }) => name),
  )
  const most = { count_max: countMax, looked_max: lookedMax }
  const rows = sql.all<NodeRow>('treeNodes', { paths: JSON.stringify(paths), ...most })
  const crowded = rows.filter(isCrowded).map(({ path }) => path)
  const ended = sql.all<{ path: string; ended: number }>('treeEnded', {
    paths: JSON.stringify(crowded),
    looked_max: lookedMax,
  })
  return treePage(params, rows, new Map(ended.map(({ path, ended }) => [path, ended])))
}

export function depths(sql: Statements): readonly DepthRow[] {
  return depthRows({
    ready: sql.all<SeatCount>('depthsReady', {}),
    delayed: sql.all<SeatCount>('depthsDelayed', {}),
    gated: sql.all<SeatCount>('depthsGated', {}),
    running: sql.all<SeatCount>('depthsRunning', {}),
  })
}
