import { matches, needsNames, type TailedEntry, type TailFilter } from './filter.ts'

export interface Listener {
  readonly filter: TailFilter
  take(tailed: TailedEntry): void
}

/** What is read of the log on behalf of many. */
export interface Wants {
  /** Only what concerns these jobs; null for everything. */
  readonly jobs: readonly string[] | null
  /** And what its jobs are called. */
  readonly names: boolean
  /** How many had come until then. */
  readonly joined: number
}

/** To name more of them with each read costs more than to read everything. */
const jobsMax = 10_000

/** Those who listen, found by what they listen to: whoever listens to one job costs nothing when another changes. */
export class Listeners {
  readonly #byJob = new Map<string, Set<Listener>>()
  readonly #byNamespace = new Map<string, Set<Listener>>()
  readonly #all = new Set<Listener>()
  /** Those who want to hear of everything. */
  readonly #toAll = new Set<Listener>()
  #needNames = 0
  /** Kept until somebody comes or leaves. */
  #jobs: readonly string[] | null = null
  #joined = 0

  /** Whether somebody cannot be told before the names of jobs are known. */
  get needNames(): boolean {
    return this.#needNames > 0
  }

  /** What has to be read for all of them. */
  get wants(): Wants {
    return { jobs: this.#jobsWanted(), names: this.needNames, joined: this.#joined }
  }

  /** Whether it is still enough: somebody may have come since. */
  isEnough({ jobs, names, joined }: Wants): boolean {
    return (jobs === null || joined === this.#joined) && (names || !this.needNames)
  }

  add(listener: Listener): void {
    this.#joined += 1
    this.#jobs = null
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
    this.#jobs = null
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

  #jobsWanted(): readonly string[] | null {
    const isMore = this.#toAll.size > 0 || this.#byNamespace.size > 0 || this.#byJob.size > jobsMax
    if (isMore) return null
    this.#jobs ??= [...this.#byJob.keys()]
    return this.#jobs
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
