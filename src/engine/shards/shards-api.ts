import { StintError } from '../../core/errors.ts'
import type { Progress } from '../../core/job/job.ts'
import type { Json } from '../../core/json.ts'
import { JobName } from '../../core/names/job-name.ts'
import { shardMax } from '../../core/shard/sharded.ts'
import { checkArray, checkInteger, refuse } from '../../store/check-input.ts'
import type { StoredJob } from '../../store/store.ts'
import type { Env } from '../env.ts'
import type { JobHandle } from '../job-handle.ts'
import type { Page, RetryOptions } from '../jobs-api.ts'
import type { JobReference, References } from '../references.ts'
import { resubmit } from '../resubmit.ts'
import { allTasks, type ShardState, shardsFrom } from './plans.ts'

export type TaskStatus = 'RUNNING' | 'DONE' | 'ERROR' | 'ABORTED'

/** The state of one task of a sharded job. */
export interface IncrementalTaskState {
  /** Text form of its IncrementalTaskId. */
  readonly id: string
  readonly name: string
  readonly index: number
  readonly status: TaskStatus
  /** How many slices were saved. */
  readonly slice: number
  /** What its last slice gave back; before the first, what `plan` made for it. */
  readonly state: Json
  /** How often it began anew. */
  readonly retries: number
  /** How many slices have failed since the last that was saved. */
  readonly sliceFailures: number
  readonly progress: Progress | null
  readonly error: string | null
}

/** A sharded job as a whole. */
export interface ShardedJobState {
  readonly total: number
  /** Tasks that are open: at most `width`. */
  readonly active: number
  readonly done: number
  readonly failed: number
  readonly status: TaskStatus
  /** What all tasks together have told of their progress. */
  readonly progress: Progress
  /** How much of the whole is done, from 0 to 1; a task that tells no progress is done or not. */
  readonly fraction: number
  /** How much of `progress` was done in a second, since the job started; null before there is any. */
  readonly ratePerSecond: number | null
  /** How long the rest will take at this rate; null when it cannot be told. */
  readonly timeLeftMs: number | null
}

export interface RetryShardsOptions extends RetryOptions {
  /** Tasks that run again although they are done, by index. Those that are not done run again in any case. Default none. */
  readonly indexes?: readonly number[]
}

/** Sharded jobs as a whole, and their tasks. */
export class ShardsApi {
  readonly #env: Env
  readonly #references: References
  readonly #handle: (stored: StoredJob) => JobHandle

  constructor(env: Env, references: References, handle: (stored: StoredJob) => JobHandle) {
    this.#env = env
    this.#references = references
    this.#handle = handle
  }

