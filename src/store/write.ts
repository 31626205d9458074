import { step } from '../core/job/decide.ts'
import { asks, changeOf } from './change.ts'
import { freeLimits, passOn } from './gates.ts'
import { type Change, followUpKinds, type Transaction } from './transaction.ts'

/**
 * Writes changes and carries out their effects on jobs that exist, in the same transaction. Tells which changes were
 * written; the others met a job that somebody had changed in the meantime.
 */
export async function writeAndWake(tx: Transaction, changes: readonly Change[]): Promise<ReadonlySet<number>> {
  if (changes.length === 0) return new Set()
  const written = await tx.write(changes)
  const done = changes.filter(({ after }) => written.has(after.guard.pk))
  await leaveChildren(tx, done)
  await freeLimits(tx, done)
  await passOn(tx, done)
  const ended = done.filter((change) => asks(change, 'wakeWaiters')).map(({ after }) => after.guard.pk)
  const awaited = ended.filter((pk) => written.get(pk)?.awaited)
  if (awaited.length > 0) await wake(tx, await tx.endWaits(awaited))
  return new Set(written.keys())
}

/**
 * The jobs of a failed attempt may be many, so their cancelling is left to upkeep. Until it is done, the job waits for
 * itself; what is still running then keeps it waiting.
 */
async function leaveChildren(tx: Transaction, changes: readonly Change[]): Promise<void> {
  const leaving = changes.filter((change) => asks(change, 'cancelChildren'))
  if (leaving.length === 0) return
  const { cancelChildren: kind } = followUpKinds
  await tx.addFollowUps(
    leaving.map(({ before, after }) => {
      return { kind, job: after.guard.pk, data: JSON.stringify({ attempt: before.job.attempt, after: 0 }) }
    }),
  )
  const waiting = leaving.filter(({ after }) => after.job.phase === 'pending').map(({ after }) => after.guard.pk)
  if (waiting.length > 0) await tx.addWaits(waiting.map((pk) => ({ job: pk, on_job: pk })))
}

/** Opens the last gate of jobs that waited for an end. One that was changed at this moment is read and tried again. */
export async function wake(tx: Transaction, pks: readonly number[]): Promise<void> {
  let open = pks
  while (open.length > 0) {
    const sleeping = (await tx.loadByKey(open)).filter(({ job }) => job.phase === 'pending')
    const changes = sleeping.map((stored) => changeOf(stored, step(stored.job, { type: 'release' }, tx.now)))
    const written = await writeAndWake(tx, changes)
    open = sleeping.map(({ guard }) => guard.pk).filter((pk) => !written.has(pk))
  }
}
