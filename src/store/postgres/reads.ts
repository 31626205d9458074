import type { ClientBase } from 'pg'
import type { ListParams } from '../check-work.ts'
import { depthRows, type SeatCount } from '../reads/depths.ts'
import { type Asking, keysListed } from '../reads/lists.ts'
import { countMax, isCrowded, lookedMax, type NodeRow, pathsToShow, type TreeParams, treePage } from '../reads/tree.ts'
import type { DepthRow, ListPage, TreePage } from '../store.ts'
import { jobsByKey } from './load-jobs.ts'
import type { Statements } from './statements.ts'

/** What people look at, each a read at one instant. */

export async function list(client: ClientBase, sql: Statements, { type, ...params }: ListParams): Promise<ListPage> {
  const [known] = type === null ? [] : await sql.run<{ id: number }>(client, 'typeIds', { names: [type] })
  if (type !== null && known === undefined) return { jobs: [], next: null }
  const { pks, next } = await answered(client, sql, keysListed({ ...params, type: known?.id ?? null }))
  return { jobs: [...(await jobsByKey(client, sql, pks))].reverse(), next }
}

async function answered<T>(client: ClientBase, sql: Statements, asking: Asking<T>): Promise<T> {
  for (let asked = asking.next(); ; ) {
    if (asked.done) return asked.value
    const { statement, params } = asked.value
    asked = asking.next(await sql.run(client, statement, params))
  }
}

export async function tree(client: ClientBase, sql: Statements, params: TreeParams): Promise<TreePage> {
  const { prefix, until, after, steps } = params
  const met = await sql.run<{ name: string }>(client, 'treeNames', { prefix, until, after, steps })
  const paths = pathsToShow(
    params,
    met.map(({ name }) => name),
  )
  const rows = await sql.run<NodeRow>(client, 'treeNodes', { paths, count_max: countMax, looked_max: lookedMax })
  const crowded = rows.filter(isCrowded).map(({ path }) => path)
  const ended =
    crowded.length === 0
      ? []
      : await sql.run<{ path: string; ended: number }>(client, 'treeEnded', { paths: crowded, looked_max: lookedMax })
  return treePage(params, rows, new Map(ended.map(({ path, ended }) => [path, ended])))
}

export async function depths(client: ClientBase, sql: Statements): Promise<readonly DepthRow[]> {
  return depthRows({
    ready: await sql.run<SeatCount>(client, 'depthsReady'),
    delayed: await sql.run<SeatCount>(client, 'depthsDelayed'),
    gated: await sql.run<SeatCount>(client, 'depthsGated'),
    running: await sql.run<SeatCount>(client, 'depthsRunning'),
  })
}
