import { step } from '../core/job/decide.ts'
import { changeOf } from './change.ts'
import type { Change, Transaction } from './transaction.ts'

/**
 * Writes changes and carries out their effects on other jobs, in the same transaction. Tells which changes were written;
 * the others met a job that somebody had changed in the meantime.
 */
export async function writeAndWake(tx: Transaction, changes: readonly Change[]): Promise<ReadonlySet<number>> {
  if (changes.length === 0) return new Set()
  const written = await tx.write(changes)
  const ended = changes
    .filter(({ before, after }) => before.job.state !== 'final' && after.job.state === 'final')
    .map(({ after }) => after.guard.pk)
    .filter((pk) => written.get(pk)?.awaited)
  if (ended.length > 0) await wake(tx, await tx.endWaits(ended))
  return new Set(written.keys())
}

/** Opens the last gate of jobs that waited for an end. One that was changed at this moment is read and tried again. */
async function wake(tx: Transaction, pks: readonly number[]): Promise<void> {
  let open = pks
  while (open.length > 0) {
    const sleeping = (await tx.loadByKey(open)).filter(({ job }) => job.phase === 'pending')
    const changes = sleeping.map((stored) => changeOf(stored, step(stored.job, { type: 'release' }, tx.now)))
    const written = await writeAndWake(tx, changes)
    open = sleeping.map(({ guard }) => guard.pk).filter((pk) => !written.has(pk))
  }
}
