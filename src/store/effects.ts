import { advanceShards } from './shards/advance.ts'
import type { Supply } from './slots/supply.ts'
import { finish } from './submit.ts'
import type { Change, Transaction } from './transaction.ts'
import { wakeWaiters, writeAndWake } from './write.ts'

/** Writes changes and carries out all their effects, new jobs among them, in the same transaction. */
export async function writeWithEffects(tx: Transaction, changes: readonly Change[]): Promise<ReadonlySet<number>> {
  const { written, done } = await writeAndWake(tx, changes)
  await finish(tx, done)
  await advanceShards(tx, done, writeWithEffects)
  return written
}

/** Lets those go on who wait for ends that were written the short way, and carries out what follows from that. */
export async function wakeAfter(tx: Transaction, ended: readonly Supply[]): Promise<void> {
  const following = await wakeWaiters(tx, ended)
  await finish(tx, following)
  await advanceShards(tx, following, writeWithEffects)
}
