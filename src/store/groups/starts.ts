import { startGroup } from '../../core/group/group.ts'
import type { Transaction } from '../transaction.ts'
import { findGroups, writeGroup } from './group-record.ts'

/** Members are about to start: a group of which none has started before starts by it. Of most groups one has. */
export async function startGroups(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const groups = await findGroups(tx, [...new Set(ids)], 'read')
  const waiting = groups.filter(({ body }) => body.startedAt === null).map(({ id }) => id)
  if (waiting.length === 0) return
  for (const record of await findGroups(tx, waiting, 'change')) {
    await writeGroup(tx, record, startGroup(record.body, tx.now), {})
  }
}
