import { randomUUID } from 'node:crypto'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { StintError, show } from '../../core/errors.ts'
import type { LimitInput } from '../../core/gates/limit.ts'
import type { Run } from '../../core/job/job.ts'
import { append } from '../append.ts'
import { apply } from '../apply.ts'
import { type AuditedGroupRow, type AuditedShardedRow, type AuditRows, auditPage, type SeatRowOfJob } from '../audit.ts'
import { checkLimitInput, checkMove, checkPause, checkQueue } from '../check-gates.ts'
import { checkAfter, checkJobs, checkLimit, checkNewestFirst, checkNow, checkPlainId, refuse } from '../check-input.ts'
import {
  branchFollowUp,
  checkFollowUp,
  checkLogs,
  checkOverdue,
  checkPage,
  checkRenewal,
  checkWorker,
  listParams,
  workerTaken,
} from '../check-work.ts'
import { type CheckedClaim, checkClaim, takesTurns } from '../claim-request.ts'
import { type CompletionRow, completedTasks, completeRows, supplyOf } from '../completion.ts'
import { changesSomething, control } from '../control/control.ts'
import type { ControlName, Controls } from '../controls.ts'
import { wakeAfter, writeWithEffects } from '../effects.ts'
import { type EventRow, logEntry } from '../event-row.ts'
import { followUp } from '../follow-up.ts'
import { removeLimit, resume, setLimit } from '../gates.ts'
import type { JobRow } from '../job-row.ts'
import { move } from '../move.ts'
import { type Inserted, type PlainRow, submitPlain, type Writes } from '../plain-submission.ts'
import { checkTree } from '../reads/tree.ts'
import type { PastJob } from '../retention/pasts.ts'
import { type RunRow, runOfRow } from '../run-row.ts'
import { advanceCompleted } from '../shards/advance.ts'
import type {
  AppendResult,
  ApplyRequest,
  ApplyResult,
  AtTime,
  AuditPage,
  AuditRequest,
  BranchRequest,
  ClaimRequest,
  Completed,
  Completion,
  ControlOptions,
  DepthRow,
  EventsPage,
  EventsRequest,
  FollowUpRequest,
  HeartbeatRequest,
  HeldAttempt,
  HeldBack,
  InTurn,
  JobRef,
  LimitRow,
  ListPage,
  ListRequest,
  LogLine,
  LogsRequest,
  MoveRequest,
  NewEvent,
  NewWorker,
  Notes,
  OrphansPage,
  OverduePage,
  OverdueRequest,
  PageRequest,
  PastRef,
  PauseRequest,
  PauseRow,
  QueryClient,
  QueueRequest,
  RenewRequest,
  Report,
  ShutGate,
  Store,
  StoredJob,
  StraySeat,
  Submission,
  SubmitResult,
  TreePage,
  TreeRequest,
  WorkerRow,
} from '../store.ts'
import { submit } from '../submit.ts'
import { takenBy } from '../worker-row.ts'
import { claim, claimGated, sortedTaken } from './claim.ts'
import { complete, forgetCompleted, leavesRows, type Stamp, sorted } from './complete.ts'
import { TaskCompleter } from './complete-tasks.ts'
import { openPool, type PostgresOptions, preparePartitions, prepareSchema } from './connection.ts'
import { foreignClient } from './foreign-client.ts'
import { Heart, type HeartOptions } from './heart.ts'
import { insertPlain, plainParams } from './insert-plain.ts'
import { JoinedClaims } from './joined-claim.ts'
import { Listener } from './listener.ts'
import { NamespaceIndex } from './namespace-index.ts'
import { Notifier } from './notifier.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import * as reads from './reads.ts'
import { eventsOfRecord, type LogPosition, type PlacedRow } from './records.ts'
import { canInsertAndClaim, insertAndClaim, type Taken } from './start-attempts.ts'
import { type Params, Statements } from './statements.ts'
import { TypeIds } from './type-ids.ts'
import * as work from './work.ts'

export type { PostgresOptions }

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const schema = options.schema ?? 'stint'
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,47}$/.test(schema)) {
    const rule = 'must begin with a letter or _, then letters, digits or _, at most 48'
    throw new StintError('invalid_argument', `schema ${rule}; got ${show(schema)}.`, { field: 'schema', rule })
  }
  const pool = openPool(options)
  const sql = new Statements(schema)
  try {
    const { txOffset } = await prepareSchema(pool, sql, schema)
    await preparePartitions(pool, schema, Date.now())
    return new PostgresStore(pool, sql, txOffset, { url: options.url, schema })
  } catch (error) {
    await pool.end()
    throw error
  }
}

