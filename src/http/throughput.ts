import type { Stint } from '../engine/stint.ts'
import type { TailedEntry } from '../engine/tail/filter.ts'
import type { LogEntry } from '../store/store.ts'
import { systemNamespace } from '../store/system-path.ts'

export const bucketMs = 10_000
/** How many buckets are kept: an hour. */
const bucketMax = 360
/** Nobody looks any more: what is counted is forgotten, and the log is not read for it. */
const idleMs = 10 * 60_000
/** From so many of the newest jobs it is told what was before somebody looked. */
const seedMax = 10_000
const seedPage = 500
const taskMax = 100_000

export interface Counts {
  submitted: number
  completed: number
  /** For good. */
  failed: number
  /** Or skipped. */
  cancelled: number
}

export interface Point extends Readonly<Counts> {
  /** The beginning of its ten seconds. */
  readonly at: Date
}

type Kind = keyof Counts

/**
 * How much was submitted and ended, over the last hour. It begins to count when somebody asks, with what the newest jobs tell of
 * the time before, and follows the log from there on: no hot path pays for it, and no store keeps it.
 */
export class Throughput {
  readonly #stint: Stint
  /** Counts by bucket, and by namespace within. */
  #buckets = new Map<number, Map<string, Counts>>()
  /** Tasks of sharded jobs that are not over: they are a part of their job, and not counted. */
  readonly #tasks = new Set<string>()
  #following: AbortController | null = null
  #begun: Promise<void> | null = null
  #idle: ReturnType<typeof setTimeout> | null = null

  constructor(stint: Stint) {
    this.#stint = stint
  }

  /** The last hour, the oldest first; null for all namespaces. */
  async points(namespace: string | null): Promise<readonly Point[]> {
    this.#stayAwake()
    this.#begun ??= this.#begin()
    await this.#begun
    const now = bucketOf(await this.#stint.store.now())
    return Array.from({ length: bucketMax }, (_, i) => {
      const at = now - (bucketMax - 1 - i) * bucketMs
      return { at: new Date(at), ...this.#sum(at, namespace) }
    })
  }

  close(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#following?.abort()
    this.#following = null
    this.#begun = null
    this.#buckets = new Map()
    this.#tasks.clear()
  }

  #stayAwake(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.close(), idleMs).unref()
  }

  async #begin(): Promise<void> {
    const following = new AbortController()
    this.#following = following
    const from = Promise.withResolvers<number>()
    const follower = {
      filter: { types: [...Object.keys(kinds)] },
      over: following.signal,
      take: ({ entry }: TailedEntry) => this.#take(entry),
      room: () => Promise.resolve(),
      isFull: false,
      onLive: () => undefined,
    }
    const begin = async () => from.resolve(await this.#stint.store.now())
    this.#stint.tail.follow(follower, undefined, () => void begin()).catch(() => this.close())
    await this.#seed(await from.promise)
  }

  #take(entry: LogEntry): void {
    const kind = kinds[entry.eventType]?.(entry) ?? null
    if (kind === null || this.#isOfTask(entry, kind)) return
    this.#add(kind, entry.occurredAt, entry.namespace)
  }

  /** Only the first entry of a task says what it is, so it is remembered until the task is over. */
  #isOfTask({ jobId, attributes }: LogEntry, kind: Kind): boolean {
    if (jobId === null) return false
    if (kind !== 'submitted') return this.#tasks.delete(jobId)
    if (!attributes['task']) return false
    if (this.#tasks.size >= taskMax) this.#tasks.clear()
    this.#tasks.add(jobId)
    return true
  }

  /** What ended before somebody looked, of the newest jobs. Of what is older nothing is told rather than half of it. */
  async #seed(until: number): Promise<void> {
    const since = until - bucketMax * bucketMs
    let before: number | null = null
    for (let looked = 0; looked < seedMax; looked += seedPage) {
      const page = await this.#stint.store.list({ before, limit: seedPage, tasks: false })
      for (const { job, guard } of page.jobs) {
        if (job.createdAt < since) return
        if (job.createdAt < until) this.#add('submitted', job.createdAt, guard.namespace)
        if (job.finishedAt !== null && job.finishedAt < until) this.#add(endOf(job), job.finishedAt, guard.namespace)
      }
      before = page.next
      if (before === null) return
    }
  }

  #add(kind: Kind, at: number, namespace: string): void {
    if (namespace === systemNamespace) return
    const start = bucketOf(at)
    let bucket = this.#buckets.get(start)
    if (bucket === undefined) {
      bucket = new Map()
      this.#buckets.set(start, bucket)
      this.#forget(start)
    }
    let counts = bucket.get(namespace)
    if (counts === undefined) {
      counts = { submitted: 0, completed: 0, failed: 0, cancelled: 0 }
      bucket.set(namespace, counts)
    }
    counts[kind] += 1
  }

  #forget(newest: number): void {
    if (this.#buckets.size <= bucketMax) return
    const oldest = newest - bucketMax * bucketMs
    for (const start of this.#buckets.keys()) if (start <= oldest) this.#buckets.delete(start)
  }

  #sum(at: number, namespace: string | null): Counts {
    const sum = { submitted: 0, completed: 0, failed: 0, cancelled: 0 }
    const bucket = this.#buckets.get(at)
    const one = namespace === null ? undefined : bucket?.get(namespace)
    const parts = namespace === null ? [...(bucket?.values() ?? [])] : one === undefined ? [] : [one]
    for (const part of parts) for (const kind of Object.keys(sum) as Kind[]) sum[kind] += part[kind]
    return sum
  }
}

function bucketOf(at: number): number {
  return Math.floor(at / bucketMs) * bucketMs
}

/** What an entry of the log counts as. An attempt that failed and is tried again is no end. */
const kinds: Readonly<Record<string, (entry: LogEntry) => Kind | null>> = {
  'job.created': () => 'submitted',
  'job.run.completed': () => 'completed',
  'job.run.failed': ({ attributes }) => {
    if (attributes['reason'] === 'cancelled') return 'cancelled'
    return attributes['retryAt'] === null ? 'failed' : null
  },
  'job.run.skipped': () => 'cancelled',
  'job.cancelled': () => 'cancelled',
  'job.expired': () => 'failed',
}

function endOf({ cancelled, outcome }: { readonly cancelled: boolean; readonly outcome: string | null }): Kind {
  if (cancelled || outcome === 'SKIPPED') return 'cancelled'
  return outcome === 'COMPLETED' ? 'completed' : 'failed'
}
