import { type EndedMember, endMembers, type GroupStep, memberEnd } from '../../core/group/group.ts'
import type { Context } from '../../core/job/commands.ts'
import type { JsonObject } from '../../core/json.ts'
import type { EndOptions } from '../end-options.ts'
import { removeLimit } from '../gates.ts'
import type { Submission } from '../store.ts'
import { type Change, followUpKinds, type NewFollowUp, type Transaction } from '../transaction.ts'
import { findGroups, type GroupRecord, widthKey, writeGroup } from './group-record.ts'
import { advance, lockNext } from './turns.ts'

/**
 * Tells groups of members that are over: what they count, whose turn it is, whether they are over themselves. Gives the jobs
 * that follow from it. Jobs are held before their group, so this comes after all else that is done to them.
 */
export async function tellGroups(tx: Transaction, changes: readonly Change[]): Promise<readonly Submission[]> {
  const ended = Map.groupBy(changes.filter(endsMember), ({ after }) => after.job.groupId ?? '')
  if (ended.size === 0) return []
  const ids = [...ended.keys()]
  const isTurnOver = ({ id, body }: GroupRecord) => ended.get(id)?.some(({ after }) => after.guard.pk === body.current)
  await lockNext(tx, (await findGroups(tx, ids, 'read')).filter(isTurnOver))
  const following: Submission[] = []
  for (const record of await findGroups(tx, ids, 'change')) {
    following.push(...(await tellOne(tx, record, ended.get(record.id) ?? [])))
  }
  return following
}

function endsMember({ before, after }: Change): boolean {
  return after.job.groupId !== null && after.job.state === 'final' && before.job.state !== 'final'
}

async function tellOne(
  tx: Transaction,
  record: GroupRecord,
  changes: readonly Change[],
): Promise<readonly Submission[]> {
  const ended = changes.map(({ after: { job, guard } }): EndedMember => {
    return { pk: guard.pk, name: job.name, end: memberEnd(job) }
  })
  const { group, events } = endMembers(record.body, ended, tx.now)
  if (group.stopped && !record.body.stopped) {
    const failed = ended.find(({ end }) => end === 'failed')?.name
    await tx.addFollowUps([endingOf(record, { how: 'skip', reason: `group stopped: ${failed} failed`, actor: null })])
  }
  const job = changes.at(-1)?.after.job
  const context = job === undefined ? {} : { cause: `${job.id}.${job.version}` }
  const { following } = await settle(tx, record, { group: await advance(tx, record.pk, group), events }, context)
  return following
}

/** Writes what a group has become. If that is its end, its limit goes, and the job that it named for it follows. */
export async function settle(
  tx: Transaction,
  record: GroupRecord,
  step: GroupStep,
  context: Context,
): Promise<{ readonly record: GroupRecord; readonly following: readonly Submission[] }> {
  const after = await writeGroup(tx, record, step, context)
  if (!after.released || record.released) return { record: after, following: [] }
  if (after.body.width !== null) await removeLimit(tx, widthKey(after.id))
  return { record: after, following: finishing(after) }
}

function finishing({ id, path, version, body }: GroupRecord): readonly Submission[] {
  if (body.finish === null) return []
  const { params, ...job } = body.finish
  const given: JsonObject = params === null ? {} : JSON.parse(params)
  const group = { id, path, status: body.status, counts: body.counts }
  return [{ ...job, params: JSON.stringify({ ...given, group }), context: { cause: `${id}.${version}` } }]
}

/** How the members of a group that are not over are ended: those before a number are left. */
export interface EndingLeft extends EndOptions {
  readonly group: string
  readonly before: number
}

export function endingOf({ pk, id }: GroupRecord, options: EndOptions): NewFollowUp {
  const left: EndingLeft = { group: id, before: Number.MAX_SAFE_INTEGER, ...options }
  return { kind: followUpKinds.endMembers, job: pk, data: JSON.stringify(left) }
}
