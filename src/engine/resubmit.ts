import { StintError } from '../core/errors.ts'
import { isUnresolved } from '../core/slot/needs.ts'
import { widthKey } from '../store/groups/group-record.ts'
import type { StoredJob, Submission } from '../store/store.ts'
import type { Env } from './env.ts'
import type { References } from './references.ts'

export interface Resubmission {
  readonly id?: string | undefined
  /** Of a sharded job: the shards that run again although they are done. */
  readonly rerun?: readonly number[]
}

/** Submits a job that is over once more, as a new job that says which one it repeats. */
export async function resubmit(
  { store, newId, metrics }: Env,
  references: References,
  stored: StoredJob,
  { id, rerun = [] }: Resubmission,
): Promise<StoredJob> {
  requireOver(stored)
  const retryOf = references.idOf(stored)
  const awaits = await awaitsOf(store, stored.job.id)
  const submission = { ...again(stored, newId), ...(id === undefined ? {} : { id }), retryOf, rerun, awaits }
  const [result] = await store.submit([submission])
  if (result === undefined || result.outcome === 'refused') throw result?.error
  metrics.add('stint_jobs_submitted', { type: stored.job.type })
  return result.stored
}

function requireOver({ job: { id, state } }: StoredJob): void {
  if (state === 'final') return
  const message = `Job ${id} is not over (${state}), so it cannot be run again.`
  throw new StintError('illegal_transition', message, { jobId: id, state })
}

/** What a job awaits is forgotten at its end, but stands in its first event. */
async function awaitsOf(store: Env['store'], jobId: string): Promise<NonNullable<Submission['awaits']> | null> {
  const { entries } = await store.events({ jobId, limit: 1 })
  const awaits = entries[0]?.attributes['awaits'] ?? null
  // The store checks it, like everything that is submitted.
  return awaits as unknown as NonNullable<Submission['awaits']> | null
}

/** The same job once more. What had to do with its time has passed and is not asked for again. */
function again({ job, params, trace }: StoredJob, newId: () => string): Submission {
  return {
    id: newId(),
    name: job.name,
    type: job.type,
    key: job.key,
    params,
    labels: job.labels,
    priority: job.priority,
    retry: job.retry,
    timeoutMs: job.timeoutMs,
    // It is no member of the group, and that of its width is gone with it.
    limits: job.limits.filter((key) => key !== widthKey(job.groupId ?? '')).map((key) => ({ key })),
    templateId: job.templateId,
    onFailure: job.onFailure === null ? null : { ...job.onFailure, id: newId() },
    // Values that have come stand in its params.
    ...(isUnresolved(job) ? { needs: job.needs } : {}),
    trace,
  }
}
