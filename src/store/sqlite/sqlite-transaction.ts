import { catalogue, type JobEvent } from '../../core/job/events.ts'
import { elapsesAt, type Job, seatOf } from '../../core/job/job.ts'
import type { OutsideEvent } from '../../core/job/outside-event.ts'
import type { Attempt } from '../attempt.ts'
import { laneOf, limitedOf, notAfter, stopsWaiting } from '../change.ts'
import { encodeEventData } from '../event-data.ts'
import { type EventRow, logEntry, outsideEvent } from '../event-row.ts'
import { type JobRow, specRow, stateRow, storedJob } from '../job-row.ts'
import type { EventDraft } from '../new-event.ts'
import { runRow } from '../run-row.ts'
import type { TaskTerms } from '../shards/new-tasks.ts'
import type { ShardRow } from '../shards/shards.ts'
import type { StoredJob } from '../store.ts'
import type {
  BranchPage,
  Change,
  Creation,
  EndedWaits,
  FollowUp,
  NewFollowUp,
  Transaction,
  Wait,
  Wanted,
  Written,
} from '../transaction.ts'
import { SqliteAnswers } from './answers.ts'
import { SqliteEndpoints } from './endpoints.ts'
import { SqliteFires } from './fires.ts'
import { SqliteGates } from './gates.ts'
import { SqliteMembers } from './members.ts'
import { openTasks } from './open-tasks.ts'
import { SqlitePasts } from './pasts.ts'
import { SqliteRecords } from './records.ts'
import { SqliteSegments } from './segments.ts'
import { SqliteShards } from './shards.ts'
import type { SplitJobs } from './split-jobs.ts'
import type { Statements } from './statements.ts'
import { SqliteWalks } from './walks.ts'

/** What is kept from one transaction to the next, by the caller, who forgets it when one is rolled back. */
interface Kept {
  readonly typeIds: Map<string, number>
  readonly splitJobs: SplitJobs
}

/**
 * One transaction on SQLite. It holds the file's only write lock from its beginning, so nothing that it read can change
 * under it: guards are still checked, because callers decide on jobs that were read in earlier transactions.
 */
export class SqliteTransaction implements Transaction {
  readonly now: number
  readonly gates: SqliteGates
  readonly records: SqliteRecords
  readonly fires: SqliteFires
  readonly members: SqliteMembers
  readonly walks: SqliteWalks
  readonly pasts: SqlitePasts
  readonly segments: SqliteSegments
  readonly shards: SqliteShards
  readonly endpoints: SqliteEndpoints
  readonly answers: SqliteAnswers
  readonly #sql: Statements
  readonly #typeIds: Map<string, number>
  readonly #splitJobs: SplitJobs

  constructor(sql: Statements, { typeIds, splitJobs }: Kept, now: number) {
    this.#sql = sql
    this.#typeIds = typeIds
    this.#splitJobs = splitJobs
    this.now = now
    this.gates = new SqliteGates(sql, now, (name) => this.typeId(name))
    this.records = new SqliteRecords(sql, now)
    this.fires = new SqliteFires(sql)
    this.members = new SqliteMembers(sql)
    this.walks = new SqliteWalks(sql, now)
    this.pasts = new SqlitePasts(sql)
    this.segments = new SqliteSegments(sql)
    this.shards = new SqliteShards(sql)
    this.endpoints = new SqliteEndpoints(sql)
    this.answers = new SqliteAnswers(sql)
  }

  reserve(count: number): readonly number[] {
    const last = this.#sql.get<{ last_pk: number }>('reserveKeys', { count })?.last_pk ?? 0
    return Array.from({ length: count }, (_, i) => last - count + 1 + i)
  }

