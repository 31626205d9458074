import { StintError } from '../../core/errors.ts'
import { type Group, requireMovable } from '../../core/group/group.ts'
import type { Context, Edit } from '../../core/job/commands.ts'
import { step } from '../../core/job/decide.ts'
import { isUnresolved } from '../../core/slot/needs.ts'
import { changeOf } from '../change.ts'
import { refuse } from '../check-input.ts'
import { type GroupRecord, requireGroup, writeGroup } from '../groups/group-record.ts'
import type { Member } from '../groups/members.ts'
import type { StoredJob } from '../store.ts'
import type { Change, Transaction } from '../transaction.ts'
import { wake, writeAndWake } from '../write.ts'

/** A member that has not started. */
interface Movable {
  readonly member: Member
  readonly stored: StoredJob
}

/**
 * Puts the members of a group that have not started into another order, all at once or not at all. In a sequential group they
 * have their turns in it; those of a parallel one give each other their places in the queue.
 */
export async function reorderMembers(
  tx: Transaction,
  ref: string,
  jobIds: readonly string[],
  context: Context,
): Promise<GroupRecord> {
  // Jobs are held before their group, as by all.
  if (jobIds.length > 0) await tx.lock(jobIds)
  const record = await requireGroup(tx, ref, 'change')
  requireMovable(record.body, record.id)
  const before = await movableMembers(tx, record.pk)
  const after = await inNewOrder(tx, record, before, jobIds)
  if (record.body.mode === 'sequential') requireTurns(after)
  const numbers = before.map(({ member }) => member.seq)
  const members = after.map(({ member }, i) => ({ ...member, seq: numbers[i] ?? member.seq }))
  if (members.length > 0) await tx.members.renumber(record.pk, members)
  const group =
    record.body.mode === 'parallel'
      ? await givePlaces(tx, record.body, after, context)
      : await giveTurn(tx, record, after, context)
  return await writeGroup(tx, record, { group, events: [{ type: 'group.reordered', data: { jobIds } }] }, context)
}

const pageSize = 1_000

/** Those that have not started, in their order. */
async function movableMembers(tx: Transaction, group: number): Promise<readonly Movable[]> {
  const movable: Movable[] = []
  for (let from = 0; ; ) {
    const page = await tx.members.page({ group, from, direction: 'up', live: true, limit: pageSize })
    const jobs = new Map((await tx.loadByKey(page.map(({ job }) => job))).map((stored) => [stored.guard.pk, stored]))
    for (const member of page) {
      const stored = jobs.get(member.job)
      if (stored?.job.state === 'initial') movable.push({ member, stored })
    }
    if (page.length < pageSize) return movable
    from = page.at(-1)?.seq ?? from
  }
}

async function inNewOrder(
  tx: Transaction,
  { id }: GroupRecord,
  movable: readonly Movable[],
  jobIds: readonly string[],
): Promise<readonly Movable[]> {
  const wanted = new Map(jobIds.map((jobId, i) => [jobId, i]))
  const twice = jobIds.find((jobId, i) => wanted.get(jobId) !== i)
  if (twice !== undefined) throw refuse('jobIds', twice, 'must not name a member twice')
  const byId = new Map(movable.map((each) => [each.stored.job.id, each]))
  const strange = jobIds.find((jobId) => !byId.has(jobId))
  if (strange !== undefined) throw await immovable(tx, id, strange)
  const missing = movable.find(({ stored }) => !wanted.has(stored.job.id))
  if (missing !== undefined) {
    throw refuse('jobIds', missing.stored.job.id, 'must name all members that have not started; one is missing')
  }
  return jobIds.flatMap((jobId) => byId.get(jobId) ?? [])
}

async function immovable(tx: Transaction, groupId: string, jobId: string): Promise<StintError> {
  const [stored] = await tx.load([jobId])
  if (stored?.job.groupId !== groupId) {
    return new StintError('not_found', `Group ${groupId} has no member ${jobId}.`, { groupId, jobId })
  }
  if (stored.job.state !== 'final') return dispatched(stored)
  const message = `Job ${jobId} is over and cannot be moved.`
  return new StintError('illegal_transition', message, { groupId, jobId, state: stored.job.state })
}

function dispatched({ job }: StoredJob): StintError {
  return new StintError('already_dispatched', `Job ${job.id} was dispatched, so it can no longer be moved.`, {
    jobId: job.id,
    state: job.state,
  })
}

/** A member that needs the value of one behind it would wait for it, and that one for its turn. */
function requireTurns(members: readonly Movable[]): void {
  const place = new Map(members.map(({ stored }, i) => [stored.job.id, i]))
  for (const [i, { stored }] of members.entries()) {
    const { job } = stored
    const behind = isUnresolved(job) && job.needs.list.find(({ of }) => (place.get(of) ?? i) > i)
    if (behind)
      throw new StintError('cycle', `Job ${job.id} needs ${behind.of}, which would come after it.`, { jobId: job.id })
  }
}

/** The members of a parallel group change places in the queue among themselves, so that nobody else is moved. */
async function givePlaces(
  tx: Transaction,
  group: Group,
  members: readonly Movable[],
  context: Context,
): Promise<Group> {
  const places = members.map(({ stored: { job } }) => ({ priority: job.priority, position: job.position }))
  places.sort((a, b) => b.priority - a.priority || a.position - b.position)
  const changes = members.flatMap(({ stored }, i) => {
    const { priority, position } = places[i] ?? stored.job
    const edit: Edit = {
      ...(priority === stored.job.priority ? {} : { priority }),
      ...(position === stored.job.position ? {} : { position }),
    }
    const made = step(stored.job, { type: 'edit', changes: edit }, tx.now, context)
    return made.events.length === 0 ? [] : [changeOf(stored, made)]
  })
  await writeAll(tx, changes)
  return { ...group }
}

/** If it is the turn of a member that has not started, it is now that of the first in the new order. */
async function giveTurn(
  tx: Transaction,
  { pk, body }: GroupRecord,
  members: readonly Movable[],
  context: Context,
): Promise<Group> {
  const [first] = members
  const current = members.find(({ member }) => member.job === body.current)
  if (first === undefined || current === undefined || first === current) return { ...body }
  const { stored } = current
  await writeAll(tx, [changeOf(stored, step(stored.job, { type: 'hold' }, tx.now, context))])
  await tx.addWaits([{ job: current.member.job, on_job: pk }])
  await wake(tx, await tx.members.release(pk, [first.member.job]))
  return { ...body, current: first.member.job }
}

/** All of them, or none: a member that a worker has taken at this moment keeps its place, and then all do. */
async function writeAll(tx: Transaction, changes: readonly Change[]): Promise<void> {
  const { written } = await writeAndWake(tx, changes)
  const taken = changes.find(({ after }) => !written.has(after.guard.pk))
  if (taken !== undefined) throw dispatched(taken.before)
}
