import type { ListParams } from '../check-work.ts'
import { type JobRow, storedJob } from '../job-row.ts'
import { depthRows, type SeatCount } from '../reads/depths.ts'
import { type Ask, type Asking, keysListed } from '../reads/lists.ts'
import { countMax, isCrowded, lookedMax, type NodeRow, pathsToShow, type TreeParams, treePage } from '../reads/tree.ts'
import type { DepthRow, ListPage, TreePage } from '../store.ts'
import type { Statements } from './statements.ts'

/** What people look at. */

export function list(sql: Statements, { type, ...params }: ListParams): ListPage {
  const typeId = type === null ? null : sql.get<{ id: number }>('typeIdByName', { name: type })?.id
  if (typeId === undefined) return { jobs: [], next: null }
  const { pks, next } = answered(sql, keysListed({ ...params, type: typeId }))
  const rows = sql.all<JobRow>('jobsByKey', { pks: JSON.stringify(pks) })
  return { jobs: rows.map(storedJob).sort((a, b) => b.guard.pk - a.guard.pk), next }
}

function answered<T>(sql: Statements, asking: Asking<T>): T {
  for (let asked = asking.next(); ; ) {
    if (asked.done) return asked.value
    const { statement, params } = asked.value
    asked = asking.next(sql.all(statement, Object.fromEntries(Object.entries(params).map(parameter))))
  }
}

/** Lists go to a statement as JSON. */
function parameter([name, value]: [string, Ask['params'][string]]): [string, string | number | null] {
  return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value]
}

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
