import { waitsForOthers } from '../core/job/job.ts'
import { asks } from './change.ts'
import { freeLimits, passOn } from './gates.ts'
import { awaken, doomed } from './slots/awaken.ts'
import { awaitOutputs } from './slots/returns.ts'
import { type Supply, supplyOfJob } from './slots/supply.ts'
import { type Change, followUpKinds, type Transaction } from './transaction.ts'

export interface Wrote {
  /** Row keys of the changes that were written; the others met a job that somebody had changed in the meantime. */
  readonly written: ReadonlySet<number>
  /** The changes that were written, and those that followed of them in jobs that waited. */
  readonly done: readonly Change[]
}

/** Writes changes and carries out their effects on jobs that exist, in the same transaction. */
export async function writeAndWake(tx: Transaction, changes: readonly Change[]): Promise<Wrote> {
  if (changes.length === 0) return { written: new Set(), done: [] }
  const written = await tx.write(changes)
  const done = changes.filter(({ after }) => written.has(after.guard.pk))
  await leaveChildren(tx, done)
  await freeLimits(tx, done)
  await passOn(tx, done)
  const settled = await awaitOutputs(tx, done)
  const ended = done.filter((change) => asks(change, 'wakeWaiters')).map(({ after }) => supplyOfJob(after))
  const awaited = ended.filter(({ pk }) => written.get(pk)?.awaited)
  const following = [...(await wakeWaiters(tx, awaited)), ...(await wake(tx, settled))]
  return { written: new Set(written.keys()), done: [...done, ...following] }
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

/** The most jobs that one end lets go on at once; upkeep sees to the others. */
const wakeMax = 1_000

/** Tells those who wait for these ends, and gives the changes that this makes. */
export async function wakeWaiters(tx: Transaction, ended: readonly Supply[]): Promise<readonly Change[]> {
  const { done, isMore } = await wakeSome(tx, ended, wakeMax)
  const { wakeWaiters: kind } = followUpKinds
  if (isMore) await tx.addFollowUps(ended.map(({ pk }) => ({ kind, job: pk, data: '{}' })))
  return done
}

/** Tells some of those who wait for these ends, and whether there are more. */
export async function wakeSome(
  tx: Transaction,
  ended: readonly Supply[],
  limit: number,
): Promise<{ readonly done: readonly Change[]; readonly isMore: boolean }> {
  if (ended.length === 0) return { done: [], isMore: false }
  const pks = ended.map(({ pk }) => pk)
  const { freed, waiting } = await tx.endWaits(pks, limit)
  const failed = ended.filter(({ error }) => error !== null)
  const over = failed.length === 0 ? [] : await endDoomed(tx, [...freed, ...waiting], failed)
  return { done: [...over, ...(await wake(tx, freed, ended))], isMore: freed.length + waiting.length === limit }
}

/** Ends jobs that need one of these, which will never have a value. */
export async function endDoomed(
  tx: Transaction,
  pks: readonly number[],
  failed: readonly Pick<Supply, 'id' | 'error'>[],
): Promise<readonly Change[]> {
  const all: Change[] = []
  for (let open = pks; open.length > 0; ) {
    const changes = doomed(tx, await tx.loadByKey(open), failed)
    const { written, done } = await writeAndWake(tx, changes)
    all.push(...done)
    open = changes.map(({ after }) => after.guard.pk).filter((pk) => !written.has(pk))
  }
  return all
}

/**
 * Lets jobs go on that wait for nothing more. One that was changed at this moment is read and tried again. What is known of those
 * that they waited for need not be read.
 */
export async function wake(
  tx: Transaction,
  pks: readonly number[],
  known: readonly Supply[] = [],
): Promise<readonly Change[]> {
  const all: Change[] = []
  for (let open = pks; open.length > 0; ) {
    const sleeping = (await tx.loadByKey(open)).filter(({ job }) => waitsForOthers(job))
    const changes = await awaken(tx, sleeping, known)
    const { written, done } = await writeAndWake(tx, changes)
    all.push(...done)
    open = changes.map(({ after }) => after.guard.pk).filter((pk) => !written.has(pk))
  }
  return all
}
