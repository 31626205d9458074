import type { Labels, Outcome } from '../../core/job/job.ts'
import type { Awaitable } from '../awaitable.ts'
import { memberAt, outcomes } from '../encoding.ts'
import type { Stretch } from './walks.ts'

/** What is kept of a job that was pruned. */
export interface PastJob {
  readonly pk: number
  readonly id: string
  readonly namespace: string
  readonly name: string
  readonly type: string
  readonly outcome: Outcome | null
  readonly endedAt: number
  /** Null once its runs are gone, too, and only its entries in the log are left. */
  readonly body: PastBody | null
}

/** What a run shows of its job. */
export interface PastBody {
  readonly createdAt: number
  readonly cancelled: boolean
  readonly labels: Labels
  readonly templateId: string | null
  readonly scheduleId: string | null
  readonly groupId: string | null
  /** JSON text. */
  readonly params: string | null
}

/** A job as retention looks at it. */
export interface AgedJob {
  readonly pk: number
  readonly name: string
  readonly groupId: string | null
  /** Null while it lives. */
  readonly endedAt: number | null
}

/** Jobs that leave, and what is kept of them, inside one transaction. */
export interface Pasts {
  /** Row keys after a position, in their order, with when the jobs were created. */
  jobsAfter(position: string, limit: number): Awaitable<readonly { readonly pk: number; readonly createdAt: number }[]>
  jobsWithin(stretch: Stretch): Awaitable<readonly AgedJob[]>
  /** Past jobs that still have their runs. */
  within(stretch: Stretch): Awaitable<readonly Pick<PastJob, 'pk' | 'name' | 'endedAt'>[]>
  /**
   * Makes past jobs of jobs that are over, and tells which: not of those that somebody is at, whose end somebody waits for,
   * that a follow-up names, or whose children live.
   */
  prune(pks: readonly number[]): Awaitable<ReadonlySet<number>>
  /** Removes lines from the logs of past jobs, and tells how many. */
  forgetLines(pks: readonly number[], limit: number): Awaitable<number>
  /** Removes the runs of past jobs, and the past jobs themselves if the log knows nothing of them. */
  forgetRuns(pks: readonly number[]): Awaitable<void>
  load(pks: readonly number[]): Awaitable<readonly PastJob[]>
}

/** The same columns on both stores. */
export interface PastRow {
  readonly pk: number
  readonly id: string
  readonly namespace: string
  readonly name: string
  readonly type_name: string
  readonly outcome: number | null
  readonly ended_at: number
  readonly body: string | null
}

export function pastOfRow({ type_name: type, outcome, ended_at: endedAt, body, ...row }: PastRow): PastJob {
  return {
    ...row,
    type,
    outcome: outcome === null ? null : memberAt(outcomes, outcome),
    endedAt,
    body: body === null ? null : bodyOf(body),
  }
}

function bodyOf(text: string): PastBody {
  const { labels, cancelled, ...body } = JSON.parse(text)
  return { ...body, labels: labels ?? {}, cancelled: cancelled === 1 }
}

export interface AgedRow {
  readonly pk: number
  readonly name: string
  readonly group_id: string | null
  readonly ended_at: number | null
}

export function agedOfRow({ pk, name, group_id: groupId, ended_at: endedAt }: AgedRow): AgedJob {
  return { pk, name, groupId, endedAt }
}
