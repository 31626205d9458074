import { createGroup, type GroupMode, type GroupSpec, requestCancel, sealGroup } from '../../core/group/group.ts'
import type { Context } from '../../core/job/commands.ts'
import { type Job, type OnFailure, statusOf } from '../../core/job/job.ts'
import { checkSubmittable, JobName } from '../../core/names/job-name.ts'
import {
  checkArray,
  checkInteger,
  checkLimit,
  checkObject,
  checkOptionalText,
  checkText,
  checkUuid,
  refuse,
} from '../check-input.ts'
import type { GroupControls, GroupInput, GroupRow, ListInput, MemberRow, NewGroup } from '../controls.ts'
import { endingOf, settle } from '../groups/ends.ts'
import { type GroupRecord, requireGroup, widthKey } from '../groups/group-record.ts'
import { lockFirst, openGroup } from '../groups/turns.ts'
import { checkFollowing } from '../submission.ts'
import { submitFinishing } from '../submit.ts'
import type { Transaction } from '../transaction.ts'
import { checkPath, checkRef, createRecord, listRecords } from './record-steps.ts'
import { reorderMembers } from './reorder-members.ts'

type Input<N extends keyof GroupControls> = GroupControls[N]['input']

export const groupControls = {
  'group.create': async (tx: Transaction, given: NewGroup, context: Context) => {
    const { id, path, ...input } = checkObject(given, 'a group') as NewGroup
    const { group: body, events } = createGroup(checkGroup(input))
    const made = { kind: 'group', id: checkUuid(id, 'id'), path: checkPath(path), body, events } as const
    const record = await createRecord(tx, made, context)
    if (body.width !== null) await tx.gates.setLimits([{ key: widthKey(id), concurrency: body.width }])
    return rowOf(record)
  },
  'group.seal': async (tx: Transaction, { group: ref }: Input<'group.seal'>, context: Context) => {
    const seen = await requireGroup(tx, ref, 'read')
    if (!seen.body.sealed) await lockFirst(tx, seen)
    const record = await requireGroup(tx, seen.id, 'change')
    const { group, events } = sealGroup(record.body, tx.now)
    if (events.length === 0) return rowOf(record)
    return await settled(tx, record, { group: await openGroup(tx, record, group), events }, context)
  },
  'group.cancel': async (tx: Transaction, given: Input<'group.cancel'>, context: Context) => {
    const reason = checkText(given.reason, 'reason', 4_096)
    const record = await requireGroup(tx, given.group, 'change')
    const step = requestCancel(record.body, reason, tx.now)
    const isAsked = step.group.cancelRequested && !record.body.cancelRequested
    if (isAsked && step.group.finishedAt === null) {
      await tx.addFollowUps([endingOf(record, { how: 'cancel', reason, actor: context.actor ?? null })])
    }
    return await settled(tx, record, step, context)
  },
  'group.reorder': async (tx: Transaction, { group, jobIds }: Input<'group.reorder'>, context: Context) => {
    const ids = checkArray(jobIds, 'jobIds', reorderMax).map((id, i) => checkUuid(id, `jobIds[${i}]`))
    return rowOf(await reorderMembers(tx, group, ids, context))
  },
  'group.get': async (tx: Transaction, { group }: Input<'group.get'>) => {
    const [record] = await tx.records.find('group', [checkRef('group', group)], 'read')
    return record === undefined ? null : rowOf(record as GroupRecord)
  },
  'group.list': async (tx: Transaction, input: ListInput) => {
    const { records, next } = await listRecords(tx, 'group', input)
    return { items: records.map((record) => rowOf(record as GroupRecord)), next }
  },
  'group.members': async (tx: Transaction, { group, after = null, limit }: Input<'group.members'>) => {
    const record = await requireGroup(tx, group, 'read')
    const from = checkInteger(after ?? 0, 'after', 0, Number.MAX_SAFE_INTEGER)
    const size = checkLimit(limit)
    const page = await tx.members.page({ group: record.pk, from, direction: 'up', live: false, limit: size })
    const jobs = await tx.loadByKey(page.map(({ job }) => job))
    const found = new Map(jobs.map(({ job, guard }) => [guard.pk, job]))
    const items = page.flatMap(({ job }) => memberRow(found.get(job)))
    return { items, next: page.length < size ? null : (page.at(-1)?.seq ?? null) }
  },
}

/** The most members that can be put into another order at once. */
const reorderMax = 10_000

async function settled(
  tx: Transaction,
  record: GroupRecord,
  step: Parameters<typeof settle>[2],
  context: Context,
): Promise<GroupRow> {
  const { record: after, following } = await settle(tx, record, step, context)
  await submitFinishing(tx, following)
  return rowOf(after)
}

const modes: readonly unknown[] = ['parallel', 'sequential'] satisfies GroupMode[]
const widthMax = 1_000_000
const fields: readonly string[] = ['mode', 'width', 'onFailure', 'label', 'finish']

function checkGroup(input: GroupInput): GroupSpec {
  const unknown = Object.keys(input).find((name) => !fields.includes(name))
  if (unknown !== undefined) throw refuse(unknown, input, 'is no field of a group')
  const { mode, width = null, label } = input
  if (!modes.includes(mode)) throw refuse('mode', mode, 'must be parallel or sequential')
  const isSequential = mode === 'sequential'
  if (isSequential && width !== null) throw refuse('width', width, 'is only for a parallel group')
  return {
    mode,
    width: width === null ? null : checkInteger(width, 'width', 1, widthMax),
    onFailure: checkOnFailure(input.onFailure ?? (isSequential ? 'stop' : 'continue'), isSequential),
    label: checkOptionalText(label, 'label', 255),
    finish: checkFinish(input.finish),
  }
}

function checkOnFailure(value: unknown, isSequential: boolean): GroupSpec['onFailure'] {
  if (value !== 'stop' && value !== 'continue') throw refuse('onFailure', value, 'must be stop or continue')
  if (value === 'stop' && !isSequential) throw refuse('onFailure', value, 'can be stop only for a sequential group')
  return value
}

/** Its name, and the one that it has when that is taken by then. */
function checkFinish(given: unknown): OnFailure | null {
  const finish = checkFollowing(given, 'finish')
  if (finish !== null) checkSubmittable(JobName.parse(finish.name).child(finish.id))
  return finish
}

function rowOf({ id, path, version, createdAt, updatedAt, body }: GroupRecord): GroupRow {
  const { lastSeq: _last, reached: _reached, current: _current, ...group } = body
  return { id, path, ...group, version, createdAt, updatedAt }
}

function memberRow(job: Job | undefined): readonly MemberRow[] {
  if (job === undefined) return []
  const { id: jobId, name, type, outcome, attempt } = job
  return [{ jobId, name, type, status: statusOf(job), outcome, attempt }]
}
