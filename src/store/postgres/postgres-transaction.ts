import { catalogue, type JobEvent } from '../../core/job/events.ts'
import { elapsesAt, seatOf } from '../../core/job/job.ts'
import type { OutsideEvent } from '../../core/job/outside-event.ts'
import type { Attempt } from '../attempt.ts'
import { laneOf, limitedOf, notAfter, seatsBefore, stopsWaiting } from '../change.ts'
import { encodeEventData } from '../event-data.ts'
import { type EventRow, logEntry, outsideEvent } from '../event-row.ts'
import { type JobRow, specRow, stateRow } from '../job-row.ts'
import type { EventDraft } from '../new-event.ts'
import { type RunRow, runRow } from '../run-row.ts'
import type { TaskTerms } from '../shards/new-tasks.ts'
import type { ShardRow } from '../shards/shards.ts'
import type { QueryClient, StoredJob } from '../store.ts'
import type {
  BranchPage,
  Change,
  Creation,
  EndedWaits,
  FollowUp,
  LockOptions,
  NewFollowUp,
  Transaction,
  Wait,
  Wanted,
  Written,
} from '../transaction.ts'
import { PostgresAnswers } from './answers.ts'
import { type Column, columns } from './columns.ts'
import { batchMax } from './complete.ts'
import { PostgresEndpoints } from './endpoints.ts'
import { PostgresFires } from './fires.ts'
import { PostgresGates } from './gates.ts'
import { jobsById, jobsByKey } from './load-jobs.ts'
import { PostgresMembers } from './members.ts'
import { PostgresPasts } from './pasts.ts'
import { PostgresRecords } from './records.ts'
import { PostgresSegments } from './segments.ts'
import { PostgresShards } from './shards.ts'
import type { Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'
import { PostgresWalks } from './walks.ts'

/** What says that new tasks are ready, and for no worker yet. */
const notStarted = {
  ...{ start: false, token: null, worker_id: null, worker_actor: null, worker_cause: null },
  ...{ worker_execution: null, worker_trace: null, worker_span: null },
}

/** One transaction on PostgreSQL: every method is one statement over arrays. */
export class PostgresTransaction implements Transaction {
  readonly now: number
  readonly gates: PostgresGates
  readonly records: PostgresRecords
  readonly fires: PostgresFires
  readonly members: PostgresMembers
  readonly walks: PostgresWalks
  readonly pasts: PostgresPasts
  readonly segments: PostgresSegments
  readonly shards: PostgresShards
  readonly endpoints: PostgresEndpoints
  readonly answers: PostgresAnswers
  readonly #client: QueryClient
  readonly #sql: Statements
  readonly #types: TypeIds
  readonly #txOffset: number
  /** The jobs that this transaction has locked by their ids. */
  readonly #locked = new Set<number>()

  constructor(client: QueryClient, sql: Statements, types: TypeIds, txOffset: number, now: number) {
    this.#client = client
    this.#sql = sql
    this.#types = types
    this.#txOffset = txOffset
    this.now = now
    this.gates = new PostgresGates(client, sql, types, now)
    this.records = new PostgresRecords(client, sql, txOffset, now)
    this.fires = new PostgresFires(client, sql)
    this.members = new PostgresMembers(client, sql)
    this.walks = new PostgresWalks(client, sql, now)
    this.pasts = new PostgresPasts(client, sql)
    this.segments = new PostgresSegments(client, sql, txOffset)
    this.shards = new PostgresShards(client, sql)
    this.endpoints = new PostgresEndpoints(client, sql)
    this.answers = new PostgresAnswers(client, sql)
  }

  async reserve(count: number): Promise<readonly number[]> {
    const rows = await this.#sql.run<{ pk: number }>(this.#client, 'reserveKeys', { count })
    return rows.map(({ pk }) => pk)
  }

  async holders({ ids, names, keys }: Wanted): Promise<readonly StoredJob[]> {
    const rows = await this.#sql.run<{ pk: number }>(this.#client, 'holderKeys', {
      ids,
      names,
      namespaces: keys.map(({ namespace }) => namespace),
      types: keys.map(({ type }) => type),
      keys: keys.map(({ key }) => key),
    })
    return rows.length === 0 ? [] : this.loadByKey(rows.map(({ pk }) => pk))
  }

  async load(ids: readonly string[]): Promise<readonly StoredJob[]> {
    return await jobsById(this.#client, this.#sql, ids)
  }

  async loadByKey(pks: readonly number[]): Promise<readonly StoredJob[]> {
    return await jobsByKey(this.#client, this.#sql, pks)
  }

  async lock(ids: readonly string[], { isShared = false }: LockOptions = {}): Promise<void> {
    const locked = await this.#sql.run<{ pk: number }>(this.#client, isShared ? 'lockJobsShared' : 'lockJobs', { ids })
    if (!isShared) for (const { pk } of locked) this.#locked.add(pk)
  }

  async insert(creations: readonly Creation[]): Promise<ReadonlySet<number>> {
    // By name: two transactions that want the same names meet them in the same order.
    const ordered = [...creations].sort((a, b) => (a.after.job.name < b.after.job.name ? -1 : 1))
    const typeIds = await this.#types.of(
      this.#client,
      ordered.map(({ after }) => after.job.type),
    )
    const jobs = ordered.map(({ after, parent }) => {
      return { ...specRow(after, typeIds(after.job.type), parent), ...stateRow(after) }
    })
    const late = ordered.flatMap(({ after }) => deadlineOf(after) ?? [])
    const waits = ordered.flatMap(({ after, waitsFor }) => waitsFor.map((on_job) => ({ job: after.guard.pk, on_job })))
    const isHolder = ({ after }: Creation) => !after.guard.released
    const rows = await this.#sql.runFor<{ pk: number }>(this.#client, ordered.length, 'insertJobs', {
      ...columns('', jobColumns, jobs),
      ...handlesOf(ordered.filter(isHolder), typeIds),
      handleless: ordered.filter((creation) => !isHolder(creation)).map(({ after }) => after.guard.pk),
      ...this.#placesOf(ordered, typeIds),
      ...columns('wait_', ['job', 'on_job'], waits),
      ...columns('late_', ['job', 'at'], late),
      ...this.#historyOf(ordered),
    })
    const made = new Set(rows.map(({ pk }) => pk))
    const refused = ordered.filter(({ after }) => !made.has(after.guard.pk))
    if (refused.length > 0) {
      const { key_namespace, key_type, key_key, key_job, ...names } = handlesOf(refused, typeIds)
      await this.#sql.run(this.#client, 'removeHandles', names)
      await this.#sql.run(this.#client, 'removeKeys', { key_namespace, key_type, key_key, key_job })
    }
    return made
  }

  async openTasks({ type, ...terms }: TaskTerms, count: number): Promise<readonly ShardRow[]> {
    const typeIds = await this.#types.of(this.#client, [type])
    const given = { ...terms, type: typeIds(type), ...this.#stamp(), ...notStarted }
    const held: ShardRow[] = []
    for (let left = count; left > 0; left -= batchMax) {
      const params = { ...given, count: Math.min(left, batchMax) }
      held.push(...(await this.#sql.run<ShardRow>(this.#client, 'openTasks', params)))
    }
    return held
  }

  async write(changes: readonly Change[]): Promise<ReadonlyMap<number, Written>> {
    const typeIds = await this.#types.of(
      this.#client,
      changes.map(({ after }) => after.job.type),
    )
    const unwaiting = changes.filter(stopsWaiting)
    const moved = changes.filter(({ before, after }) => elapsesAt(before.job) !== elapsesAt(after.job))
    const late = moved.map(({ after }) => deadlineOf(after))
    const releasing = changes.filter(({ before, after }) => after.guard.released && !before.guard.released)
    const rows = await this.#sql.runFor<Written & { pk: number }>(this.#client, changes.length, 'writeJobs', {
      ...columns(
        '',
        ['pk'],
        changes.map(({ after }) => after.guard),
      ),
      ...columns(
        '',
        placeColumns,
        changes.map((change) => placeBefore(change, typeIds)),
      ),
      ...columns(
        '',
        stateColumns,
        changes.map(({ after }) => stateRow(after)),
      ),
      ...this.#placesOf(changes, typeIds),
      ...this.#historyOf(changes),
      ...columns(
        'late_',
        ['job', 'at'],
        late.flatMap((deadline) => deadline ?? []),
      ),
      timeless: moved.filter((_, i) => late[i] === null).map(({ after }) => after.guard.pk),
      unwaiting: unwaiting.map(({ after }) => after.guard.pk),
      ...handlesOf(releasing, typeIds),
    })
    return new Map(rows.map(({ pk, awaited }) => [pk, { awaited }]))
  }

  async waitsOf(pks: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    const rows = await this.#sql.run<{ job: number; on_job: number }>(this.#client, 'waitsOf', { pks })
    const waits = Map.groupBy(rows, ({ job }) => job)
    return new Map([...waits].map(([job, found]) => [job, found.map(({ on_job }) => on_job)]))
  }

  async endWaits(pks: readonly number[], limit: number): Promise<EndedWaits> {
    const locked = await this.#sql.run<{ pk: number }>(this.#client, 'lockWaiting', { pks, limit })
    const jobs = locked.map(({ pk }) => pk)
    await this.#sql.runFor(this.#client, pks.length + jobs.length, 'endWaits', { pks, jobs })
    const still = await this.#sql.run<{ job: number }>(this.#client, 'stillWaiting', { pks: jobs })
    const waiting = new Set(still.map(({ job }) => job))
    return { freed: jobs.filter((job) => !waiting.has(job)), waiting: [...waiting] }
  }

  async addNeeds(needs: readonly Wait[]): Promise<void> {
    const jobs = needs.map(({ job }) => job)
    await this.#sql.run(this.#client, 'addNeeds', { jobs, on_jobs: needs.map(({ on_job }) => on_job) })
  }

  async record(drafts: readonly EventDraft[]): Promise<ReadonlyMap<number, number | null>> {
    const first = new Map<string, number>()
    for (const [i, { namespace, event }] of drafts.entries()) {
      const key = `${namespace} ${event.key}`
      if (!first.has(key)) first.set(key, i)
    }
    const wanted = [...first.values()].map((i) => outsideRow(drafts[i] as EventDraft, i))
    const rows = await this.#sql.run<{ nth: number; job: number | null }>(this.#client, 'recordEvents', {
      ...columns('', outsideColumns, wanted),
      ...this.#stamp(),
      locked: [...this.#locked],
    })
    return new Map(rows.map(({ nth, job }) => [nth, job]))
  }

  async outsideEvents(pk: number): Promise<readonly OutsideEvent[]> {
    const rows = await this.#sql.run<EventRow>(this.#client, 'eventsOfJobs', { pks: [pk] })
    return rows.filter(({ version }) => version === null).map((row) => outsideEvent(logEntry(row)))
  }

  async havingChildren(attempts: readonly Attempt[]): Promise<ReadonlySet<number>> {
    const rows = await this.#sql.run<{ pk: number }>(this.#client, 'havingChildren', {
      pks: attempts.map(({ pk }) => pk),
      attempts: attempts.map(({ attempt }) => attempt),
    })
    return new Set(rows.map(({ pk }) => pk))
  }

  async children({ pk, attempt }: Attempt, after: number, limit: number): Promise<readonly number[]> {
    const rows = await this.#sql.run<{ pk: number }>(this.#client, 'childrenOf', { pk, attempt, after, limit })
    return rows.map((row) => row.pk)
  }

  async branch({ name, from, direction, limit }: BranchPage): Promise<readonly StoredJob[]> {
    const down = direction === 'down'
    const page = { name, from: from ?? (down ? `${name}/` : `${name}0`), limit }
    const rows = await this.#sql.run<{ pk: number }>(this.#client, down ? 'liveBelowDown' : 'liveBelowUp', page)
    const jobs = await this.loadByKey(rows.map(({ pk }) => pk))
    const found = new Map(jobs.map((stored) => [stored.guard.pk, stored]))
    return rows.flatMap(({ pk }) => found.get(pk) ?? [])
  }

  async addWaits(waits: readonly Wait[]): Promise<void> {
    const jobs = waits.map(({ job }) => job)
    await this.#sql.run(this.#client, 'addWaits', { jobs, on_jobs: waits.map(({ on_job }) => on_job) })
  }

  async endOwnWait(job: number): Promise<boolean> {
    // Whoever ends the last job that it waits for holds it too: each sees what the other has done.
    await this.#sql.run(this.#client, 'lockJobsByKey', { pks: [job] })
    await this.#sql.run(this.#client, 'removeOwnWait', { job })
    return (await this.#sql.run(this.#client, 'stillWaiting', { pks: [job] })).length === 0
  }

  async addFollowUps(followUps: readonly NewFollowUp[]): Promise<void> {
    await this.#sql.run(this.#client, 'addFollowUps', {
      kinds: followUps.map(({ kind }) => kind),
      jobs: followUps.map(({ job }) => job),
      data: followUps.map(({ data }) => data),
    })
  }

  async takeFollowUp(skip: number): Promise<FollowUp | null> {
    const [found] = await this.#sql.run<FollowUp>(this.#client, 'takeFollowUp', { skip })
    return found ?? null
  }

  async saveFollowUp(pk: number, data: string | null): Promise<void> {
    if (data === null) await this.#sql.run(this.#client, 'removeFollowUp', { pk })
    else await this.#sql.run(this.#client, 'saveFollowUp', { pk, data })
  }

  async nextPosition(priority: number, from: number, direction: 'up' | 'down'): Promise<number | null> {
    const name = direction === 'up' ? 'nextPositionUp' : 'nextPositionDown'
    const [found] = await this.#sql.run<{ position: number | null }>(this.#client, name, { priority, from })
    return found?.position ?? null
  }

  async readyAt(priority: number, position: number): Promise<readonly StoredJob[]> {
    const rows = await this.#sql.run<{ pk: number }>(this.#client, 'readyAt', { priority, position })
    return rows.length === 0 ? [] : await this.loadByKey(rows.map(({ pk }) => pk))
  }

  /** The seats that jobs have after a step. A job that stays claimed keeps its claim. */
  #placesOf(changes: readonly Pick<Change, 'after'>[], typeIds: (type: string) => number) {
    const places = changes.map(({ after: { job, guard } }) => ({
      seat: seatOf(job, this.now),
      lane: laneOf(typeIds(job.type), job.suspect),
      priority: job.priority,
      position: job.position,
      job: guard.pk,
      revision: guard.revision,
      not_after: notAfter(job),
      limited: limitedOf(job),
      namespace: guard.namespace,
      due_at: job.scheduledFor,
    }))
    const ready = places.filter(({ seat }) => seat === 'ready')
    const delayed = places.filter(({ seat }) => seat === 'delayed')
    return { ...columns('ready_', readyColumns, ready), ...columns('delayed_', delayedColumns, delayed) }
  }

  #historyOf(changes: readonly Pick<Change, 'after' | 'events' | 'runs'>[]) {
    const runs = changes.flatMap(({ after, runs }) => runs.map((run) => runRow(after.guard.pk, run)))
    const events = changes.flatMap(({ after, events }) => events.map((event) => eventRow(after, event)))
    return { ...columns('run_', runColumns, runs), ...columns('event_', eventColumns, events), ...this.#stamp() }
  }

  #stamp() {
    return { now: this.now, tx_offset: this.#txOffset }
  }
}

