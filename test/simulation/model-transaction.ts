import { eventIdOf, eventSchema, type JobEvent } from '../../src/core/job/events.ts'
import { type Run, seatOf } from '../../src/core/job/job.ts'
import type { OutsideEvent } from '../../src/core/job/outside-event.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Attempt } from '../../src/store/attempt.ts'
import { stopsWaiting } from '../../src/store/change.ts'
import { outsideEvent } from '../../src/store/event-row.ts'
import type { EventDraft } from '../../src/store/new-event.ts'
import type { LogEntry, StoredJob } from '../../src/store/store.ts'
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
} from '../../src/store/transaction.ts'
import { ModelAnswers } from './model-answers.ts'
import { handlesOf, keyHandle, type ModelData, nameHandle } from './model-data.ts'
import { ModelEndpoints } from './model-endpoints.ts'
import { ModelFires } from './model-fires.ts'
import { ModelGates } from './model-gates.ts'
import { ModelMembers } from './model-members.ts'
import { ModelPasts } from './model-pasts.ts'
import { ModelRecords } from './model-records.ts'
import { ModelSegments } from './model-segments.ts'
import { ModelShards } from './model-shards.ts'
import { ModelWalks } from './model-walks.ts'

/** One transaction of the model. It is alone, so nothing that it read changes under it. */
export class ModelTransaction implements Transaction {
  readonly now: number
  readonly gates: ModelGates
  readonly records: ModelRecords
  readonly fires: ModelFires
  readonly members: ModelMembers
  readonly walks: ModelWalks
  readonly pasts: ModelPasts
  readonly segments: ModelSegments
  readonly shards: ModelShards
  readonly endpoints: ModelEndpoints
  readonly answers: ModelAnswers
  readonly #data: ModelData

  constructor(data: ModelData, now: number) {
    this.#data = data
    this.now = now
    this.gates = new ModelGates(data, now)
    this.records = new ModelRecords(data, now)
    this.fires = new ModelFires(data)
    this.members = new ModelMembers(data)
    this.walks = new ModelWalks(data, now)
    this.pasts = new ModelPasts(data)
    this.segments = new ModelSegments(data)
    this.shards = new ModelShards(data)
    this.endpoints = new ModelEndpoints(data)
    this.answers = new ModelAnswers(data)
  }

  reserve(count: number): readonly number[] {
    const { counters } = this.#data
    const last = counters.get('pk') ?? 0
    counters.set('pk', last + count)
    return Array.from({ length: count }, (_, i) => last + 1 + i)
  }