  /** How far a sharded job is; null before its plan is there, and for one that is not sharded. */
  async get(job: JobReference): Promise<ShardedJobState | null> {
    const stored = await this.#references.require(job)
    const counts = await this.#env.store.control('shard.get', { job: stored.job.id })
    if (counts === null || stored.job.shards === null) return null
    const { total, adopted, opened, done, failed } = counts
    const active = stored.job.state === 'final' ? 0 : opened - done - failed
    const shards = await allTasks(this.#env, stored)
    return {
      ...{ total, active, done: adopted + done, failed, status: statusOfJob(stored) },
      ...progressOf(stored, shards, this.#env.clock.now()),
    }
  }

  /** The tasks of a sharded job, by index. */
  async tasks(
    job: JobReference,
    { cursor = null, limit = 100 }: { readonly cursor?: string | null; readonly limit?: number } = {},
  ): Promise<Page<IncrementalTaskState>> {
    const stored = await this.#references.require(job)
    const from = cursor === null ? 0 : Number(cursor)
    if (!Number.isSafeInteger(from) || from < 0) throw badCursor(cursor)
    const shards = await shardsFrom(this.#env, stored, from, limit)
    const next = from + shards.length
    const items = shards.map((shard) => this.#taskOf(stored, shard))
    return { items, cursor: shards.length === 0 || next >= (stored.job.shards ?? 0) ? null : String(next) }
  }

  /**
   * Runs tasks of a sharded job that is over once more, as a new job: those that were not done, and those that are named. The
   * others keep their states, and `reduce` gets them all.
   */
  async retry(job: JobReference, { indexes = [], id }: RetryShardsOptions = {}): Promise<JobHandle> {
    const stored = await this.#references.require(job)
    const counts = await this.#env.store.control('shard.get', { job: stored.job.id })
    if (counts === null || stored.job.shards === null) throw notSplit(stored)
    const { total, adopted, done } = counts
    const rerun = checkIndexes(indexes, total)
    if (rerun.length === 0 && adopted + done === total) throw nothingOpen(stored)
    return this.#handle(await resubmit(this.#env, this.#references, stored, { id, rerun }))
  }

  #taskOf(stored: StoredJob, shard: ShardState): IncrementalTaskState {
    const { index, task } = shard
    return {
      id: `${this.#references.idOf(stored)}-task-${index}`,
      name: JobName.parse(stored.job.name).task(index).toWire(),
      index,
      status: statusOfTask(stored, shard),
      slice: task?.job.slices?.seq ?? 0,
      state: JSON.parse(shard.state) as Json,
      retries: task?.job.charged ?? 0,
      sliceFailures: task?.job.slices?.failures ?? 0,
      progress: task?.job.slices?.progress ?? null,
      error: shard.error,
    }
  }
}

function statusOfTask(parent: StoredJob, { task, isDone }: ShardState): TaskStatus {
  if (isDone) return 'DONE'
  if (task === null) return parent.job.state === 'final' ? 'ABORTED' : 'RUNNING'
  if (task.job.state !== 'final') return 'RUNNING'
  return task.job.cancelled ? 'ABORTED' : 'ERROR'
}

function statusOfJob({ job: { state, cancelled, outcome } }: StoredJob): TaskStatus {
  if (state !== 'final') return 'RUNNING'
  if (cancelled) return 'ABORTED'
  return outcome === 'COMPLETED' ? 'DONE' : 'ERROR'
}

/** A task that is done has done all of what it told last. */
function progressOf({ job }: StoredJob, shards: readonly ShardState[], now: number) {
  let [done, total, whole] = [0, 0, 0]
  for (const { task, isDone } of shards) {
    const [did, of] = task?.job.slices?.progress ?? [0, 0]
    done += isDone ? of : did
    total += of
    whole += isDone ? 1 : of > 0 ? Math.min(1, did / of) : 0
  }
  const fraction = whole / Math.max(1, shards.length)
  const elapsed = Math.max(1, (job.finishedAt ?? now) - (job.startedAt ?? now))
  const isTelling = job.state !== 'final' && fraction > 0
  return {
    progress: [done, total] as const,
    fraction,
    ratePerSecond: done > 0 ? (done * 1_000) / elapsed : null,
    timeLeftMs: isTelling ? Math.round((elapsed * (1 - fraction)) / fraction) : null,
  }
}

/** Only here it is known how many there are; the store looks at the rest of what can be wrong once more. */
function checkIndexes(given: unknown, total: number): readonly number[] {
  const indexes = checkArray(given, 'indexes', shardMax).map((index, i) => {
    return checkInteger(index, `indexes[${i}]`, 0, total - 1)
  })
  if (new Set(indexes).size < indexes.length) throw refuse('indexes', given, 'must not hold an index twice')
  return indexes
}

function notSplit({ job: { id } }: StoredJob): StintError {
  return new StintError('not_found', `Job ${id} is not split into tasks, or not yet.`, { job: id })
}

function nothingOpen({ job: { id, state } }: StoredJob): StintError {
  const message = `All tasks of job ${id} are done. Say which of them are to run again, or retry the whole job.`
  return new StintError('illegal_transition', message, { jobId: id, state })
}

function badCursor(cursor: string | null): StintError {
  const rule = 'must be one that a page gave'
  return new StintError('invalid_argument', `cursor ${rule}; got ${cursor}.`, { field: 'cursor', rule })
}