const stateColumns = [
  ...['revision', 'released', 'version', 'state', 'phase', 'priority', 'position', 'attempt', 'charged'],
  ...['cancelled', 'outcome', 'scheduled_for', 'attempt_deadline_at', 'queued_at', 'started_at', 'finished_at'],
  ...['updated_at', 'token', 'worker_id', 'detail', 'error', 'params_digest', 'result_digest', 'params', 'result'],
] as const satisfies readonly Column<ReturnType<typeof stateRow>>[]

const jobColumns = [
  ...stateColumns,
  ...['pk', 'id', 'name', 'namespace', 'type', 'key', 'labels', 'template_id', 'schedule_id', 'group_id', 'retry_of'],
  ...['submitted_by', 'options', 'expires_at', 'deadline_at', 'created_at', 'parent', 'parent_attempt', 'trace_parent'],
] as const satisfies readonly Column<JobRow>[]

const readyColumns = ['lane', 'priority', 'position', 'job', 'revision', 'not_after', 'limited', 'namespace'] as const
const delayedColumns = [...readyColumns, 'due_at'] as const
const placeColumns = [
  ...['guard', 'place', 'lane', 'seat_priority', 'seat_position', 'seat_due_at', 'stays_claimed', 'cancel_asked'],
] as const satisfies readonly Column<ReturnType<typeof placeBefore>>[]

