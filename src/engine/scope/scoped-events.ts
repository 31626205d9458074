import type { EventsPage, EventsRequest, LogEntry, Store } from '../../store/store.ts'
import type { Scope } from './scope.ts'

/** How many pages are read at the most to find something for one. Whoever wants more asks again. */
const pageMax = 20

/** The events of a branch. A page may be empty though there is more: then its cursor has moved. */
export async function entriesWithin(store: Store, scope: Scope, request: EventsRequest): Promise<EventsPage> {
  const nothing = { entries: [], cursors: [], cursor: request.after ?? null }
  if (request.jobId !== undefined && !(await isOwnJob(store, scope, request.jobId))) return nothing
  let after = request.after ?? null
  for (let pages = 1; ; pages++) {
    const page = await store.events({ ...request, after })
    const entries = await visible(store, scope, page.entries)
    // A record does not move: if one of its events lies elsewhere, all do, and not even how far they go is told.
    if (request.record !== undefined && entries.length === 0) return nothing
    const isOver = (page.looked ?? page.entries.length) < request.limit || pages >= pageMax
    if (entries.length > 0 || isOver) return { ...page, entries, cursors: cursorsOf(page, entries) }
    after = page.cursor
  }
}

function cursorsOf(page: EventsPage, entries: readonly LogEntry[]): readonly string[] {
  const kept = new Set(entries)
  return page.cursors.filter((_, i) => kept.has(page.entries[i] as LogEntry))
}

/** Of entries those that a branch may see, in their order. */
export async function visible(store: Store, scope: Scope, entries: readonly LogEntry[]): Promise<readonly LogEntry[]> {
  const own = entries.filter(({ namespace }) => namespace === scope.path.namespace)
  if (scope.path.isRoot || own.length === 0) return own
  const names = await namesOf(store, own)
  return own.filter(({ jobId, attributes }) => scope.covers(jobId === null ? attributes['path'] : names.get(jobId)))
}

async function isOwnJob(store: Store, scope: Scope, id: string): Promise<boolean> {
  const [stored] = await store.find([{ id }])
  if (stored !== undefined && stored !== null) return scope.covers(stored.job.name)
  const [past] = await store.past([{ id }])
  return scope.covers(past?.name)
}

async function namesOf(store: Store, entries: readonly LogEntry[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(entries.flatMap(({ jobId }) => jobId ?? []))].map((id) => ({ id }))
  const found = await store.find(ids)
  const names = new Map(found.flatMap((stored) => (stored === null ? [] : [[stored.job.id, stored.job.name] as const])))
  const gone = ids.filter(({ id }) => !names.has(id))
  for (const past of gone.length === 0 ? [] : await store.past(gone)) if (past !== null) names.set(past.id, past.name)
  return names
}
