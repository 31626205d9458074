import { endAll } from '../end-all.ts'
import type { FollowUp, Transaction } from '../transaction.ts'
import type { EndingLeft } from './ends.ts'
import { findGroups } from './group-record.ts'
import { releaseSome } from './turns.ts'

/** What is left to do to the members of a group, page by page. Nothing can be added to it any more. */

interface ReleaseLeft {
  readonly group: string
}

/** Lets the members of a sealed parallel group run. */
export async function releaseMembers(tx: Transaction, { data }: FollowUp, limit: number): Promise<ReleaseLeft | null> {
  const left: ReleaseLeft = JSON.parse(data)
  const [record] = await findGroups(tx, [left.group], 'read')
  if (record === undefined || record.body.cancelRequested) return null
  return (await releaseSome(tx, record.pk, limit)) ? left : null
}

/** Ends the members that are not over, the last first. */
export async function endMembers(tx: Transaction, { data }: FollowUp, limit: number): Promise<EndingLeft | null> {
  const left: EndingLeft = JSON.parse(data)
  const [record] = await findGroups(tx, [left.group], 'read')
  if (record === undefined) return null
  const from = left.before
  const page = await tx.members.page({ group: record.pk, from, direction: 'down', live: true, limit })
  const pks = page.map(({ job }) => job)
  await endAll(tx, pks, left)
  return page.length < limit ? null : { ...left, before: page.at(-1)?.seq ?? from }
}
