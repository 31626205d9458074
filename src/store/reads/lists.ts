import type { ListParams } from '../check-work.ts'

/**
 * Which jobs a list has, found by whatever small structure holds what is asked for. What has none is looked for among all
 * jobs, the newest first, and not longer than a page is worth: then it may be short though there is more.
 */

/** How much is looked at. */
export interface Bounds {
  /** So many jobs of a branch, or in the queue, are few enough to be sorted. */
  readonly few: number
  /** So many of a branch, where there is something in order that is rare, too. */
  readonly fewer: number
  /** So many jobs are looked at for one page. */
  readonly looked: number
}

export const bounds: Bounds = { few: 10_000, fewer: 1_000, looked: 20_000 }

/** A list request whose type is known, as parameters. */
export type Filters = Omit<ListParams, 'type'> & { readonly type: number | null }

/** A statement to be run, with its parameters. */
export interface Ask {
  readonly statement: string
  readonly params: Readonly<Record<string, string | number | null | readonly number[]>>
}

interface Row {
  /** Of a statement that gives keys. */
  readonly pk: number
  /** Of one that counts. */
  readonly count: number
}

/** One store runs its statements at once, the other awaits them; what to run next is the same for both. */
export type Asking<T> = Generator<Ask, T, readonly Row[]>

export interface ListedKeys {
  readonly pks: readonly number[]
  readonly next: number | null
}

/** Gives row keys below `before`, the highest first: fewer than asked for only when there are no more. */
type Source = (before: number, count: number) => Asking<readonly number[]>

/** At first about as many as a page has are looked at, then more and more at once. */
const leastAtOnce = 100
const growth = 4

export function* keysListed(filters: Filters, most: Bounds = bounds): Asking<ListedKeys> {
  const { limit } = filters
  const [source, rest] = yield* sourceOf(filters, most)
  const found: number[] = []
  let before = filters.before
  let left = Math.max(most.looked, limit)
  for (let atOnce = Math.max(limit, leastAtOnce); left > 0; atOnce *= growth) {
    const count = Math.min(atOnce, left)
    const pks = yield* source(before, count)
    found.push(...(yield* matching(pks, { ...rest, limit: limit - found.length })))
    if (found.length >= limit) return { pks: found, next: found.at(-1) ?? null }
    if (pks.length < count) return { pks: found, next: null }
    before = pks.at(-1) ?? before
    left -= count
  }
  return { pks: found, next: before }
}

function* matching(pks: readonly number[], { before: _, ...filters }: Filters): Asking<readonly number[]> {
  const { limit, tasks, ...others } = filters
  if (tasks === 1 && Object.values(others).every((value) => value === null)) return pks.slice(0, limit)
  return pks.length === 0 ? [] : yield* keysOf('jobKeysMatching', { ...filters, pks })
}

/** Where to look, and what is left to be asked of what is found there. */
function* sourceOf(filters: Filters, { few, fewer }: Bounds): Asking<readonly [Source, Filters]> {
  const { key, branch, status } = filters
  if (key !== null) return [inOrder('jobKeysOfKey', { key }), { ...filters, key: null }]
  const rare = rareOf(filters)
  const most = rare === null ? few : fewer
  if (branch !== null && (yield* countOf('branchCount', { branch, most: most + 1 })) <= most) {
    return [inOrder('jobKeysOfBranch', { branch }), { ...filters, branch: null }]
  }
  if (rare !== null) return [rare, filters]
  const isShort = status === 'queued' && (yield* countOf('queuedCount', { most: few + 1 })) <= few
  return [inOrder(isShort ? 'jobKeysQueued' : 'jobKeys'), filters]
}

/** Where what is rare has an index of its own; null when it has none. */
function rareOf({ status, cancelled, outcome }: Filters): Source | null {
  if (status === 'running') return inOrder('jobKeysRunning')
  if (cancelled === 1) return inOrder('jobKeysCancelled')
  return outcome === null || outcome === completed ? null : inOrder('jobKeysOfOutcome', { outcome })
}

/** The place of COMPLETED among the outcomes: nearly all jobs, so nothing tells them apart. */
const completed = 0

function inOrder(statement: string, params: Ask['params'] = {}): Source {
  return (before, count) => keysOf(statement, { ...params, before, count })
}

function* keysOf(statement: string, params: Ask['params']): Asking<readonly number[]> {
  return (yield { statement, params }).map(({ pk }) => pk)
}

function* countOf(statement: string, params: Ask['params']): Asking<number> {
  return (yield { statement, params })[0]?.count ?? 0
}
