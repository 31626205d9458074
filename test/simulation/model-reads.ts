import { type Group, type MemberEnd, memberEnd } from '../../src/core/group/group.ts'
import { elapsesAt, type Run, seatOf } from '../../src/core/job/job.ts'
import type { Slot } from '../../src/core/slot/slot.ts'
import { checkAfter, checkJobs, checkLimit, checkNewestFirst, refuse } from '../../src/store/check-input.ts'
import { checkRef } from '../../src/store/control/record-steps.ts'
import { jobEvent } from '../../src/store/event-row.ts'
import type { StoredRecord } from '../../src/store/records.ts'
import type { PastJob } from '../../src/store/retention/pasts.ts'
import type {
  AuditedGroup,
  AuditedJob,
  AuditPage,
  AuditRequest,
  EventsPage,
  EventsRequest,
  JobRef,
  PastRef,
  SeatRow,
  StoredJob,
  StraySeat,
} from '../../src/store/store.ts'
import { handlesOf, keyHandle, type ModelData, nameHandle } from './model-data.ts'

export function findOne(data: ModelData, ref: JobRef): StoredJob | null {
  const pk = keyOf(data, ref)
  return (pk === undefined ? undefined : data.jobs.get(pk)) ?? null
}

function keyOf(data: ModelData, ref: JobRef): number | undefined {
  if ('id' in ref) return data.ids.get(ref.id)
  if ('key' in ref) return data.handles.get(keyHandle(ref.namespace, ref.type, ref.key))
  return data.handles.get(nameHandle(ref.name)) ?? newestOf(data, ref.name)
}

function newestOf(data: ModelData, name: string): number | undefined {
  const named = data.jobs.values().filter(({ job }) => job.name === name)
  return named.length === 0 ? undefined : Math.max(...named.map(({ guard }) => guard.pk))
}

/** The row key of a job, or of one that was pruned. */
export function anyKeyOf(data: ModelData, id: string): number | undefined {
  return data.ids.get(id) ?? past(data, { id })?.pk
}

export function past(data: ModelData, ref: PastRef): PastJob | null {
  const found = data.pasts.values().filter(({ id, name }) => ('id' in ref ? ref.id === id : ref.name === name))
  return found.sort((a, b) => b.pk - a.pk)[0] ?? null
}

export function runsOf(data: ModelData, jobId: string): readonly Run[] {
  const pk = anyKeyOf(data, jobId)
  const runs = pk === undefined ? undefined : data.runs.get(pk)
  return (runs ?? []).toSorted((a, b) => a.attempt - b.attempt)
}

export function readLog(data: ModelData, request: EventsRequest): EventsPage {
  const { after = null, limit } = request
  const position = readCursor(after)
  const most = checkLimit(limit)
  const jobs = checkJobs(request)
  const newestFirst = checkNewestFirst(request)
  const wanted = keysOfLog(data, request)
  const isNext = (logId: number) => (newestFirst ? position === 0 || logId < position : logId > position)
  const entries = data.log
    .values()
    .filter(({ pk, entry }) => isNext(entry.logId) && (wanted === null || wanted.includes(pk)))
    .sort((a, b) => (newestFirst ? b.entry.logId - a.entry.logId : a.entry.logId - b.entry.logId))
    .slice(0, most)
    .map(({ entry }) => entry)
  const cursors = entries.map(({ logId }) => logId.toString())
  const page = { entries, cursors, cursor: cursors.at(-1) ?? after }
  return jobs === null ? page : pageAmong(page, jobs)
}

function pageAmong({ entries, cursor }: EventsPage, jobs: readonly string[]): EventsPage {
  const own = entries.filter(({ jobId }) => jobId !== null && jobs.includes(jobId))
  return { entries: own, cursors: own.map(({ logId }) => logId.toString()), cursor, looked: entries.length }
}

export function logEnd(data: ModelData): string {
  return String(Math.max(0, ...data.log.values().map(({ entry }) => entry.logId)))
}

/** Whose entries are wanted; null for all. */
function keysOfLog(data: ModelData, { jobId, record }: EventsRequest): readonly (number | null)[] | null {
  if (record === undefined) return jobId === undefined ? null : [anyKeyOf(data, jobId) ?? Number.NaN]
  const ref = checkRef('record', record)
  const found = data.records.values().filter(({ id, path, released }) => id === ref || (!released && path === ref))
  return found.map(({ pk }) => pk)
}

function readCursor(cursor: string | null): number {
  if (cursor === null) return 0
  if (typeof cursor === 'string' && /^[0-9]{1,15}$/.test(cursor)) return Number(cursor)
  throw refuse('after', cursor, 'must be a cursor that this store gave')
}

