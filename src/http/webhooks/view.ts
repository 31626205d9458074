import { JobRunId } from '../../core/names/ids.ts'
import { JobName } from '../../core/names/job-name.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { Stint } from '../../engine/stint.ts'
import { type DeliveryParams, statusIn } from './delivery.ts'

/** The way of a message to its receiver, as it is shown. */
export interface DeliveryView {
  readonly id: string
  /** What the receiver gets as `webhook-id`: the same for a message that is sent once more. */
  readonly messageId: string
  readonly type: string
  readonly status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
  readonly attempts: number
  /** Of the newest answer; null when there was none. */
  readonly responseStatus: number | null
  readonly error: string | null
  /** The delivery that this one repeats. */
  readonly redeliveryOf: string | null
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export interface DeliveryDetails extends DeliveryView {
  /** Exactly what was signed and sent. */
  readonly body: string
  readonly log: readonly DeliveryAttempt[]
}

export interface DeliveryAttempt {
  readonly attempt: number
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly responseStatus: number | null
  /** The answer and the beginning of its body, or why there was none. */
  readonly detail: string | null
}

type Delivery = Omit<JobView, 'result'> & { readonly result?: unknown }

export function deliveryView(job: Delivery): DeliveryView {
  const { status, outcome, attempt, error, result, retryOf, createdAt, finishedAt, scheduledFor } = job
  return {
    id: uuidOf(job.id),
    messageId: JobName.parse(job.name).name,
    type: (job.params as unknown as DeliveryParams).type,
    status: statusOf(job),
    attempts: attempt,
    responseStatus: isAnswer(result) ? result.status : statusIn(error),
    error: outcome === 'COMPLETED' ? null : error,
    redeliveryOf: retryOf === null ? null : uuidOf(retryOf),
    nextAttemptAt: status === 'QUEUED' ? scheduledFor : null,
    createdAt,
    finishedAt,
  }
}

/** With what each attempt has met. */
export async function detailsOf(stint: Stint, job: JobView): Promise<DeliveryDetails> {
  const { items } = await stint.runs.list({ job: job.id })
  const log = await Promise.all(
    items.map(async ({ attempt, startedAt, finishedAt, error }) => {
      const lines = (await stint.runs.log({ job: job.id, attempt, limit: 1 })).items
      const detail = lines[0]?.line ?? error
      return { attempt, startedAt, finishedAt, responseStatus: statusIn(detail), detail }
    }),
  )
  return { ...deliveryView(job), body: (job.params as unknown as DeliveryParams).body, log }
}

function statusOf({ status, outcome }: Delivery): DeliveryView['status'] {
  if (status === 'CANCELLED') return 'CANCELLED'
  if (status !== null) return 'PENDING'
  return outcome === 'COMPLETED' ? 'DELIVERED' : 'FAILED'
}

function isAnswer(result: unknown): result is { readonly status: number } {
  return typeof result === 'object' && result !== null && 'status' in result && typeof result.status === 'number'
}

function uuidOf(jobRunId: string): string {
  return JobRunId.parse(jobRunId).name
}
