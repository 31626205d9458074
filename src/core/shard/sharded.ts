import type { RetryPolicy, SlicePolicy } from '../job/job.ts'

/** How many shards a job can be split into. */
export const shardMax = 100_000

/** What the tasks of a sharded job have in common, and how they are let in. */
export interface ShardedSpec {
  /** How many tasks may be open at once. */
  readonly width: number
  /** How many may fail before the job has. */
  readonly tolerate: number
  readonly retry: RetryPolicy
  readonly slice: SlicePolicy
  /** How long one slice may take. */
  readonly timeoutMs: number | null
}

/** How far a sharded job is, without looking at its tasks. */
export interface ShardCounts {
  readonly total: number
  /** Shards whose state was taken over from an earlier job: they are done from the beginning. */
  readonly adopted: number
  /** Tasks that were made. */
  readonly opened: number
  /** Of these, those that are done. */
  readonly done: number
  /** Of these, those that have failed for good or were cancelled. */
  readonly failed: number
}

export type ShardStep =
  /** So many more tasks are to be made. */
  | { readonly type: 'open'; readonly count: number }
  /** All are over, and no more have failed than the job tolerates. */
  | { readonly type: 'gather' }
  | { readonly type: 'fail' }

/** What follows from where the tasks stand. `failsJob`: one of them has said that the whole job has failed. */
export function shardStep(
  counts: ShardCounts,
  spec: Pick<ShardedSpec, 'width' | 'tolerate'>,
  failsJob: boolean,
): ShardStep {
  const { total, adopted, opened, done, failed } = counts
  if (failsJob || failed > spec.tolerate) return { type: 'fail' }
  if (adopted + done + failed === total) return { type: 'gather' }
  const active = opened - done - failed
  return { type: 'open', count: Math.max(0, Math.min(total - adopted - opened, spec.width - active)) }
}
