import type { OnFailure } from '../core/job/job.ts'
import type { JsonObject } from '../core/json.ts'
import { asks } from './change.ts'
import { advanceShards } from './shards/advance.ts'
import type { StoredJob, Submission } from './store.ts'
import { finishGroups, submit } from './submit.ts'
import type { Change, Transaction } from './transaction.ts'
import { writeAndWake } from './write.ts'

/** Writes changes and carries out all their effects, new jobs among them, in the same transaction. */
export async function writeWithEffects(tx: Transaction, changes: readonly Change[]): Promise<ReadonlySet<number>> {
  const written = await writeAndWake(tx, changes)
  const done = changes.filter(({ after }) => written.has(after.guard.pk))
  await finishGroups(tx, done)
  await advanceShards(tx, done, writeWithEffects)
  const following = done
    .filter((change) => asks(change, 'submitOnFailure'))
    .flatMap(({ after }) => (after.job.onFailure === null ? [] : [followingJob(after, after.job.onFailure)]))
  if (following.length > 0) await submit(tx, following)
  return written
}

/** The job that follows a failure. If its name is taken by then, that job has been told of a failure already. */
function followingJob({ job }: StoredJob, { id, name, type, params }: OnFailure): Submission {
  const given: JsonObject = params === null ? {} : JSON.parse(params)
  const failed = { jobId: job.id, name: job.name, type: job.type, attempt: job.attempt, error: job.error }
  const context = { cause: `${job.id}.${job.version}` }
  return { id, name, type, params: JSON.stringify({ ...given, failed }), onConflict: 'keep', context }
}
