import type { Group, GroupStep } from '../../core/group/group.ts'
import type { Context } from '../../core/job/commands.ts'
import { requireRecord, writeStep } from '../control/record-steps.ts'
import type { Hold, StoredRecord } from '../records.ts'
import type { Transaction } from '../transaction.ts'

export type GroupRecord = StoredRecord<Group>

export async function findGroups(
  tx: Transaction,
  refs: readonly string[],
  hold: Hold,
): Promise<readonly GroupRecord[]> {
  return (await tx.records.find('group', refs, hold)) as readonly GroupRecord[]
}

export async function requireGroup(tx: Transaction, ref: unknown, hold: Hold): Promise<GroupRecord> {
  return (await requireRecord(tx, 'group', ref, hold)) as GroupRecord
}

/** Writes what a group, which must be held, has become. One that is over leaves its path to others. */
export async function writeGroup(
  tx: Transaction,
  record: GroupRecord,
  { group, events }: GroupStep,
  context: Context,
): Promise<GroupRecord> {
  if (group === record.body) return record
  return await writeStep(tx, record, { body: group, events, released: group.finishedAt !== null }, context)
}

/** The limit that the members of a parallel group keep to if it has a width. */
export function widthKey(groupId: string): string {
  return `group:${groupId}`
}
