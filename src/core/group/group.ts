import { StintError } from '../errors.ts'
import type { Job, OnFailure } from '../job/job.ts'
import type { RecordEvent } from '../records/events.ts'

export type GroupMode = 'parallel' | 'sequential'

/**
 * CREATED while jobs are added, QUEUED once it is sealed, RUNNING from the first start of a member on. The others are its end,
 * which comes when all members are over.
 */
export type GroupStatus = 'CREATED' | 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'PARTIAL' | 'CANCELLED'

/** How a member ended: as its status says if it was cancelled, else as its last run did. */
export type MemberEnd = 'completed' | 'failed' | 'cancelled' | 'skipped'

export type GroupCounts = { readonly total: number } & { readonly [End in MemberEnd]: number }

/** What a group is from its creation on. */
export interface GroupSpec {
  readonly mode: GroupMode
  /** The most members of a parallel group that run at once; null for any number. */
  readonly width: number | null
  /** What a sequential group does when a member has failed for good. */
  readonly onFailure: 'stop' | 'continue'
  readonly label: string | null
  /** The job that is submitted at its end. Its id is made beforehand: it can only be made once. */
  readonly finish: OnFailure | null
}

/** A group at one moment. Times are epoch milliseconds. */
export interface Group extends GroupSpec {
  readonly status: GroupStatus
  readonly sealed: boolean
  /** A member has failed, and those behind it are not to run. */
  readonly stopped: boolean
  readonly cancelRequested: boolean
  readonly counts: GroupCounts
  /** The number of the last member in their order. */
  readonly lastSeq: number
  /** Of a sequential group: the number of the member whose turn came last; 0 before the first. */
  readonly reached: number
  /** Row key of that member, while it lives. */
  readonly current: number | null
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** A step of a group: what it is then, and what happened. */
export interface GroupStep {
  readonly group: Group
  readonly events: readonly RecordEvent[]
}

const noMembers: GroupCounts = { total: 0, completed: 0, failed: 0, cancelled: 0, skipped: 0 }

export function createGroup(spec: GroupSpec): GroupStep {
  const { mode, width, onFailure, label, finish } = spec
  const flags = { sealed: false, stopped: false, cancelRequested: false }
  const order = { lastSeq: 0, reached: 0, current: null }
  const group: Group = {
    ...{ mode, width, onFailure, label, finish, status: 'CREATED', counts: noMembers },
    ...{ ...flags, ...order, startedAt: null, finishedAt: null },
  }
  const data = { mode, width, onFailure, label, finish: finish === null ? null : { ...finish } }
  return { group, events: [{ type: 'group.created', data }] }
}

export interface AddedMembers {
  readonly total: number
  /** Those that were skipped at once, because others have their names. */
  readonly skipped: number
  /** The number of the last of them. */
  readonly lastSeq: number
}

export function addMembers(group: Group, { total, skipped, lastSeq }: AddedMembers): Group {
  const { counts } = group
  return { ...group, lastSeq, counts: { ...counts, total: counts.total + total, skipped: counts.skipped + skipped } }
}

export function requireOpen(group: Group, id: string): void {
  if (!group.sealed) return
  throw new StintError('group_sealed', `Group ${id} is sealed: no job can be added to it.`, { groupId: id })
}

/** From now on its members may run, and no more can be added. */
export function sealGroup(group: Group, now: number): GroupStep {
  if (group.sealed) return { group, events: [] }
  return settled({ ...group, sealed: true }, [{ type: 'group.sealed', data: {} }], now)
}

/** The first of its members starts. */
export function startGroup(group: Group, now: number): GroupStep {
  if (group.startedAt !== null) return { group, events: [] }
  return settled({ ...group, startedAt: now }, [{ type: 'group.started', data: {} }], now)
}

/** A member that is over. */
export interface EndedMember {
  /** Its row key. */
  readonly pk: number
  readonly name: string
  readonly end: MemberEnd
}

export function memberEnd({ cancelled, outcome }: Pick<Job, 'cancelled' | 'outcome'>): MemberEnd {
  if (cancelled) return 'cancelled'
  if (outcome === 'FAILED') return 'failed'
  return outcome === 'SKIPPED' ? 'skipped' : 'completed'
}

export function endMembers(group: Group, ended: readonly EndedMember[], now: number): GroupStep {
  const counts = { ...group.counts }
  for (const { end } of ended) counts[end] += 1
  const current = ended.some(({ pk }) => pk === group.current) ? null : group.current
  const counted: Group = { ...group, counts, current }
  const failed = ended.find(({ end }) => end === 'failed')
  const isStop = failed !== undefined && group.mode === 'sequential' && group.onFailure === 'stop' && !group.stopped
  if (!isStop || isOver(counted)) return settled(counted, [], now)
  return settled({ ...counted, stopped: true }, [{ type: 'group.stopped', data: { failed: failed.name } }], now)
}

/** All members are to be cancelled. Whoever cancels a group adds nothing more to it. */
export function requestCancel(group: Group, reason: string, now: number): GroupStep {
  if (group.finishedAt !== null || group.cancelRequested) return { group, events: [] }
  const sealed: readonly RecordEvent[] = group.sealed ? [] : [{ type: 'group.sealed', data: {} }]
  const events: readonly RecordEvent[] = [...sealed, { type: 'group.cancel.requested', data: { reason } }]
  return settled({ ...group, sealed: true, cancelRequested: true }, events, now)
}

/** Whether the next member of a sequential group is to have its turn. */
export function mayAdvance(group: Group): boolean {
  const isWanted = group.sealed && !group.stopped && !group.cancelRequested && group.finishedAt === null
  return isWanted && group.mode === 'sequential' && group.current === null
}

export function requireMovable(group: Group, id: string): void {
  if (group.finishedAt === null && !group.stopped && !group.cancelRequested) return
  const why = group.finishedAt !== null ? 'is over' : group.stopped ? 'has stopped' : 'is being cancelled'
  const message = `Group ${id} ${why}: its members can no longer be moved.`
  throw new StintError('illegal_transition', message, { groupId: id, status: group.status })
}

/** What the group has become, and its end if all members are over and none can be added. */
function settled(group: Group, events: readonly RecordEvent[], now: number): GroupStep {
  if (!isOver(group)) return { group: { ...group, status: statusOf(group) }, events }
  const over = { ...group, finishedAt: now }
  const status = statusOf(over)
  const finished: RecordEvent = { type: 'group.finished', data: { status, counts: { ...group.counts } } }
  return { group: { ...over, status }, events: [...events, finished] }
}

function isOver({ sealed, counts }: Group): boolean {
  const { total, completed, failed, cancelled, skipped } = counts
  return sealed && completed + failed + cancelled + skipped === total
}

type Facts = Pick<Group, 'sealed' | 'cancelRequested' | 'counts' | 'startedAt' | 'finishedAt'>

/** Skipped members make no difference: what a group had to do is done. */
export function statusOf({ sealed, cancelRequested, counts, startedAt, finishedAt }: Facts): GroupStatus {
  if (finishedAt === null) return !sealed ? 'CREATED' : startedAt === null ? 'QUEUED' : 'RUNNING'
  if (counts.failed > 0) return 'PARTIAL'
  const isEmptied = cancelRequested && counts.total === 0
  return counts.cancelled > 0 || isEmptied ? 'CANCELLED' : 'COMPLETED'
}
