import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { StintError, show } from '../../core/errors.ts'
import type { LimitInput } from '../../core/gates/limit.ts'
import type { Run } from '../../core/job/job.ts'
import { append } from '../append.ts'
import { apply } from '../apply.ts'
import { checkLimitInput, checkMove, checkPause, checkQueue } from '../check-gates.ts'
import { checkAfter, checkLimit, checkNow, checkPlainId } from '../check-input.ts'
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
import { checkClaim } from '../claim-request.ts'
import { changesSomething, control } from '../control/control.ts'
import type { ControlName, Controls } from '../controls.ts'
import { followUp } from '../follow-up.ts'
import { pause, removeLimit, resume, setLimit } from '../gates.ts'
import { move } from '../move.ts'
import { checkTree } from '../reads/tree.ts'
import type { PastJob } from '../retention/pasts.ts'
import { type RunRow, runOfRow } from '../run-row.ts'
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
  Submission,
  SubmitResult,
  TreePage,
  TreeRequest,
  WorkerRow,
} from '../store.ts'
import { submit } from '../submit.ts'
import { takenBy } from '../worker-row.ts'
import { audit } from './audit.ts'
import { Completer } from './completer.ts'
import { openPool, type PostgresOptions, preparePartitions, prepareSchema } from './connection.ts'
import { closed, Database, type NamingTypes } from './database.ts'
import { foreignClient } from './foreign-client.ts'
import { Heart, type HeartOptions } from './heart.ts'
import { Listener } from './listener.ts'
import { LogReader } from './log-reader.ts'
import { NamespaceIndex } from './namespace-index.ts'
import { Notifier } from './notifier.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import { Queue } from './queue.ts'
import * as reads from './reads.ts'
import { Statements } from './statements.ts'
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

class PostgresStore implements Store {
  readonly kind = 'postgres'
  readonly #database: Database
  readonly #sql: Statements
  readonly #queue: Queue
  readonly #completer: Completer
  readonly #log: LogReader
  readonly #notifier: Notifier
  readonly #listener: Listener
  readonly #heart: Heart

  constructor(pool: Pool, sql: Statements, txOffset: number, { url, schema }: HeartOptions) {
    this.#database = new Database(pool, sql, txOffset)
    this.#sql = sql
    this.#queue = new Queue(this.#database, new NamespaceIndex(pool, schema))
    this.#completer = new Completer(this.#database, this.#queue.joined)
    this.#log = new LogReader(this.#database)
    const self = randomUUID()
    this.#notifier = new Notifier(pool, schema, self)
    this.#listener = new Listener(url, schema, self)
    this.#heart = new Heart({ url, schema })
  }

  now(): Promise<number> {
    return this.#database.withClient((client) => this.#database.timeOf(client))
  }

  async submit(submissions: readonly Submission[], options: InTurn = {}): Promise<readonly SubmitResult[]> {
    const results = await this.#queue.submit(submissions, options)
    if (results.some(({ outcome }) => outcome === 'created')) this.#notifier.changedByUs()
    return results
  }

