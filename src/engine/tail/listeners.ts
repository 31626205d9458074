import { matches, needsNames, type TailedEntry, type TailFilter } from './filter.ts'

export interface Listener {
  readonly filter: TailFilter
  take(tailed: TailedEntry): void
}

/** Those who listen, found by what they listen to: whoever listens to one job costs nothing when another changes. */
export class Listeners {
  readonly #byJob = new Map<string, Set<Listener>>()
  readonly #byNamespace = new Map<string, Set<Listener>>()
  readonly #all = new Set<Listener>()
  /** Those who want to hear of everything. */
  readonly #toAll = new Set<Listener>()
  #needNames = 0

  /** Whether somebody cannot be told before the names of jobs are known. */
  get needNames(): boolean {
    return this.#needNames > 0
  }

  add(listener: Listener): void {
    this.#all.add(listener)
    for (const [places, place] of this.#placesOf(listener)) {
      const others = places.get(place)
      if (others === undefined) places.set(place, new Set([listener]))
      else others.add(listener)
    }
    if (isToAll(listener)) this.#toAll.add(listener)
    if (needsNames(listener.filter)) this.#needNames += 1
  }

  remove(listener: Listener): void {
    if (!this.#all.delete(listener)) return
    for (const [places, place] of this.#placesOf(listener)) {
      const others = places.get(place)
      others?.delete(listener)
      if (others?.size === 0) places.delete(place)
    }
    this.#toAll.delete(listener)
    if (needsNames(listener.filter)) this.#needNames -= 1
  }

  tell(tailed: TailedEntry): void {
    const { jobId, namespace } = tailed.entry
    if (jobId !== null) this.#tellAll(this.#byJob.get(jobId), tailed)
    this.#tellAll(this.#byNamespace.get(namespace), tailed)
    this.#tellAll(this.#toAll, tailed)
  }

  #tellAll(listeners: ReadonlySet<Listener> | undefined, tailed: TailedEntry): void {
    for (const listener of listeners ?? []) if (matches(listener.filter, tailed)) listener.take(tailed)
  }

  #placesOf({ filter: { jobs, branches } }: Listener): readonly [Map<string, Set<Listener>>, string][] {
    if (jobs !== undefined) return jobs.map((job) => [this.#byJob, job])
    const namespaces = new Set(branches?.map(({ path }) => path.namespace) ?? [])
    return [...namespaces].map((namespace) => [this.#byNamespace, namespace])
  }
}

function isToAll({ filter: { jobs, branches } }: Listener): boolean {
  return jobs === undefined && branches === undefined
}
