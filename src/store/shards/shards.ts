import { JobName } from '../../core/names/job-name.ts'
import type { ShardCounts } from '../../core/shard/sharded.ts'
import type { Awaitable } from '../awaitable.ts'

/** The row of a sharded job: what its tasks have in common, and how many of them are where. */
export interface ShardedRow extends ShardCounts {
  /** Key of the job. */
  readonly job: number
  /** JSON text of a ShardedSpec. */
  readonly spec: string
}

/** A shard that is no task yet, or never will be because its state was taken over. */
export interface ShardRow {
  readonly idx: number
  /** JSON text. */
  readonly state: string
}

/** A task without all that its job is beside. */
export interface TaskState {
  readonly idx: number
  /** JSON text of its newest state. */
  readonly state: string
  readonly done: number
  readonly error: string | null
}

export function taskName(job: string, index: number): string {
  return JobName.parse(job).task(index).toWire()
}

/** The shards of sharded jobs that are no tasks, and how many are, inside one transaction. */
export interface Shards {
  /** Begins a plan, and forgets one that was begun before. */
  begin(job: number, spec: string): Awaitable<void>
  /** Adds shards to a plan. */
  add(job: number, shards: readonly ShardRow[], adopted: boolean): Awaitable<void>
  /** The plan is complete: counts it. Null when there is none. */
  seal(job: number): Awaitable<ShardedRow | null>
  /** Adds to the counts of a job and gives them, held until the end of the transaction. Null when it has no shards. */
  count(job: number, ended: { readonly done: number; readonly failed: number }): Awaitable<ShardedRow | null>
  /** Takes the first shards that are no tasks yet, which they are from now on. */
  open(job: number, count: number): Awaitable<readonly ShardRow[]>
  find(job: number): Awaitable<ShardedRow | null>
  /** What tasks came to, by index: of the job with a UUID, from an index on, so many indexes. */
  tasks(of: string, from: number, limit: number): Awaitable<readonly TaskState[]>
  /** Shards that are no tasks, by index. */
  page(job: number, page: ShardPage): Awaitable<readonly ShardRow[]>
}

/** Of those whose state was taken over, or of those that are to become tasks. */
export interface ShardPage {
  readonly adopted: boolean
  readonly from: number
  readonly limit: number
}