  async submitWithin(client: QueryClient, submissions: readonly Submission[]): Promise<readonly SubmitResult[]> {
    await this.#database.makeTypes(submissions)
    const foreign = foreignClient(client)
    const now = await this.#database.timeOf(foreign)
    return await submit(
      new PostgresTransaction(foreign, this.#sql, this.#database.types, this.#database.txOffset, now),
      submissions,
    )
  }

  async claim(request: ClaimRequest): Promise<readonly StoredJob[]> {
    return await this.#queue.claim(checkClaim(request))
  }

  async apply(requests: readonly ApplyRequest[], { now }: AtTime = {}): Promise<readonly ApplyResult[]> {
    const results = await this.#database.transact(now, (tx) => apply(tx, requests))
    if (results.some(({ ok }) => ok)) this.#notifier.changedByUs()
    return results
  }

  async complete(completions: readonly Completion[], options: AtTime = {}): Promise<Completed> {
    const completed = await this.#completer.complete(completions, options)
    if (completed.done.includes(true)) this.#notifier.changedByUs()
    return completed
  }

  async append(events: readonly NewEvent[], { now }: AtTime = {}): Promise<readonly AppendResult[]> {
    const results = await this.#database.transact(now, (tx) => append(tx, events))
    if (results.some(({ outcome }) => outcome === 'recorded')) this.#notifier.changed()
    return results
  }

  find(refs: readonly JobRef[]): Promise<readonly (StoredJob | null)[]> {
    return this.#database.readAtOneInstant((client) => work.find(client, this.#sql, refs))
  }

  past(refs: readonly PastRef[]): Promise<readonly (PastJob | null)[]> {
    return this.#database.readAtOneInstant((client) => work.past(client, this.#sql, refs))
  }

  runs(jobId: string): Promise<readonly Run[]> {
    return this.#database.readAtOneInstant(async (client) => {
      const pk = await work.anyKeyOf(client, this.#sql, jobId)
      const rows = pk === null ? [] : await this.#sql.run<RunRow>(client, 'runsOfJobs', { pks: [pk] })
      return rows.map((row) => runOfRow(jobId, row))
    })
  }

  events(request: EventsRequest): Promise<EventsPage> {
    return this.#log.events(request)
  }

  logEnd(): Promise<string> {
    return this.#log.end()
  }

  heldBack(): Promise<HeldBack | null> {
    return this.#log.heldBack()
  }

  async list(request: ListRequest): Promise<ListPage> {
    const params = listParams(request)
    return await this.#database.readAtOneInstant((client) => reads.list(client, this.#sql, params), 'beginLook')
  }

  async tree(request: TreeRequest): Promise<TreePage> {
    const checked = checkTree(request)
    return await this.#database.readAtOneInstant((client) => reads.tree(client, this.#sql, checked), 'beginLook')
  }

  depths(): Promise<readonly DepthRow[]> {
    return this.#database.readAtOneInstant((client) => reads.depths(client, this.#sql))
  }