  holders({ ids, names, keys }: Wanted): readonly StoredJob[] {
    const handles = [
      ...names.map(nameHandle),
      ...keys.map(({ namespace, type, key }) => keyHandle(namespace, type, key)),
    ]
    const found = [
      ...ids.map((id) => this.#data.ids.get(id)),
      ...handles.map((handle) => this.#data.handles.get(handle)),
    ]
    return this.loadByKey([...new Set(found.filter((pk) => pk !== undefined))])
  }

  load(ids: readonly string[]): readonly StoredJob[] {
    return this.loadByKey(ids.flatMap((id) => this.#data.ids.get(id) ?? []))
  }

  loadByKey(pks: readonly number[]): readonly StoredJob[] {
    return pks.flatMap((pk) => this.#data.jobs.get(pk) ?? [])
  }

  /** Nobody else is there. */
  lock(): void {}

  insert(creations: readonly Creation[]): ReadonlySet<number> {
    for (const { after, events, runs, waitsFor, parent } of creations) {
      const { pk } = after.guard
      if (this.#data.ids.has(after.job.id)) throw new Error(`The id ${after.job.id} was given twice.`)
      this.#data.ids.set(after.job.id, pk)
      this.#put(after, events, runs)
      if (parent !== null) this.#data.parents.set(pk, parent)
      if (waitsFor.length > 0) this.#data.waits.set(pk, [...new Set(waitsFor)])
    }
    return new Set(creations.map(({ after }) => after.guard.pk))
  }

  write(changes: readonly Change[]): ReadonlyMap<number, Written> {
    const written = new Map<number, Written>()
    for (const { before, after, events, runs } of changes) {
      const { pk, revision } = before.guard
      if (this.#data.jobs.get(pk)?.guard.revision !== revision) continue
      this.#put(after, events, runs)
      const ended = after.job.state === 'final'
      if (stopsWaiting({ before, after })) this.#data.waits.delete(pk)
      written.set(pk, { awaited: ended && this.#data.waits.values().some((awaited) => awaited.includes(pk)) })
    }
    return written
  }

  waitsOf(pks: readonly number[]): ReadonlyMap<number, readonly number[]> {
    const waits = new Map<number, readonly number[]>()
    for (const pk of pks) {
      const awaited = this.#data.waits.get(pk)
      if (awaited !== undefined) waits.set(pk, awaited)
    }
    return waits
  }

  endWaits(pks: readonly number[], limit: number): EndedWaits {
    const freed: number[] = []
    const waiting: number[] = []
    for (const [job, awaited] of this.#data.waits.entries().toSorted(([a], [b]) => a - b)) {
      const left = awaited.filter((pk) => !pks.includes(pk))
      if (left.length === awaited.length) continue
      if (freed.length + waiting.length === limit) break
      if (left.length > 0) this.#data.waits.set(job, left)
      else this.#data.waits.delete(job)
      if (left.length > 0) waiting.push(job)
      else freed.push(job)
    }
    return { freed, waiting }
  }

  addNeeds(needs: readonly Wait[]): void {
    for (const { job, on_job } of needs) {
      this.#data.needs.set(job, [...new Set([...(this.#data.needs.get(job) ?? []), on_job])])
    }
  }

  nextPosition(priority: number, from: number, direction: 'up' | 'down'): number | null {
    const sign = direction === 'up' ? 1 : -1
    const ahead = this.#ready(priority).filter(({ job }) => sign * (job.position - from) > 0)
    const [next] = ahead.map(({ job }) => job.position).sort((a, b) => sign * (a - b))
    return next ?? null
  }

  readyAt(priority: number, position: number): readonly StoredJob[] {
    return this.#ready(priority).filter(({ job }) => job.position === position)
  }

  #ready(priority: number): readonly StoredJob[] {
    const jobs = this.#data.jobs.values()
    return jobs.filter(({ job, guard }) => this.#data.ready.has(guard.pk) && job.priority === priority)
  }

  record(drafts: readonly EventDraft[]): ReadonlyMap<number, number | null> {
    const recorded = new Map<number, number | null>()
    for (const [i, draft] of drafts.entries()) {
      const key = JSON.stringify([draft.namespace, draft.source, draft.id])
      if (this.#data.eventKeys.has(key)) continue
      this.#data.eventKeys.set(key, true)
      const pk = this.#jobOf(draft)
      this.#append(pk, this.#outsideEntry(draft))
      recorded.set(i, pk)
    }
    return recorded
  }

  outsideEvents(pk: number): readonly OutsideEvent[] {
    const rows = this.#data.log.values().filter((row) => row.pk === pk && row.entry.version === null)
    return rows.map(({ entry }) => outsideEvent(entry))
  }

  havingChildren(attempts: readonly Attempt[]): ReadonlySet<number> {
    return new Set(attempts.filter((parent) => this.children(parent, 0, 1).length > 0).map(({ pk }) => pk))
  }

  children(parent: Attempt, after: number, limit: number): readonly number[] {
    const own = this.#data.parents.entries().filter(([pk, { pk: of, attempt }]) => {
      const isLive = this.#data.jobs.get(pk)?.job.state !== 'final'
      return of === parent.pk && attempt <= parent.attempt && pk > after && isLive
    })
    const made = this.#data.records.values().filter(({ pk, released, parent: by }) => {
      return by !== null && by.pk === parent.pk && by.attempt <= parent.attempt && pk > after && !released
    })
    const pks = [...own.map(([pk]) => pk), ...made.map(({ pk }) => pk)].sort((a, b) => a - b)
    return pks.slice(0, limit)
  }

  branch({ name, from, direction, limit }: BranchPage): readonly StoredJob[] {
    const sign = direction === 'down' ? 1 : -1
    const below = this.#data.jobs.values().filter(({ job, guard }) => {
      return !guard.released && job.name.startsWith(`${name}/`) && (from === null || sign * inBytes(job.name, from) > 0)
    })
    return below.sort((a, b) => sign * inBytes(a.job.name, b.job.name)).slice(0, limit)
  }

  addWaits(waits: readonly Wait[]): void {
    for (const { job, on_job } of waits) {
      this.#data.waits.set(job, [...new Set([...(this.#data.waits.get(job) ?? []), on_job])])
    }
  }

  endOwnWait(job: number): boolean {
    const others = this.#data.followUps.values().some((followUp) => followUp.job === job)
    const left = (this.#data.waits.get(job) ?? []).filter((awaited) => awaited !== job || others)
    if (left.length > 0) this.#data.waits.set(job, left)
    else this.#data.waits.delete(job)
    return left.length === 0
  }

  addFollowUps(followUps: readonly NewFollowUp[]): void {
    for (const each of followUps) {
      const pk = (this.#data.counters.get('followUp') ?? 0) + 1
      this.#data.counters.set('followUp', pk)
      this.#data.followUps.set(pk, { pk, ...each })
    }
  }

  takeFollowUp(skip: number): FollowUp | null {
    return this.#data.followUps.values().toSorted((a, b) => a.pk - b.pk)[skip] ?? null
  }

  saveFollowUp(pk: number, data: string | null): void {
    const saved = this.#data.followUps.get(pk)
    if (data === null) this.#data.followUps.delete(pk)
    else if (saved !== undefined) this.#data.followUps.set(pk, { ...saved, data })
  }

  /** The job as it is now, with everything that is kept beside it. A claim is a write like any other here. */
  #put(stored: StoredJob, events: readonly JobEvent[], runs: readonly Run[]): void {
    const { pk } = stored.guard
    this.#hold(stored)
    this.#data.jobs.set(pk, stored)
    if (seatOf(stored.job, this.now) === 'ready') this.#data.ready.set(pk, true)
    else this.#data.ready.delete(pk)
    if (runs.length > 0) this.#data.runs.set(pk, [...(this.#data.runs.get(pk) ?? []), ...runs])
    for (const event of events) this.#append(pk, this.#ownEntry(event, stored.guard.namespace))
  }

  /** Takes name and key for a live job, and gives them free when it has lost them. */
  #hold(stored: StoredJob): void {
    const { pk, released } = stored.guard
    for (const handle of handlesOf(stored)) {
      const holder = this.#data.handles.get(handle)
      if (released && holder === pk) this.#data.handles.delete(handle)
      if (released || holder === pk) continue
      if (holder !== undefined) throw new Error(`Two live jobs, ${holder} and ${pk}, would have the ${handle}.`)
      this.#data.handles.set(handle, pk)
    }
  }

  #append(pk: number | null, entry: Omit<LogEntry, 'logId' | 'receivedAt'>): void {
    const logId = this.#data.nextLogId()
    this.#data.log.set(logId, { pk, entry: { logId, receivedAt: this.now, ...entry } })
  }

  #ownEntry(event: JobEvent, namespace: string): Omit<LogEntry, 'logId' | 'receivedAt'> {
    const { type, jobId, version, at, data, ...origin } = event
    return {
      eventId: eventIdOf(event),
      eventType: type,
      occurredAt: at,
      namespace,
      jobId,
      version,
      schemaVersion: eventSchema,
      ...{ taskId: null, source: null },
      ...origin,
      // What is not JSON would be lost by a real store.
      attributes: JSON.parse(JSON.stringify(data)) as JsonObject,
    }
  }

  #outsideEntry({ event, ...draft }: EventDraft): Omit<LogEntry, 'logId' | 'receivedAt'> {
    const { type, at, taskId, executionId, traceId, spanId, attributes } = event
    return {
      eventId: draft.id,
      eventType: type,
      occurredAt: at,
      namespace: draft.namespace,
      jobId: draft.jobId,
      source: draft.source,
      ...{ version: null, schemaVersion: null, actor: null, cause: null },
      ...{ taskId, executionId, traceId, spanId, attributes },
    }
  }

  #jobOf({ jobUuid, namespace }: EventDraft): number | null {
    const pk = jobUuid === null ? undefined : this.#data.ids.get(jobUuid)
    return pk !== undefined && this.#data.jobs.get(pk)?.guard.namespace === namespace ? pk : null
  }
}

/** Names stand in the order of their bytes, as both databases keep them. */
function inBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
