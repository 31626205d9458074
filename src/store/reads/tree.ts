import { JobName } from '../../core/names/job-name.ts'
import { checkLimit, checkObject, checkText, refuse } from '../check-input.ts'
import type { CappedCount, TreeNode, TreePage, TreeRequest } from '../store.ts'

/**
 * The children of a path, found by jumps along the index of names. In the order of bytes `/a/x`, `/a/x-y`, `/a/x/z` follow
 * one another, because some signs come before the slash: so a component can be met twice, as a job and, behind others, as a
 * branch. Stores jump from one meeting to the next; what follows from what they met is found here.
 */

/** How far jobs are counted. */
export const countMax = 1_000

/** So many jobs have to be looked at to count those that are over, when as many as can be counted are not. */
export const lookedMax = 2 * countMax + 2

/** The most bytes of a component, and so the most components that begin with the same one and stand before its branch. */
const componentMax = 128

export interface TreeParams {
  /** What all names below the path begin with. */
  readonly prefix: string
  /** The first text behind them: the sign after the slash is 0. */
  readonly until: string
  /** A component; empty for the first page. */
  readonly after: string
  readonly limit: number
  /**
   * How many jumps are enough: each component is met twice at the most, and of those before `after` only branches whose
   * names are the beginning of it.
   */
  readonly steps: number
}

export function checkTree(request: TreeRequest): TreeParams {
  const { path, after, limit } = checkObject(request, 'a request') as TreeRequest
  const above = path === null ? '' : JobName.parse(path).toWire()
  if (above !== '') checkText(above, 'path', 4_096)
  const most = checkLimit(limit)
  return {
    prefix: `${above}/`,
    until: `${above}0`,
    after: after === null || after === undefined ? '' : checkComponent(after),
    limit: most,
    steps: 2 * (most + 1) + componentMax,
  }
}

function checkComponent(after: unknown): string {
  const text = checkText(after, 'after', 1_024)
  if (text.includes('/')) throw refuse('after', after, 'must be a cursor that this store gave')
  return text
}

/** The paths that a page may consist of, one more than it has room for. Some of them may not exist. */
export function pathsToShow({ prefix, after, limit }: TreeParams, names: readonly string[]): readonly string[] {
  const met = new Set(names.map((name) => name.slice(prefix.length).split('/', 1)[0] ?? ''))
  const found = [...met].filter((part) => byBytes(part, after) > 0).sort(byBytes)
  const shown = found.slice(0, limit + 1)
  // Only a branch whose name is the beginning of the last can come before it and be met later.
  const early = beginnings(shown.at(-1) ?? '').filter((part) => byBytes(part, after) > 0 && !met.has(part))
  return [...shown, ...early].map((part) => prefix + part)
}

/** What of a component stands before a sign that comes before the slash. */
function beginnings(component: string): readonly string[] {
  return [...component].flatMap((sign, i) => (i > 0 && sign < '/' ? [[...component].slice(0, i).join('')] : []))
}

/** What a store tells of a path. */
export interface NodeRow {
  readonly path: string
  readonly job: number | boolean
  readonly branch: number | boolean
  /** Not above `countMax` by more than two. */
  readonly live: number
  /** All jobs at and below it; at least `lookedMax` when there are so many. */
  readonly total: number
}

/** Whether so many are live that those that are over have to be counted by themselves. */
export function isCrowded({ live }: Pick<NodeRow, 'live'>): boolean {
  return live > countMax
}

/** `ended`: of crowded paths, how many of the first `lookedMax` jobs are over. */
export function treePage(
  { prefix, limit }: TreeParams,
  rows: readonly NodeRow[],
  ended: ReadonlyMap<string, number>,
): TreePage {
  const nodes = rows
    .filter(({ total }) => total > 0)
    .sort((a, b) => byBytes(a.path, b.path))
    .map((row) => nodeOf(row, ended.get(row.path)))
  const shown = nodes.slice(0, limit)
  return { nodes: shown, next: nodes.length > limit ? (shown.at(-1)?.path.slice(prefix.length) ?? null) : null }
}

function nodeOf({ path, job, branch, live, total }: NodeRow, ended: number | undefined): TreeNode {
  const finished = ended === undefined ? capped(total - live) : { ...capped(ended), more: total >= lookedMax }
  return { path, job: Boolean(job), branch: Boolean(branch), live: capped(live), finished }
}

function capped(count: number): CappedCount {
  return count > countMax ? { count: countMax, more: true } : { count, more: false }
}

/** The order of both stores: that of UTF-8, which differs from that of JavaScript. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