  async register(worker: NewWorker, { now }: AtTime = {}): Promise<void> {
    const checked = checkWorker(worker)
    const { id, name, leaseMs } = checked
    checkNow(now)
    // What it will claim is known from now on, and need not be asked for again with every claim.
    await this.#database.makeTypes((checked.types ?? []).map((type) => ({ type })))
    const made = await this.#database.withClient((client) => {
      const row = { id, name, lease_ms: leaseMs, now: now ?? null, ...takenBy(checked) }
      return this.#sql.run(client, 'insertWorker', row)
    })
    if (made.length === 0) throw workerTaken(id)
  }

  async renew(request: RenewRequest): Promise<boolean> {
    const params = checkRenewal(request)
    const rows = await this.#database.withClient((client) => this.#sql.run(client, 'renewWorker', params))
    return rows.length === 1
  }

  async retire(workerId: string): Promise<void> {
    const id = checkPlainId(workerId, 'workerId')
    await this.#database.withClient((client) => this.#sql.run(client, 'removeWorker', { id }))
  }

  buryLost({ now }: AtTime = {}): Promise<readonly string[]> {
    return this.#database.transact(now, (tx, client) => work.buryLost(client, this.#sql, tx.now))
  }

  workers(): Promise<readonly WorkerRow[]> {
    return this.#database.withClient((client) => work.workers(client, this.#sql))
  }

  held(workerId: string): Promise<readonly HeldAttempt[]> {
    return this.#database.withClient((client) => work.held(client, this.#sql, checkPlainId(workerId, 'workerId')))
  }

  orphans(request: PageRequest): Promise<OrphansPage> {
    return this.#database.withClient((client) => work.orphans(client, this.#sql, checkPage(request)))
  }

  overdue(request: OverdueRequest): Promise<OverduePage> {
    return this.#database.withClient((client) => work.overdue(client, this.#sql, checkOverdue(request)))
  }

  async cancelBranch(request: BranchRequest): Promise<void> {
    const followUp = branchFollowUp(request)
    await this.#database.transact(undefined, (tx) => tx.addFollowUps([followUp]))
  }

  async followUp(request: FollowUpRequest): Promise<boolean> {
    const checked = checkFollowUp(request)
    return await this.#database.transact(checked.now, (tx) => followUp(tx, checked))
  }

  async move(request: MoveRequest, { now }: AtTime = {}): Promise<StoredJob> {
    const checked = checkMove(request)
    return await this.#database.transact(now, (tx) => move(tx, checked))
  }

  queue(request: QueueRequest): Promise<readonly StoredJob[]> {
    return this.#database.readAtOneInstant((client) => work.queue(client, this.#sql, checkQueue(request)))
  }

  async setLimit(limit: LimitInput): Promise<void> {
    const checked = checkLimitInput(limit, 'limit')
    await this.#database.transact(undefined, (tx) => setLimit(tx, checked))
    this.#notifier.changed()
  }

  async removeLimit(key: string): Promise<boolean> {
    const { key: checked } = checkLimitInput({ key }, 'limit')
    const isGone = await this.#database.transact(undefined, (tx) => removeLimit(tx, checked))
    this.#notifier.changed()
    return isGone
  }

  limits(): Promise<readonly LimitRow[]> {
    return this.#database.readAtOneInstant((client) => work.limits(client, this.#sql))
  }

  async pause(request: PauseRequest, { now }: AtTime = {}): Promise<void> {
    const checked = checkPause(request)
    if (checked.type !== null)
      await this.#database.withClient((client) => this.#database.types.make(client, [checked.type ?? '']))
    await this.#database.transact(now, (tx) => pause(tx, checked))
  }

  async resume(request: PauseRequest): Promise<boolean> {
    const checked = checkPause(request)
    const isGone = await this.#database.transact(undefined, (tx) => resume(tx, checked))
    this.#notifier.changed()
    return isGone
  }

  pauses(): Promise<readonly PauseRow[]> {
    return this.#database.withClient((client) => this.#sql.run<PauseRow>(client, 'allPauses'))
  }

  gates(jobIds: readonly string[]): Promise<readonly (ShutGate | null)[]> {
    return this.#database.readAtOneInstant((client) => work.gatesOf(client, this.#sql, jobIds))
  }

  async control<N extends ControlName>(
    name: N,
    input: Controls[N]['input'],
    { now, context }: ControlOptions = {},
  ): Promise<Controls[N]['output']> {
    const naming = input as NamingTypes
    await this.#database.makeTypes([naming, ...(Array.isArray(naming?.jobs) ? naming.jobs : [])])
    const output = await this.#database.transact(now, (tx) => control(tx, name, input, context))
    if (changesSomething(name, output)) this.#notifier.changed()
    return output
  }

  async report(reports: readonly Report[], { now }: AtTime = {}): Promise<readonly boolean[]> {
    checkNow(now)
    return await this.#database.repeatedly((client) => work.report(client, this.#sql, reports, now ?? null))
  }

  notes(jobId: string): Promise<Notes> {
    return this.#database.withClient((client) => work.notes(client, this.#sql, jobId))
  }

  logs(request: LogsRequest): Promise<readonly LogLine[]> {
    return this.#database.withClient((client) => work.logLines(client, this.#sql, checkLogs(request)))
  }

  async audit({ after, limit }: AuditRequest): Promise<AuditPage> {
    const position = { after: checkAfter(after), limit: checkLimit(limit) }
    return await this.#database.readAtOneInstant((client) => audit(client, this.#sql, position))
  }

  heartbeat(request: HeartbeatRequest, onBeat: (alive: boolean) => void): () => void {
    if (this.#database.isClosed) throw closed()
    return this.#heart.heartbeat(request, onBeat)
  }

  watch(onChange: () => void): () => void {
    if (this.#database.isClosed) throw closed()
    return this.#listener.watch(onChange)
  }

  async close(): Promise<void> {
    if (this.#database.isClosed) return
    this.#database.refuseMore()
    await Promise.all([this.#heart.close(), this.#listener.close(), this.#notifier.close()])
    await this.#database.end()
  }
}