export function audit(data: ModelData, request: AuditRequest): AuditPage {
  const after = checkAfter(request.after)
  const limit = checkLimit(request.limit)
  const groups = data.records.values().filter(({ kind }) => kind === 'group') as readonly StoredRecord<Group>[]
  const keys = [...data.jobs.values().map(({ guard }) => guard.pk), ...groups.map(({ pk }) => pk)]
  const pks = keys
    .filter((pk) => pk > after)
    .sort((a, b) => a - b)
    .slice(0, limit)
  const page = pks.flatMap((pk) => data.jobs.get(pk) ?? [])
  const wanted = new Set<number | null>(pks)
  const rows = data.log.values().filter(({ pk }) => wanted.has(pk))
  const entries = Map.groupBy(rows, ({ pk }) => pk)
  const jobs = page.map((stored): AuditedJob => {
    const { pk } = stored.guard
    const own = (entries.get(pk) ?? []).map(({ entry }) => entry)
    return {
      stored,
      shards: auditedShards(data, pk),
      own: own.filter(({ version }) => version !== null).map(jobEvent),
      outside: own.filter(({ version }) => version === null),
      runs: runsOf(data, stored.job.id),
      seats: seatsOf(data, stored),
      deadlines: deadlinesOf(stored),
      waitsFor: openWaits(data, pk),
      handles: heldHandles(data, stored),
    }
  })
  const isLast = pks.length < limit
  return {
    jobs,
    groups: groups.filter(({ pk }) => wanted.has(pk)).map((record) => auditedGroup(data, record)),
    strays: isLast ? straysOf(data) : [],
    next: isLast ? null : (pks.at(-1) ?? null),
  }
}

function auditedShards(data: ModelData, pk: number): AuditedJob['shards'] {
  const row = data.sharded.get(pk)
  if (row === undefined) return null
  const { job: _job, spec: _spec, ...counts } = row
  const children = data.parents.entries().flatMap(([child, parent]) => (parent.pk === pk ? [child] : []))
  const tasks = children.flatMap((child) => data.jobs.get(child) ?? []).filter(({ job }) => job.task !== null)
  const over = tasks.filter(({ job }) => job.state === 'final')
  const done = over.filter(({ job }) => job.outcome === 'COMPLETED' && !job.cancelled).length
  return { ...counts, tasks: { opened: tasks.length, done, failed: over.length - done } }
}

function auditedGroup(data: ModelData, { pk, id, released, body }: StoredRecord<Group>): AuditedGroup {
  const members = data.members.values().filter(({ group_pk }) => group_pk === pk)
  const jobs = members.flatMap(({ job }) => data.jobs.get(job) ?? [])
  const over = Map.groupBy(
    jobs.filter(({ job }) => job.state === 'final'),
    ({ job }) => memberEnd(job),
  )
  const of = (end: MemberEnd) => over.get(end)?.length ?? 0
  const ends = { completed: of('completed'), failed: of('failed'), cancelled: of('cancelled'), skipped: of('skipped') }
  const waiting = members.filter(({ job }) => data.waits.get(job)?.includes(pk)).length
  const isFollowedUp = data.followUps.values().some(({ job }) => job === pk)
  return { id, group: body, released, counts: { total: members.length, ...ends }, waiting, isFollowedUp }
}

function heldHandles(data: ModelData, stored: StoredJob): AuditedJob['handles'] {
  const kinds = ['name', 'key'] as const
  return handlesOf(stored).flatMap((handle, i) =>
    data.handles.get(handle) === stored.guard.pk ? (kinds[i] ?? []) : [],
  )
}

/** A wait that nothing will ever end is no wait: for a job or a group that is over, or for a follow-up that is not there. */
function openWaits(data: ModelData, pk: number): readonly number[] {
  const hasFollowUp = data.followUps.values().some(({ job }) => job === pk)
  return (data.waits.get(pk) ?? []).filter((awaited) => {
    const record = data.records.get(awaited)
    if (data.followUps.values().some(({ job }) => job === awaited)) return true
    if (record?.released || (record?.kind === 'slot' && (record.body as Slot).status !== 'OPEN')) return false
    return data.jobs.get(awaited)?.job.state !== 'final' && (awaited !== pk || hasFollowUp)
  })
}

function deadlinesOf({ job }: StoredJob): readonly number[] {
  const at = elapsesAt(job)
  return at === null ? [] : [at]
}

/** Claims and delayed seats follow from the job; whether it is ready is remembered. */
function seatsOf(data: ModelData, { job, guard }: StoredJob): readonly SeatRow[] {
  const { pk, revision } = guard
  const seat = data.ready.has(pk) ? 'ready' : seatOf(job, 0)
  return seat === 'none' ? [] : [{ seat, revision, lane: null }]
}

function straysOf(data: ModelData): readonly StraySeat[] {
  return data.ready.entries().flatMap(([pk]): readonly StraySeat[] => {
    const stored = data.jobs.get(pk)
    if (stored?.job.phase === 'queued') return []
    return [{ seat: 'ready', job: pk, revision: stored?.guard.revision ?? 0 }]
  })
}