const runColumns = [
  ...['job', 'attempt', 'status', 'reason', 'error', 'worker_id', 'started_at', 'finished_at', 'exit_code'],
  ...['artifacts', 'log_path'],
] as const satisfies readonly Column<RunRow>[]

const eventColumns = [
  ...['job', 'version', 'code', 'occurred_at', 'namespace', 'actor', 'cause', 'execution_id', 'trace_id', 'span_id'],
  ...['attributes'],
] as const satisfies readonly Column<ReturnType<typeof eventRow>>[]

const outsideColumns = [
  ...['nth', 'namespace', 'source', 'id', 'event_type', 'occurred_at', 'job_uuid', 'job_ref', 'task_ref'],
  ...['execution_id', 'trace_id', 'span_id', 'attributes'],
] as const satisfies readonly Column<ReturnType<typeof outsideRow>>[]

function placeBefore({ before, after }: Change, typeIds: (type: string) => number) {
  const { job, guard } = before
  return {
    guard: guard.revision,
    place: seatsBefore(job),
    lane: laneOf(typeIds(job.type), job.suspect),
    seat_priority: job.priority,
    seat_position: job.position,
    seat_due_at: job.scheduledFor,
    stays_claimed: after.job.phase === 'running',
    cancel_asked: after.job.cancelReason === null ? 0 : 1,
  }
}

