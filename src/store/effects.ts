import { advanceShards } from './shards/advance.ts'
import { finish } from './submit.ts'
import type { Change, Transaction } from './transaction.ts'
import { writeAndWake } from './write.ts'

/** Writes changes and carries out all their effects, new jobs among them, in the same transaction. */
export async function writeWithEffects(tx: Transaction, changes: readonly Change[]): Promise<ReadonlySet<number>> {
  const { written, done } = await writeAndWake(tx, changes)
  await finish(tx, done)
  await advanceShards(tx, done, writeWithEffects)
  return written
}