/** Deadlock, serialisation failure: the transaction did nothing, and another try may succeed. */
const retryableStates: readonly string[] = ['40001', '40P01']
/** The name of a task was taken after it was looked for: who looks again sees it. */
const takenState = '23505'
/** Somebody else holds what a statement that must not wait for long wants. */
const lockTimeoutState = '55P03'
const tryMax = 5

function isRetryable(error: unknown, states = retryableStates): boolean {
  return error instanceof Error && 'code' in error && states.includes(String(error.code))
}

/** Null when a task could not have its name: nothing was done, and whoever has it must be asked to leave it. */
function orNameTaken(error: unknown): null {
  if (isRetryable(error, [takenState])) return null
  throw error
}

/** What may name types of jobs: a submission, or what describes jobs. */
interface NamingTypes extends Pick<Submission, 'type' | 'onFailure'> {
  readonly finish?: Submission['onFailure']
  readonly jobs?: readonly Submission[]
}

class PostgresStore implements Store {
  readonly kind = 'postgres'
  readonly #pool: Pool
  readonly #sql: Statements
  readonly #types: TypeIds
  readonly #tasks: TaskCompleter
  readonly #txOffset: number
  readonly #notifier: Notifier
  readonly #listener: Listener
  readonly #heart: Heart
  readonly #namespaceIndex: NamespaceIndex
  readonly #joined = new JoinedClaims()
  #closed = false

  constructor(pool: Pool, sql: Statements, txOffset: number, { url, schema }: HeartOptions) {
    this.#pool = pool
    this.#sql = sql
    this.#types = new TypeIds(sql)
    this.#tasks = new TaskCompleter(sql, this.#types)
    this.#txOffset = txOffset
    const self = randomUUID()
    this.#notifier = new Notifier(pool, schema, self)
    this.#listener = new Listener(url, schema, self)
    this.#heart = new Heart({ url, schema })
    this.#namespaceIndex = new NamespaceIndex(pool, schema)
  }

  now(): Promise<number> {
    return this.#withClient((client) => this.#databaseTime(client))
  }

