import type { LogEntry, Store } from '../../store/store.ts'

/** How many names are remembered. A job's name never changes, and most that happens to a job happens soon. */
const namesMax = 20_000

/** The names of the jobs that entries are about. */
export class Names {
  readonly #store: Store
  readonly #known = new Map<string, string>()

  constructor(store: Store) {
    this.#store = store
  }

  async of(entries: readonly LogEntry[]): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>()
    for (const { jobId, eventType, version, attributes } of entries) {
      if (jobId === null) continue
      const known = this.#known.get(jobId)
      if (known !== undefined) names.set(jobId, known)
      // An event of this type that has a version is Stint's own: nobody outside can say what a job is called.
      else if (eventType === 'job.created' && version !== null) names.set(jobId, String(attributes['name']))
    }
    const missing = [...new Set(entries.flatMap(({ jobId }) => jobId ?? []))].filter((id) => !names.has(id))
    if (missing.length > 0) await this.#look(missing, names)
    if (this.#known.size > namesMax) this.#known.clear()
    for (const [id, name] of names) this.#known.set(id, name)
    return names
  }

  async #look(ids: readonly string[], names: Map<string, string>): Promise<void> {
    const found = await this.#store.find(ids.map((id) => ({ id })))
    for (const stored of found) if (stored !== null) names.set(stored.job.id, stored.job.name)
    const gone = ids.filter((_, i) => found[i] === null).map((id) => ({ id }))
    for (const past of gone.length === 0 ? [] : await this.#store.past(gone)) {
      if (past !== null) names.set(past.id, past.name)
    }
  }
}