/** The names and keys that jobs hold while they live. */
function handlesOf(changes: readonly Pick<Change, 'after'>[], typeIds: (type: string) => number) {
  const names = changes.map(({ after: { job, guard } }) => ({ name: job.name, job: guard.pk }))
  const keys = changes.flatMap(({ after: { job, guard } }) => {
    if (job.key === null) return []
    return [{ namespace: guard.namespace, type: typeIds(job.type), key: job.key, job: guard.pk }]
  })
  return {
    ...columns('handle_', ['name', 'job'], names),
    ...columns('key_', ['namespace', 'type', 'key', 'job'], keys),
  }
}

function deadlineOf({ job, guard }: StoredJob): { readonly job: number; readonly at: number } | null {
  const at = elapsesAt(job)
  return at === null ? null : { job: guard.pk, at }
}

function eventRow({ guard }: StoredJob, event: JobEvent) {
  return {
    job: guard.pk,
    version: event.version,
    code: catalogue[event.type],
    occurred_at: event.at,
    namespace: guard.namespace,
    actor: event.actor,
    cause: event.cause,
    execution_id: event.executionId,
    trace_id: event.traceId,
    span_id: event.spanId,
    attributes: encodeEventData(event, guard.pk),
  }
}

function outsideRow({ namespace, source, id, event, jobId, jobUuid, attributes }: EventDraft, nth: number) {
  return {
    nth,
    namespace,
    source,
    id,
    event_type: event.type,
    occurred_at: event.at,
    job_uuid: jobUuid,
    job_ref: jobId,
    task_ref: event.taskId,
    execution_id: event.executionId,
    trace_id: event.traceId,
    span_id: event.spanId,
    attributes,
  }
}