  async submit(submissions: readonly Submission[], { now, turn }: InTurn = {}): Promise<readonly SubmitResult[]> {
    checkNow(now)
    await this.#makeTypes(submissions)
    const stamp = { now: now ?? null, tx_offset: this.#txOffset }
    const writes: Writes = {
      insert: (rows) => {
        const params = { ...plainParams(rows, (type) => this.#types.idOf(type)), ...stamp }
        const alone = () => this.#repeatedly((client) => insertPlain(client, this.#sql, params, rows.length))
        // What has a turn is large, and others wait for it.
        return turn === undefined ? () => this.#insertWithClaim(rows, params, alone) : alone
      },
      submit: () => this.#transact(now, (tx) => submit(tx, submissions)),
    }
    const results = await submitPlain(submissions, writes, turn)
    if (results.some(({ outcome }) => outcome === 'created')) this.#notifier.changedByUs()
    return results
  }

  async submitWithin(client: QueryClient, submissions: readonly Submission[]): Promise<readonly SubmitResult[]> {
    await this.#makeTypes(submissions)
    const foreign = foreignClient(client)
    const now = await this.#databaseTime(foreign)
    return await submit(new PostgresTransaction(foreign, this.#sql, this.#types, this.#txOffset, now), submissions)
  }

  /** A worker that waits for such jobs, in this process, gets them in the transaction that makes them. */
  async #insertWithClaim(
    rows: readonly PlainRow[],
    params: Params,
    alone: () => Promise<Inserted | null>,
  ): Promise<Inserted | null> {
    const standing = canInsertAndClaim(this.#sql) ? await this.#joined.gather(rows) : null
    if (standing === null) return await alone()
    const { request, resolve, reject } = standing
    const tools = { sql: this.#sql, types: this.#types, txOffset: this.#txOffset }
    try {
      const both = await this.#repeatedly((client) => insertAndClaim({ client, ...tools }, params, request))
      if (both !== null) {
        resolve(sortedTaken(both.taken))
        return both.inserted
      }
    } catch (error) {
      if (!isRetryable(error, [takenState, lockTimeoutState])) {
        reject(error)
        throw error
      }
    }
    void this.#claimFirst(request).then(resolve, reject)
    return await alone()
  }

  #claimFirst(request: CheckedClaim): Promise<Taken> {
    const tools = { sql: this.#sql, types: this.#types, txOffset: this.#txOffset }
    return this.#repeatedly((client) => claim({ client, ...tools }, request))
  }

  /** One statement is a transaction of its own: a claim needs no more, unless there are gates to pass or turns to take. */
  async claim(request: ClaimRequest): Promise<readonly StoredJob[]> {
    const checked = checkClaim(request)
    const tools = { sql: this.#sql, types: this.#types, txOffset: this.#txOffset }
    if (takesTurns(checked)) {
      await this.#namespaceIndex.make()
      return await this.#transact(checked.now, (tx, client) => claimGated(tx, { client, ...tools }, checked))
    }
    const { jobs, isGated } = await (this.#joined.join(checked) ?? this.#claimFirst(checked))
    const limit = checked.limit - jobs.length
    if (!isGated || limit === 0) return jobs
    const suspectLimit = checked.suspectLimit - jobs.filter(({ job }) => job.suspect).length
    const rest = { ...checked, limit, suspectLimit }
    const more = this.#transact(checked.now, (tx, client) => claimGated(tx, { client, ...tools }, rest))
    // What was taken is taken: the rest can be asked for again.
    return [...jobs, ...(await (jobs.length === 0 ? more : more.catch(() => [])))]
  }

  async apply(requests: readonly ApplyRequest[], { now }: AtTime = {}): Promise<readonly ApplyResult[]> {
    const results = await this.#transact(now, (tx) => apply(tx, requests))
    if (results.some(({ ok }) => ok)) this.#notifier.changedByUs()
    return results
  }

  async complete(completions: readonly Completion[], options: AtTime = {}): Promise<Completed> {
    const completed = await completeRows(completions, options, (rows, { now }) => this.#completeRows(rows, now ?? null))
    if (completed.done.includes(true)) this.#notifier.changedByUs()
    return completed
  }

  /** Tasks of one sharded job are completed together; all that are completed in one call are over at one moment. */
  async #completeRows(rows: readonly CompletionRow[], given: number | null): Promise<Completed> {
    const written = new Map<CompletionRow, boolean>()
    let now = given
    let woke = false
    for (const some of Map.groupBy(rows, ({ task_of, is_child }) => task_of ?? is_child).values()) {
      const completed = await this.#completeAlike(some, now)
      now ??= completed.at
      woke ||= completed.woke === true
      for (const [i, row] of some.entries()) written.set(row, completed.done[i] === true)
    }
    return { at: now ?? 0, done: rows.map((row) => written.get(row) === true), ...(woke ? { woke } : {}) }
  }

  /** Of rows that are all tasks of one job, all children, or neither. */
  #completeAlike(rows: readonly CompletionRow[], now: number | null): Promise<Completed> {
    const [first] = rows
    if (first?.task_of) return this.#completeTasks(rows, now)
    return first?.is_child ? this.#completeChildren(rows, now) : this.#completePlain(rows, now)
  }

  /** Others often wait for the ends of children: they are told in the same transaction. */
  #completeChildren(rows: readonly CompletionRow[], now: number | null): Promise<Completed> {
    return this.#transact(now ?? undefined, async (tx, client) => {
      const stamp = { now: tx.now, tx_offset: this.#txOffset, with_awaited: true }
      const { awaited, ...completed } = await complete(client, this.#sql, stamp, rows)
      await forgetCompleted(client, this.#sql, this.#types, rows)
      const ended = rows.filter(({ pk }, i) => completed.done[i] && awaited.has(pk))
      if (ended.length > 0) await wakeAfter(tx, ended.map(supplyOf))
      return ended.length > 0 ? { ...completed, woke: true } : completed
    })
  }

  #completePlain(rows: readonly CompletionRow[], now: number | null): Promise<Completed> {
    const stamp = this.#completionStamp(now)
    const ends = sorted(rows)
    const isOneStatement = ends.plain.length === 0 || ends.others.length === 0
    // One statement is a transaction of its own: most need no more.
    if (isOneStatement && !rows.some(leavesRows)) {
      return this.#repeatedly((client) => complete(client, this.#sql, stamp, rows, ends))
    }
    return this.#transact(now ?? undefined, async (_, client) => {
      const completed = await complete(client, this.#sql, stamp, rows, ends)
      await forgetCompleted(client, this.#sql, this.#types, rows)
      return completed
    })
  }

  async #completeTasks(rows: readonly CompletionRow[], now: number | null): Promise<Completed> {
    const stamp = this.#completionStamp(now)
    const short = await this.#repeatedly((client) => this.#tasks.complete(client, stamp, rows)).catch(orNameTaken)
    if (short !== null) return short
    return await this.#transact(now ?? undefined, async (tx, client) => {
      const completed = await complete(client, this.#sql, stamp, rows)
      await forgetCompleted(client, this.#sql, this.#types, rows)
      await advanceCompleted(tx, completedTasks(rows, completed.done), writeWithEffects)
      return completed
    })
  }

  #completionStamp(now: number | null): Stamp {
    return { now, tx_offset: this.#txOffset, with_awaited: false }
  }

  async append(events: readonly NewEvent[], { now }: AtTime = {}): Promise<readonly AppendResult[]> {
    const results = await this.#transact(now, (tx) => append(tx, events))
    if (results.some(({ outcome }) => outcome === 'recorded')) this.#notifier.changed()
    return results
  }

  find(refs: readonly JobRef[]): Promise<readonly (StoredJob | null)[]> {
    return this.#readAtOneInstant((client) => work.find(client, this.#sql, refs))
  }

  past(refs: readonly PastRef[]): Promise<readonly (PastJob | null)[]> {
    return this.#readAtOneInstant((client) => work.past(client, this.#sql, refs))
  }

  runs(jobId: string): Promise<readonly Run[]> {
    return this.#readAtOneInstant(async (client) => {
      const pk = await work.anyKeyOf(client, this.#sql, jobId)
      const rows = pk === null ? [] : await this.#sql.run<RunRow>(client, 'runsOfJobs', { pks: [pk] })
      return rows.map((row) => runOfRow(jobId, row))
    })
  }

  events(request: EventsRequest): Promise<EventsPage> {
    return this.#withClient(async (client) => {
      const { after = null, limit } = request
      const [after_tx, after_log_id] = readCursor(after)
      const position = { after_tx, after_log_id, limit: checkLimit(limit), tx_offset: this.#txOffset }
      const jobs = checkJobs(request)
      if (jobs !== null) return await this.#eventsAmong(client, position, jobs, after)
      const rows = checkNewestFirst(request)
        ? await this.#newestRows(client, position)
        : await this.#eventRows(client, position, request)
      const cursors = rows.map(cursorOf)
      return { entries: rows.map(logEntry), cursors, cursor: cursors.at(-1) ?? after }
    })
  }

  /** Of the next entries those of some jobs. Only they travel, and the last of all. */
  async #eventsAmong(
    client: ClientBase,
    position: LogPosition & { readonly tx_offset: number },
    jobs: readonly string[],
    after: string | null,
  ): Promise<EventsPage> {
    const rows = await this.#sql.run<LookedRow>(client, 'eventsAfter', { ...position, ids: jobs })
    const last = rows.at(-1)
    const wanted = new Set(jobs)
    const own = rows.filter(({ job_ref, job_id }) => wanted.has(job_ref ?? job_id ?? ''))
    const cursor = last === undefined ? after : cursorOf(last)
    return { entries: own.map(logEntry), cursors: own.map(cursorOf), cursor, looked: Number(last?.looked ?? 0) }
  }

  logEnd(): Promise<string> {
    return this.#withClient(async (client) => {
      const [row] = await this.#sql.run<{ tx: number }>(client, 'logEnd', { tx_offset: this.#txOffset })
      return `${row?.tx}.0`
    })
  }

