import type { Limit } from '../../src/core/gates/limit.ts'
import type { Run } from '../../src/core/job/job.ts'
import type { Answer } from '../../src/store/answers/answers.ts'
import type { Attempt } from '../../src/store/attempt.ts'
import type { Segment } from '../../src/store/controls.ts'
import type { Endpoint } from '../../src/store/endpoints/endpoints.ts'
import type { Member } from '../../src/store/groups/members.ts'
import type { StoredRecord } from '../../src/store/records.ts'
import type { PastJob } from '../../src/store/retention/pasts.ts'
import type { Stretch, Walk, WalkKind } from '../../src/store/retention/walks.ts'
import type { ShardedRow } from '../../src/store/shards/shards.ts'
import type { LogEntry, LogLine, Notes, PauseRow, StoredJob, WorkerRow } from '../../src/store/store.ts'
import type { FollowUp, Permit } from '../../src/store/transaction.ts'
import { Journal, Table } from './journal.ts'

/** An entry of the log and the row of the job or record that it belongs to; null when it belongs to none. */
export interface LogRow {
  readonly pk: number | null
  readonly entry: LogEntry
}

/** A worker, and how many jobs it held when it was found lost. */
export interface ModelWorker extends WorkerRow {
  readonly lostWith: number | null
}

/** A shard that is no task. */
export interface ModelShard {
  readonly state: string
  readonly adopted: boolean
}

/** All that a model database holds. Several stores may be open on one, as several processes are on a real one. */
export class ModelData {
  readonly journal = new Journal()
  readonly jobs = new Table<number, StoredJob>(this.journal)
  /** Row keys by UUID. */
  readonly ids = new Table<string, number>(this.journal)
  /** Row keys by what only one live job can have: its name, and its type and key. */
  readonly handles = new Table<string, number>(this.journal)
  /**
   * The jobs that a claim may take. It is kept and not computed, because a job that was once ready stays so when the clock
   * goes back. All other seats follow from the job.
   */
  readonly ready = new Table<number, true>(this.journal)
  readonly runs = new Table<number, readonly Run[]>(this.journal)
  /** What each pending job waits for. */
  readonly waits = new Table<number, readonly number[]>(this.journal)
  /** What each job needed the values of. */
  readonly needs = new Table<number, readonly number[]>(this.journal)
  readonly log = new Table<number, LogRow>(this.journal)
  readonly eventKeys = new Table<string, true>(this.journal)
  readonly counters = new Table<'pk' | 'followUp' | 'gate' | 'stretch' | 'log', number>(this.journal)
  readonly limits = new Table<string, Limit & { readonly id: number }>(this.journal)
  readonly permits = new Table<number, Permit>(this.journal)
  /** By path or type. */
  readonly pauses = new Table<string, PauseRow & { readonly id: number }>(this.journal)
  /** The key of the job of each fire, by schedule and instant. */
  readonly fires = new Table<string, number | null>(this.journal)
  readonly records = new Table<number, StoredRecord>(this.journal)
  /** Members of groups, by the keys of their jobs. */
  readonly members = new Table<number, Member>(this.journal)
  readonly pasts = new Table<number, PastJob>(this.journal)
  readonly walks = new Table<WalkKind, Walk>(this.journal)
  readonly stretches = new Table<number, Stretch>(this.journal)
  readonly segments = new Table<number, Segment>(this.journal)
  readonly sharded = new Table<number, ShardedRow>(this.journal)
  /** The shards that are no tasks, by job. */
  readonly shards = new Table<number, ReadonlyMap<number, ModelShard>>(this.journal)
  /** By namespace and name. */
  readonly endpoints = new Table<string, Endpoint>(this.journal)
  readonly answers = new Table<string, Answer>(this.journal)
  readonly workers = new Table<string, ModelWorker>(this.journal)
  readonly followUps = new Table<number, FollowUp>(this.journal)
  /** The attempts that submitted jobs, by the keys of what they submitted. */
  readonly parents = new Table<number, Attempt>(this.journal)
  readonly progress = new Table<number, NonNullable<Notes['progress']>>(this.journal)
  readonly checkpoints = new Table<number, string>(this.journal)
  /** Lines of logs, by job, attempt and number. */
  readonly lines = new Table<string, LogLine & Attempt>(this.journal)
  #last: Promise<unknown> = Promise.resolve()

  /** The number of the next entry of the log. None is used twice, also after entries have left. */
  nextLogId(): number {
    const logId = (this.counters.get('log') ?? 0) + 1
    this.counters.set('log', logId)
    return logId
  }

  /**
   * Runs one transaction after the other. The shared flows await, so two calls that were made together would otherwise
   * take turns in the middle of each other.
   */
  transact<T>(run: () => T | Promise<T>): Promise<T> {
    const done = this.#last.then(() => this.#runOne(run))
    this.#last = done.catch(() => {})
    return done
  }

  async #runOne<T>(run: () => T | Promise<T>): Promise<T> {
    try {
      const value = await run()
      this.journal.commit()
      return value
    } catch (error) {
      this.journal.rollback()
      throw error
    }
  }
}

/** What only one live job can have, as keys of `handles`. */
export function handlesOf({ job, guard }: StoredJob): readonly string[] {
  const name = nameHandle(job.name)
  return job.key === null ? [name] : [name, keyHandle(guard.namespace, job.type, job.key)]
}

export function nameHandle(name: string): string {
  return `name ${name}`
}

export function keyHandle(namespace: string, type: string, key: string): string {
  return `key ${JSON.stringify([namespace, type, key])}`
}
