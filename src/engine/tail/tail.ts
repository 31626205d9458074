import type { EventsPage } from '../../store/store.ts'
import { type Env, jittered } from '../env.ts'
import { Signal } from '../hub.ts'
import { shownEntry } from '../shown-entry.ts'
import { compareCursors } from './cursors.ts'
import { matches, needsNames, type TailedEntry, type TailFilter } from './filter.ts'
import { type Listener, Listeners, type Wants } from './listeners.ts'
import { Names } from './names.ts'

/** Somebody who follows the log. */
export interface Follower {
  readonly filter: TailFilter
  /** Takes an entry, at once. */
  take(tailed: TailedEntry): void
  /** Whether it cannot take more at the moment. Then it falls behind the others, and reads on its own. */
  readonly isFull: boolean
  /** Resolves when it is not full any more, or over. */
  room(): Promise<void>
  /** Whether it is where all others are, and is told of what is new. */
  onLive(isLive: boolean): void
  /** Aborts when it wants nothing more. */
  readonly over: AbortSignal
}

const pageSize = 1_000
/** Where only what concerns some jobs is read, the rest costs little. */
const stretchSize = 10_000
/** What is written within this time is read together. */
const apartMs = 20
/** Entries may be held back by a transaction that is open, and nobody tells when it ends: so it looks again, ever later. */
const lookMs = { first: 25, longest: 1_000 } as const

/**
 * Reads the log once, for all in this process who follow it. Each gets every entry that it wants exactly once, in the
 * order of the log: whoever comes from an older place reads on its own until it has reached the common one.
 */
export class Tail {
  readonly #env: Env
  readonly #watch: () => () => void
  readonly #names: Names
  readonly #listeners = new Listeners()
  readonly #news = new Signal()
  #followers = 0
  /** Set while the log is being read. */
  #begun: Promise<void> | null = null
  /** The place that all who listen have reached. */
  #at = ''

  /** `watch` begins to hear of other processes and returns how to end it. */
  constructor(env: Env, watch: () => () => void) {
    this.#env = env
    this.#watch = watch
    this.#names = new Names(env.store)
  }

  /** Whether anybody follows the log here. */
  get isFollowed(): boolean {
    return this.#followers > 0 && this.#at !== ''
  }

  /** Where those who listen stand: what comes later has a later cursor. */
  get position(): string {
    return this.#at
  }

  /**
   * Gives all entries after a cursor, null for the beginning and undefined for the end, until the follower is over. Calls
   * `onBegin` when it is known where that is.
   */
  async follow(
    follower: Follower,
    after: string | null | undefined,
    onBegin: (cursor: string | null) => void,
  ): Promise<void> {
    this.#followers += 1
    try {
      await this.#begin()
      const from = after === undefined ? this.#at : after
      onBegin(from)
      let reached = from ?? '0'
      while (!follower.over.aborted) {
        reached = await this.#catchUp(follower, reached)
        reached = await this.#listen(follower, reached)
      }
    } finally {
      this.#followers -= 1
      if (this.#followers === 0) this.#news.tell()
    }
  }

  async #begin(): Promise<void> {
    this.#begun ??= this.#start()
    await this.#begun
  }

  async #start(): Promise<void> {
    try {
      this.#at = await this.#env.store.logEnd()
    } catch (error) {
      this.#begun = null
      throw error
    }
    void this.#read()
  }

  /** Reads on behalf of one until it is where all others are. */
  async #catchUp(follower: Follower, from: string): Promise<string> {
    let reached = from
    while (compareCursors(reached, this.#at) < 0 && !follower.over.aborted) {
      const before = this.#at
      const page = await this.#page(reached === '0' ? null : reached, follower.filter.jobs ?? null)
      for (const tailed of await this.#tailed(page, needsNames(follower.filter))) {
        if (!matches(follower.filter, tailed)) continue
        await follower.room()
        if (follower.over.aborted) return reached
        follower.take(tailed)
      }
      // Nothing is there: all that was has left the log.
      reached = lookedAt(page) === 0 ? before : (page.cursor ?? before)
    }
    return reached
  }

  /** Lets one be told of what is new until it is over, or has fallen behind. Gives the place that it has reached. */
  async #listen(follower: Follower, from: string): Promise<string> {
    // The others may have been told of more since it was where they are. Nothing happens between this look and its place among them.
    if (compareCursors(from, this.#at) < 0) return from
    let reached = from
    const left = Promise.withResolvers<void>()
    const listener: Listener = {
      filter: follower.filter,
      take: (tailed) => {
        if (compareCursors(tailed.cursor, reached) <= 0) return
        if (follower.isFull) return leave()
        reached = tailed.cursor
        follower.take(tailed)
      },
    }
    const leave = () => {
      this.#listeners.remove(listener)
      follower.onLive(false)
      left.resolve()
    }
    this.#listeners.add(listener)
    follower.onLive(true)
    if (follower.over.aborted) leave()
    follower.over.addEventListener('abort', leave, { once: true })
    await left.promise
    follower.over.removeEventListener('abort', leave)
    return reached
  }

  async #read(): Promise<void> {
    const { hub, clock, metrics } = this.#env
    const leave = [this.#watch(), hub.onWritten(() => this.#news.tell())]
    let waitMs: number = lookMs.first
    while (this.#followers > 0) {
      try {
        let { wants } = this.#listeners
        let { page, tailed } = await this.#next(wants)
        // Somebody may have come meanwhile who wants what was passed over.
        while (!this.#listeners.isEnough(wants)) {
          wants = { ...this.#listeners.wants, jobs: null }
          ;({ page, tailed } = await this.#next(wants))
        }
        for (const each of tailed) this.#listeners.tell(each)
        this.#at = page.cursor ?? this.#at
        if (lookedAt(page) === sizeOf(wants.jobs)) continue
        waitMs = lookedAt(page) > 0 ? lookMs.first : Math.min(lookMs.longest, waitMs * 2)
      } catch {
        metrics.add('stint_store_errors', { doing: 'tail' })
        waitMs = Math.min(lookMs.longest, waitMs * 2)
      }
      await clock.sleep(apartMs)
      await this.#news.wait(clock, jittered(this.#env, waitMs))
    }
    for (const each of leave) each()
    this.#begun = null
  }

  async #next({ jobs, names }: Wants): Promise<{ page: EventsPage; tailed: readonly TailedEntry[] }> {
    const page = await this.#page(this.#at, jobs)
    return { page, tailed: await this.#tailed(page, names) }
  }

  /** The next part of the log: all of it, or what concerns some jobs. */
  #page(after: string | null, jobs: readonly string[] | null): Promise<EventsPage> {
    return this.#env.store.events({ after, limit: sizeOf(jobs), ...(jobs === null ? {} : { jobs }) })
  }

  async #tailed({ entries, cursors }: EventsPage, withNames: boolean): Promise<readonly TailedEntry[]> {
    const names = withNames ? await this.#names.of(entries) : null
    return entries.map((entry, i) => ({
      entry: shownEntry(entry),
      cursor: cursors[i] ?? '',
      name: (entry.jobId === null ? null : names?.get(entry.jobId)) ?? null,
    }))
  }
}

function sizeOf(jobs: readonly string[] | null): number {
  return jobs === null ? pageSize : stretchSize
}

function lookedAt({ looked, entries }: EventsPage): number {
  return looked ?? entries.length
}
