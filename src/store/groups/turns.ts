import { type Group, mayAdvance } from '../../core/group/group.ts'
import { followUpKinds, type Transaction } from '../transaction.ts'
import { wake } from '../write.ts'
import type { GroupRecord } from './group-record.ts'

/** How many members begin to wait for a worker in one transaction at the most. */
const releaseMax = 1_000

/** Lets the members of a sealed group run: all of them, or the first. The group must be held. */
export async function openGroup(tx: Transaction, record: GroupRecord, group: Group): Promise<Group> {
  if (group.mode === 'sequential') return await advance(tx, record.pk, group)
  if (await releaseSome(tx, record.pk, releaseMax)) {
    const data = JSON.stringify({ group: record.id })
    await tx.addFollowUps([{ kind: followUpKinds.releaseMembers, job: record.pk, data }])
  }
  return group
}

/** Lets the next member of a sequential group have its turn, if it is time. The group must be held. */
export async function advance(tx: Transaction, pk: number, group: Group): Promise<Group> {
  if (!mayAdvance(group)) return group
  const [next] = await tx.members.page({ group: pk, from: group.reached, direction: 'up', live: true, limit: 1 })
  if (next === undefined) return group
  await wake(tx, await tx.members.release(pk, [next.job]))
  return { ...group, reached: next.seq, current: next.job }
}

/** Lets some of those run that wait for a parallel group, and tells whether there may be more. */
export async function releaseSome(tx: Transaction, pk: number, limit: number): Promise<boolean> {
  const waiting = await tx.members.waiting(pk, limit)
  if (waiting.length > 0) await wake(tx, await tx.members.release(pk, waiting))
  return waiting.length === limit
}

/** Holds those whom `openGroup` will let run: jobs are held before their group, by all, so that nobody waits in a circle. */
export async function lockFirst(tx: Transaction, { pk, body }: GroupRecord): Promise<void> {
  await lockByKey(tx, body.mode === 'parallel' ? await tx.members.waiting(pk, releaseMax) : await nextOf(tx, pk, body))
}

/** Holds those whose turn comes when the current members of these groups are over. */
export async function lockNext(tx: Transaction, groups: readonly GroupRecord[]): Promise<void> {
  const next: number[] = []
  for (const { pk, body } of groups) next.push(...(await nextOf(tx, pk, body)))
  await lockByKey(tx, next)
}

async function nextOf(tx: Transaction, pk: number, { reached }: Group): Promise<readonly number[]> {
  const page = await tx.members.page({ group: pk, from: reached, direction: 'up', live: true, limit: 1 })
  return page.map(({ job }) => job)
}

async function lockByKey(tx: Transaction, pks: readonly number[]): Promise<void> {
  if (pks.length === 0) return
  const jobs = await tx.loadByKey(pks)
  await tx.lock(jobs.map(({ job }) => job.id))
}