  holders(wanted: Wanted): readonly StoredJob[] {
    const pks = new Set<number>()
    const add = (rows: readonly { pk: number }[]) => {
      for (const { pk } of rows) pks.add(pk)
    }
    add(this.#sql.all('jobKeysWithIds', { ids: JSON.stringify(wanted.ids) }))
    add(this.#sql.all('jobKeysHoldingNames', { names: JSON.stringify(wanted.names) }))
    for (const { namespace, type, key } of wanted.keys) {
      add(this.#sql.all('jobKeyHoldingKey', { namespace, type: this.typeId(type), key }))
    }
    return pks.size === 0 ? [] : this.loadByKey([...pks])
  }

  load(ids: readonly string[]): readonly StoredJob[] {
    return this.#sql.all<JobRow>('jobsById', { ids: JSON.stringify(ids) }).map(storedJob)
  }

  loadSplit(ids: readonly string[]): readonly StoredJob[] {
    return ids.flatMap((id) => this.#splitJobs.load(this.#sql, id, () => this.load([id])[0]) ?? [])
  }

  loadByKey(pks: readonly number[]): readonly StoredJob[] {
    return this.#sql.all<JobRow>('jobsByKey', { pks: JSON.stringify(pks) }).map(storedJob)
  }

  /** The transaction holds the whole file already. */
  lock(): void {}

  insert(creations: readonly Creation[]): ReadonlySet<number> {
    for (const { after, events, runs, waitsFor, parent } of creations) {
      const { pk } = after.guard
      if (!after.guard.released) this.#takeHandles(after)
      const spec = specRow(after, this.typeId(after.job.type), parent)
      this.#sql.run('insertJob', { ...spec, ...stateRow(after) })
      this.#takePlace(after)
      this.#moveDeadline(pk, null, elapsesAt(after.job))
      for (const on_job of waitsFor) this.#sql.run('insertWait', { on_job, job: pk })
      for (const run of runs) this.#sql.run('insertRun', { ...runRow(pk, run) })
      this.#log(after, events)
    }
    return new Set(creations.map(({ after }) => after.guard.pk))
  }

  openTasks(terms: TaskTerms, count: number): readonly ShardRow[] {
    return openTasks(this, this.#sql, terms, count)
  }

  write(changes: readonly Change[]): ReadonlyMap<number, Written> {
    const written = new Map<number, Written>()
    for (const { before, after, events, runs } of changes) {
      const { pk } = after.guard
      if (!this.#leavePlace(before, after)) continue
      this.#sql.run('updateJob', { pk, ...stateRow(after) })
      if (after.job.phase !== 'running') this.#takePlace(after)
      this.#moveDeadline(pk, elapsesAt(before.job), elapsesAt(after.job))
      for (const run of runs) this.#sql.run('insertRun', { ...runRow(pk, run) })
      this.#log(after, events)
      if (stopsWaiting({ before, after })) this.#sql.run('removeWaitsOf', { job: pk })
      if (after.guard.released && !before.guard.released) this.#leaveHandles(after)
      const ended = after.job.state === 'final'
      written.set(pk, { awaited: ended && this.#sql.get('isAwaited', { pk }) !== undefined })
    }
    return written
  }

  waitsOf(pks: readonly number[]): ReadonlyMap<number, readonly number[]> {
    const rows = this.#sql.all<{ job: number; on_job: number }>('waitsOf', { pks: JSON.stringify(pks) })
    const waits = new Map<number, number[]>()
    for (const { job, on_job } of rows) waits.set(job, [...(waits.get(job) ?? []), on_job])
    return waits
  }

  endWaits(pks: readonly number[], limit: number): EndedWaits {
    const ended = this.#sql.all<{ job: number }>('removeWaitsOn', { pks: JSON.stringify(pks), limit })
    const jobs = [...new Set(ended.map(({ job }) => job))]
    const waiting = jobs.filter((job) => this.#sql.get('stillWaits', { job }) !== undefined)
    const still = new Set(waiting)
    return { freed: jobs.filter((job) => !still.has(job)), waiting }
  }

  addNeeds(needs: readonly Wait[]): void {
    for (const { job, on_job } of needs) this.#sql.run('addNeed', { job, on_job })
  }

  record(drafts: readonly EventDraft[]): ReadonlyMap<number, number | null> {
    const recorded = new Map<number, number | null>()
    for (const [i, draft] of drafts.entries()) {
      const { namespace, source, id } = draft
      if (this.#sql.run('insertEventKey', { namespace, source, id }) === 0) continue
      const row = this.#outsideRow(draft)
      this.#sql.run('insertEvent', row)
      recorded.set(i, row.job)
    }
    return recorded
  }

  outsideEvents(pk: number): readonly OutsideEvent[] {
    const rows = this.#sql.all<EventRow>('eventsOfJobs', { pks: JSON.stringify([pk]) })
    const entries = rows.filter(({ version }) => version === null).map(logEntry)
    return entries.sort((a, b) => a.logId - b.logId).map(outsideEvent)
  }

  havingChildren(attempts: readonly Attempt[]): ReadonlySet<number> {
    const wanted = JSON.stringify(attempts.map(({ pk, attempt }) => [pk, attempt]))
    return new Set(this.#sql.all<{ pk: number }>('havingChildren', { attempts: wanted }).map(({ pk }) => pk))
  }

  children({ pk, attempt }: Attempt, after: number, limit: number): readonly number[] {
    return this.#sql.all<{ pk: number }>('childrenOf', { pk, attempt, after, limit }).map((row) => row.pk)
  }

  branch({ name, from, direction, limit }: BranchPage): readonly StoredJob[] {
    const down = direction === 'down'
    const start = from ?? (down ? `${name}/` : `${name}0`)
    const rows = this.#sql.all<{ pk: number }>(down ? 'liveBelowDown' : 'liveBelowUp', { name, from: start, limit })
    const found = new Map(this.loadByKey(rows.map(({ pk }) => pk)).map((stored) => [stored.guard.pk, stored]))
    return rows.flatMap(({ pk }) => found.get(pk) ?? [])
  }

  addWaits(waits: readonly Wait[]): void {
    for (const { job, on_job } of waits) this.#sql.run('insertWait', { job, on_job })
  }

  endOwnWait(job: number): boolean {
    this.#sql.run('removeOwnWait', { job })
    return this.#sql.get('stillWaits', { job }) === undefined
  }

  addFollowUps(followUps: readonly NewFollowUp[]): void {
    for (const { kind, job, data } of followUps) this.#sql.run('insertFollowUp', { kind, job, data })
  }

  takeFollowUp(skip: number): FollowUp | null {
    return this.#sql.get<FollowUp>('firstFollowUp', { skip }) ?? null
  }

  saveFollowUp(pk: number, data: string | null): void {
    if (data === null) this.#sql.run('removeFollowUp', { pk })
    else this.#sql.run('saveFollowUp', { pk, data })
  }

  /** The submitter has looked, and the file is ours since then: nobody else has the name or the key. */
  #takeHandles({ job, guard: { pk, namespace } }: StoredJob): void {
    this.#sql.run('insertName', { name: job.name, job: pk })
    if (job.key === null) return
    this.#sql.run('insertKey', { namespace, type: this.typeId(job.type), key: job.key, job: pk })
  }

  #leaveHandles({ job, guard: { pk, namespace } }: StoredJob): void {
    this.#sql.run('removeName', { name: job.name, job: pk })
    if (job.key === null) return
    this.#sql.run('removeKey', { namespace, type: this.typeId(job.type), key: job.key, job: pk })
  }

  #moveDeadline(job: number, before: number | null, after: number | null): void {
    if (before === after) return
    if (after === null) this.#sql.run('removeDeadline', { job })
    else this.#sql.run('setDeadline', { job, at: after })
  }

  nextPosition(priority: number, from: number, direction: 'up' | 'down'): number | null {
    const name = direction === 'up' ? 'nextPositionUp' : 'nextPositionDown'
    return this.#sql.get<{ position: number | null }>(name, { priority, from })?.position ?? null
  }

  readyAt(priority: number, position: number): readonly StoredJob[] {
    return this.loadByKey(this.#sql.all<{ pk: number }>('readyAt', { priority, position }).map(({ pk }) => pk))
  }

  /** The number of a type, which is made at its first use. */
  typeId(name: string): number {
    const known = this.#typeIds.get(name) ?? this.#storedTypeId(name)
    if (known !== undefined) return known
    this.#sql.run('addType', { name })
    return this.#storedTypeId(name) ?? 0
  }

  #storedTypeId(name: string): number | undefined {
    const id = this.#sql.get<{ id: number }>('typeIdByName', { name })?.id
    if (id !== undefined) this.#typeIds.set(name, id)
    return id
  }

  /** Gives up the seat of the job as it was read. False when the job has moved on and the seat is not there. */
  #leavePlace({ job, guard }: StoredJob, after: StoredJob): boolean {
    const { pk, revision } = guard
    if (job.phase === 'queued') return this.#leaveQueue(job, pk, revision)
    if (job.phase !== 'running') {
      return this.#sql.get<{ revision: number }>('revisionOf', { pk })?.revision === revision
    }
    this.#sql.run('keepStart', { job: pk, revision })
    if (after.job.phase !== 'running') return this.#sql.run('takeClaim', { job: pk, revision }) === 1
    const cancel_asked = after.job.cancelReason === null ? 0 : 1
    return this.#sql.run('renewClaim', { job: pk, revision, next: after.guard.revision, cancel_asked }) === 1
  }

  #leaveQueue(job: Job, pk: number, revision: number): boolean {
    const { priority, position, scheduledFor, suspect } = job
    const lane = laneOf(this.typeId(job.type), suspect)
    if (this.#sql.run('takeReady', { lane, priority, position, job: pk, revision }) === 1) return true
    if (this.#sql.run('takeDelayed', { due_at: scheduledFor, job: pk, revision }) === 1) return true
    return this.#sql.run('takeGated', { job: pk, revision }) === 1
  }

  #takePlace({ job, guard }: StoredJob): void {
    const seat = seatOf(job, this.now)
    if (seat !== 'ready' && seat !== 'delayed') return
    const { priority, position, scheduledFor, suspect } = job
    const place = { lane: laneOf(this.typeId(job.type), suspect), priority, position }
    const seatRow = { ...place, job: guard.pk, revision: guard.revision, not_after: notAfter(job) }
    const row = { ...seatRow, limited: limitedOf(job), namespace: guard.namespace }
    if (seat === 'ready') this.#sql.run('insertReady', row)
    else this.#sql.run('insertDelayed', { ...row, due_at: scheduledFor })
  }

  #log({ guard }: StoredJob, events: readonly JobEvent[]): void {
    for (const event of events) {
      this.#sql.run('insertEvent', {
        job: guard.pk,
        version: event.version,
        code: catalogue[event.type],
        occurred_at: event.at,
        received_at: this.now,
        namespace: guard.namespace,
        actor: event.actor,
        cause: event.cause,
        execution_id: event.executionId,
        trace_id: event.traceId,
        span_id: event.spanId,
        attributes: encodeEventData(event, guard.pk),
        ...{ source: null, event_id: null, event_type: null, job_ref: null, task_ref: null },
      })
    }
  }

  #outsideRow({ namespace, source, id, event, jobId, jobUuid, attributes }: EventDraft) {
    const job =
      jobUuid === null ? undefined : this.#sql.get<{ pk: number }>('jobKeyInNamespace', { id: jobUuid, namespace })
    return {
      job: job?.pk ?? null,
      occurred_at: event.at,
      received_at: this.now,
      namespace,
      execution_id: event.executionId,
      trace_id: event.traceId,
      span_id: event.spanId,
      source,
      event_id: id,
      event_type: event.type,
      job_ref: jobId,
      task_ref: event.taskId,
      attributes,
      ...{ version: null, code: null, actor: null, cause: null },
    }
  }
}