  heldBack(): Promise<HeldBack | null> {
    return this.#withClient(async (client) => {
      const [row] = await this.#sql.run<HeldBack>(client, 'heldBack', { tx_offset: this.#txOffset })
      return row ?? null
    })
  }

  /** Nothing comes before the first entry, so a page that goes on from there begins at the end. */
  #newestRows(
    client: ClientBase,
    { after_tx, after_log_id, ...position }: LogPosition & { readonly tx_offset: number },
  ): Promise<readonly PlacedRow[]> {
    const before_tx = after_tx < 0 ? Number.MAX_SAFE_INTEGER : after_tx
    return this.#sql.run<PlacedRow>(client, 'eventsBefore', { ...position, before_tx, before_log_id: after_log_id })
  }

  async #eventRows(
    client: ClientBase,
    position: LogPosition & { readonly tx_offset: number },
    { jobId, record }: EventsRequest,
  ): Promise<readonly PlacedRow[]> {
    if (record !== undefined) return await eventsOfRecord(client, this.#sql, record, position)
    if (jobId === undefined) return await this.#sql.run<PlacedRow>(client, 'eventsAfter', { ...position, ids: null })
    const job = await work.anyKeyOf(client, this.#sql, jobId)
    if (job === null) return []
    return await this.#sql.run<PlacedRow>(client, 'eventsOfJobAfter', { ...position, id: jobId, job })
  }

  async list(request: ListRequest): Promise<ListPage> {
    const params = listParams(request)
    return await this.#readAtOneInstant((client) => reads.list(client, this.#sql, params), 'beginLook')
  }

  async tree(request: TreeRequest): Promise<TreePage> {
    const checked = checkTree(request)
    return await this.#readAtOneInstant((client) => reads.tree(client, this.#sql, checked), 'beginLook')
  }

  depths(): Promise<readonly DepthRow[]> {
    return this.#readAtOneInstant((client) => reads.depths(client, this.#sql))
  }

  async register(worker: NewWorker, { now }: AtTime = {}): Promise<void> {
    const checked = checkWorker(worker)
    const { id, name, leaseMs } = checked
    checkNow(now)
    // What it will claim is known from now on, and need not be asked for again with every claim.
    await this.#makeTypes((checked.types ?? []).map((type) => ({ type })))
    const made = await this.#withClient((client) => {
      const row = { id, name, lease_ms: leaseMs, now: now ?? null, ...takenBy(checked) }
      return this.#sql.run(client, 'insertWorker', row)
    })
    if (made.length === 0) throw workerTaken(id)
  }

  async renew(request: RenewRequest): Promise<boolean> {
    const params = checkRenewal(request)
    const rows = await this.#withClient((client) => this.#sql.run(client, 'renewWorker', params))
    return rows.length === 1
  }

  async retire(workerId: string): Promise<void> {
    const id = checkPlainId(workerId, 'workerId')
    await this.#withClient((client) => this.#sql.run(client, 'removeWorker', { id }))
  }

  buryLost({ now }: AtTime = {}): Promise<readonly string[]> {
    return this.#transact(now, (tx, client) => work.buryLost(client, this.#sql, tx.now))
  }

  workers(): Promise<readonly WorkerRow[]> {
    return this.#withClient((client) => work.workers(client, this.#sql))
  }

  held(workerId: string): Promise<readonly HeldAttempt[]> {
    return this.#withClient((client) => work.held(client, this.#sql, checkPlainId(workerId, 'workerId')))
  }

  orphans(request: PageRequest): Promise<OrphansPage> {
    return this.#withClient((client) => work.orphans(client, this.#sql, checkPage(request)))
  }

  overdue(request: OverdueRequest): Promise<OverduePage> {
    return this.#withClient((client) => work.overdue(client, this.#sql, checkOverdue(request)))
  }

  async cancelBranch(request: BranchRequest): Promise<void> {
    const followUp = branchFollowUp(request)
    await this.#transact(undefined, (tx) => tx.addFollowUps([followUp]))
  }

  async followUp(request: FollowUpRequest): Promise<boolean> {
    const checked = checkFollowUp(request)
    return await this.#transact(checked.now, (tx) => followUp(tx, checked))
  }

  async move(request: MoveRequest, { now }: AtTime = {}): Promise<StoredJob> {
    const checked = checkMove(request)
    return await this.#transact(now, (tx) => move(tx, checked))
  }

  queue(request: QueueRequest): Promise<readonly StoredJob[]> {
    return this.#readAtOneInstant((client) => work.queue(client, this.#sql, checkQueue(request)))
  }

  async setLimit(limit: LimitInput): Promise<void> {
    const checked = checkLimitInput(limit, 'limit')
    await this.#transact(undefined, (tx) => setLimit(tx, checked))
    this.#notifier.changed()
  }

  async removeLimit(key: string): Promise<boolean> {
    const { key: checked } = checkLimitInput({ key }, 'limit')
    const isGone = await this.#transact(undefined, (tx) => removeLimit(tx, checked))
    this.#notifier.changed()
    return isGone
  }

  limits(): Promise<readonly LimitRow[]> {
    return this.#readAtOneInstant((client) => work.limits(client, this.#sql))
  }

  async pause(request: PauseRequest, { now }: AtTime = {}): Promise<void> {
    const checked = checkPause(request)
    if (checked.type !== null) await this.#withClient((client) => this.#types.make(client, [checked.type ?? '']))
    await this.#transact(now, (tx) => tx.gates.pause(checked))
  }

  async resume(request: PauseRequest): Promise<boolean> {
    const checked = checkPause(request)
    const isGone = await this.#transact(undefined, (tx) => resume(tx, checked))
    this.#notifier.changed()
    return isGone
  }

  pauses(): Promise<readonly PauseRow[]> {
    return this.#withClient((client) => this.#sql.run<PauseRow>(client, 'allPauses'))
  }

  gates(jobIds: readonly string[]): Promise<readonly (ShutGate | null)[]> {
    return this.#readAtOneInstant((client) => work.gatesOf(client, this.#sql, jobIds))
  }

  async control<N extends ControlName>(
    name: N,
    input: Controls[N]['input'],
    { now, context }: ControlOptions = {},
  ): Promise<Controls[N]['output']> {
    const naming = input as NamingTypes
    await this.#makeTypes([naming, ...(Array.isArray(naming?.jobs) ? naming.jobs : [])])
    const output = await this.#transact(now, (tx) => control(tx, name, input, context))
    if (changesSomething(name, output)) this.#notifier.changed()
    return output
  }

  async report(reports: readonly Report[], { now }: AtTime = {}): Promise<readonly boolean[]> {
    checkNow(now)
    return await this.#repeatedly((client) => work.report(client, this.#sql, reports, now ?? null))
  }

  notes(jobId: string): Promise<Notes> {
    return this.#withClient((client) => work.notes(client, this.#sql, jobId))
  }

  logs(request: LogsRequest): Promise<readonly LogLine[]> {
    return this.#withClient((client) => work.logLines(client, this.#sql, checkLogs(request)))
  }

  audit({ after, limit }: AuditRequest): Promise<AuditPage> {
    return this.#readAtOneInstant(async (client) => {
      const position = { after: checkAfter(after), limit: checkLimit(limit) }
      const keys = await this.#sql.run<{ pk: number }>(client, 'auditedKeysAfter', position)
      const pks = keys.map(({ pk }) => pk)
      const jobs = await this.#jobs(client, pks)
      const groups = await this.#sql.run<AuditedGroupRow>(client, 'groupsAudited', { pks })
      const sharded = await this.#sql.run<AuditedShardedRow>(client, 'shardedAudited', { pks })
      const events = await this.#sql.run<EventRow>(client, 'eventsOfJobs', { pks })
      const runs = await this.#sql.run<RunRow>(client, 'runsOfJobs', { pks })
      const seats = await this.#sql.run<SeatRowOfJob>(client, 'seatsOf', { pks })
      const waits = await this.#sql.run<{ job: number; on_job: number }>(client, 'openWaitsOf', { pks })
      const deadlines = await this.#sql.run<{ job: number; at: number }>(client, 'deadlinesOf', { pks })
      const handles = await this.#sql.run<AuditRows['handles'][number]>(client, 'handlesOf', { pks })
      const strays = pks.length < limit ? await this.#strays(client) : []
      return auditPage({ pks, jobs, groups, sharded, events, runs, seats, waits, deadlines, handles, strays }, limit)
    })
  }

  async #strays(client: ClientBase): Promise<readonly StraySeat[]> {
    const strays: StraySeat[] = []
    for (const name of ['straySeats', 'strayHandles', 'strayMembers']) {
      strays.push(...(await this.#sql.run<StraySeat>(client, name)))
    }
    return strays
  }

  heartbeat(request: HeartbeatRequest, onBeat: (alive: boolean) => void): () => void {
    if (this.#closed) throw closed()
    return this.#heart.heartbeat(request, onBeat)
  }

  watch(onChange: () => void): () => void {
    if (this.#closed) throw closed()
    return this.#listener.watch(onChange)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all([this.#heart.close(), this.#listener.close(), this.#notifier.close()])
    await this.#pool.end()
  }

  /** The job that may follow an end will be submitted inside a transaction, where no type can be made. */
  async #makeTypes(submissions: readonly NamingTypes[]): Promise<void> {
    const types = submissions.flatMap((submission) =>
      [submission?.type ?? [], submission?.onFailure?.type ?? [], submission?.finish?.type ?? []].flat(),
    )
    if (!this.#types.isKnown(types)) await this.#withClient((client) => this.#types.make(client, types))
  }

  async #databaseTime(client: QueryClient): Promise<number> {
    const [row] = await this.#sql.run<{ now: number }>(client, 'databaseTime')
    return row?.now ?? 0
  }

  #jobs(client: ClientBase, pks: readonly number[]): Promise<readonly JobRow[]> {
    return pks.length === 0 ? Promise.resolve([]) : this.#sql.run<JobRow>(client, 'jobsByKey', { pks })
  }

  async #transact<T>(
    now: number | undefined,
    work: (tx: PostgresTransaction, client: ClientBase) => Promise<T>,
  ): Promise<T> {
    checkNow(now)
    return await this.#repeatedly((client) => this.#once(client, now, work), [...retryableStates, takenState])
  }

  /** A transaction that was chosen to end a circle of waiting has done nothing, so it is tried again. */
  async #repeatedly<T>(work: (client: PoolClient) => Promise<T>, states = retryableStates): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#withClient(work)
      } catch (error) {
        if (!isRetryable(error, states)) throw error
        if (attempt === tryMax) throw conflict()
      }
    }
  }

  async #once<T>(
    client: PoolClient,
    given: number | undefined,
    work: (tx: PostgresTransaction, client: ClientBase) => Promise<T>,
  ): Promise<T> {
    // Several statements at once give several results; the driver's types know only one.
    const begun = (await client.query(this.#sql.prepare('begin').text)) as unknown as readonly {
      rows: { now: number }[]
    }[]
    const now = given ?? begun.at(-1)?.rows[0]?.now ?? 0
    try {
      const result = await work(new PostgresTransaction(client, this.#sql, this.#types, this.#txOffset, now), client)
      await client.query('commit')
      return result
    } catch (error) {
      // When the connection is gone so is the transaction; the error to tell is the first one.
      await client.query('rollback').catch(() => {})
      throw error
    }
  }

  #readAtOneInstant<T>(
    read: (client: ClientBase) => Promise<T>,
    begin: 'beginRead' | 'beginLook' = 'beginRead',
  ): Promise<T> {
    return this.#withClient(async (client) => {
      await client.query(this.#sql.prepare(begin).text)
      try {
        return await read(client)
      } finally {
        await client.query('commit').catch(() => {})
      }
    })
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed()
    const client = await this.#pool.connect()
    let isBroken = false
    const onError = () => {
      isBroken = true
    }
    client.on('error', onError)
    try {
      return await work(client)
    } catch (error) {
      // The end of a connection is noticed only after the call that it failed: back in the pool, it would fail the next.
      isBroken ||= !(error instanceof StintError) && !isRetryable(error)
      throw error
    } finally {
      client.off('error', onError)
      client.release(isBroken)
    }
  }
}

function closed(): StintError {
  return new StintError('store_closed', 'The store was closed; nothing was done.')
}

function conflict(): StintError {
  const message = `Other transactions were in the way ${tryMax} times; nothing was written.`
  return new StintError('conflict', message, { attempts: tryMax })
}

/** A row among others that were looked at. */
type LookedRow = PlacedRow & { readonly looked: number }

function cursorOf({ tx, log_id }: PlacedRow): string {
  return `${tx}.${log_id}`
}

function readCursor(cursor: string | null): readonly [tx: number, logId: number] {
  if (cursor === null) return [-1, 0]
  const parts = typeof cursor === 'string' ? /^([0-9]{1,15})\.([0-9]{1,16})$/.exec(cursor) : null
  if (parts !== null) return [Number(parts[1]), Number(parts[2])]
  throw refuse('after', cursor, 'must be a cursor that this store gave')
}
