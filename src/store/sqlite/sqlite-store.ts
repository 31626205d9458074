import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StintError } from '../../core/errors.ts'
import type { LimitInput } from '../../core/gates/limit.ts'
import type { Run } from '../../core/job/job.ts'
import { append } from '../append.ts'
import { apply } from '../apply.ts'
import { type AuditRows, auditPage } from '../audit.ts'
import { startBeating } from '../beat-loop.ts'
import { checkLimitInput, checkMove, checkPause, checkQueue } from '../check-gates.ts'
import { checkAfter, checkLimit, checkNow, checkPlainId, isStorable } from '../check-input.ts'
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
import { type CompletionRow, completedTasks, completeRows } from '../completion.ts'
import { control } from '../control/control.ts'
import type { ControlName, Controls } from '../controls.ts'
import { writeWithEffects } from '../effects.ts'
import { followUp } from '../follow-up.ts'
import { pause, removeLimit, resume, setLimit } from '../gates.ts'
import { type JobRow, storedJob } from '../job-row.ts'
import { move } from '../move.ts'
import { type Inserted, type PlainRows, submitPlain, type Writes } from '../plain-submission.ts'
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
import { claim } from './claim.ts'
import { type Claimed, claimedJobs } from './claimed.ts'
import { complete } from './complete.ts'
import { begin, connect, isTaken, migrate, whenFree } from './connection.ts'
import { insertPlain } from './insert-plain.ts'
import { eventsPage } from './log.ts'
import * as reads from './reads.ts'
import { SplitJobs } from './split-jobs.ts'
import { SqliteTransaction } from './sqlite-transaction.ts'
import { Statements } from './statements.ts'
import type { SqliteOptions } from './threaded-store.ts'
import { watchDatabase } from './watch.ts'
import * as work from './work.ts'

export { openSqliteStore, type SqliteOptions } from './threaded-store.ts'

/** Opens a store in the calling thread, which must not be busy for long: while it is, it may hold the file's write lock. */
export async function openSqliteStoreHere(options: SqliteOptions): Promise<SqliteStore> {
  const db = await connect(options.file)
  try {
    await migrate(db)
    // Readers see what is committed, on a connection of their own. A database in memory has only the one.
    return new SqliteStore(db, options.file === ':memory:' ? null : await connect(options.file))
  } catch (error) {
    db.close()
    throw error
  }
}

/** A method call that waits to be done: its work, and whom to tell. */
interface Work {
  readonly now: number | undefined
  readonly run: (tx: SqliteTransaction) => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Tells the caller what became of its work. */
type Answer = () => void

/** How many calls share one commit at the most, so that no caller waits long behind a crowd. */
const groupMax = 256

export class SqliteStore implements Store {
  readonly kind = 'sqlite'
  readonly #db: DatabaseSync
  readonly #reader: DatabaseSync | null
  readonly #sql: Statements
  readonly #readerSql: Statements | null
  readonly #typeIds = new Map<string, number>()
  readonly #splitJobs = new SplitJobs()
  readonly #waiting: Work[] = []
  readonly #stops = new Set<() => void>()
  #busy: Promise<void> | null = null
  /** Whether something was committed in this turn of the event loop. */
  #hasCommitted = false
  #closed = false

  constructor(db: DatabaseSync, reader: DatabaseSync | null) {
    this.#db = db
    this.#reader = reader
    this.#sql = new Statements(db)
    this.#readerSql = reader === null ? null : new Statements(reader)
  }

  now(): Promise<number> {
    return Promise.resolve(Date.now())
  }

  submit(submissions: readonly Submission[], { now, turn }: InTurn = {}): Promise<readonly SubmitResult[]> {
    const at = now === undefined ? {} : { now }
    const writes: Writes = {
      insert: (rows) => () => this.insertPlain(rows, at),
      submit: () => this.submitAny(submissions, at),
    }
    return submitPlain(submissions, writes, turn)
  }

  submitAny(submissions: readonly Submission[], { now }: AtTime): Promise<readonly SubmitResult[]> {
    return this.#transact(now, (tx) => submit(tx, submissions))
  }

  async insertPlain(rows: PlainRows, { now }: AtTime): Promise<Inserted | null> {
    try {
      return await this.#transact(now, (tx) => insertPlain(tx, this.#sql, rows))
    } catch (error) {
      if (isTaken(error)) return null
      throw error
    }
  }

  async claim(request: ClaimRequest): Promise<readonly StoredJob[]> {
    return claimedJobs(await this.claimRows(request), request)
  }

  /** A claim whose jobs are still rows: so they travel from one thread to another at little cost. */
  async claimRows(request: ClaimRequest): Promise<Claimed> {
    const checked = checkClaim(request)
    return await this.#transact(checked.now, async (tx) => {
      const rows = await claim(tx, this.#sql, checked)
      return { rows, types: checked.types.map((type) => [tx.typeId(type), type]) }
    })
  }

  apply(requests: readonly ApplyRequest[], { now }: AtTime = {}): Promise<readonly ApplyResult[]> {
    return this.#transact(now, (tx) => apply(tx, requests))
  }

  complete(completions: readonly Completion[], options: AtTime = {}): Promise<Completed> {
    return completeRows(completions, options, (rows, at) => this.completeRows(rows, at))
  }

  /** Completions that were made into rows: so they travel from one thread to another at little cost. */
  completeRows(rows: readonly CompletionRow[], { now }: AtTime): Promise<Completed> {
    return this.#transact(now, async (tx) => {
      const done = complete(this.#sql, rows, tx.now)
      await advanceCompleted(tx, completedTasks(rows, done), writeWithEffects)
      return { at: tx.now, done }
    })
  }

  append(events: readonly NewEvent[], { now }: AtTime = {}): Promise<readonly AppendResult[]> {
    return this.#transact(now, (tx) => append(tx, events))
  }

  find(refs: readonly JobRef[]): Promise<readonly (StoredJob | null)[]> {
    return this.#read((sql) => refs.map((ref) => findOne(sql, ref)))
  }

  past(refs: readonly PastRef[]): Promise<readonly (PastJob | null)[]> {
    return this.#read((sql) => refs.map((ref) => work.past(sql, ref)))
  }

  runs(jobId: string): Promise<readonly Run[]> {
    return this.#read((sql) => {
      const rows = sql.all<RunRow>('runsOfJobs', { pks: JSON.stringify([work.anyKeyOf(sql, jobId)]) })
      return rows.map((row) => runOfRow(jobId, row))
    })
  }

  events(request: EventsRequest): Promise<EventsPage> {
    return this.#read((sql) => eventsPage(sql, request))
  }

  logEnd(): Promise<string> {
    return this.#read((sql) => String(sql.get<{ log_id: number }>('logEnd', {})?.log_id ?? 0))
  }

  list(request: ListRequest): Promise<ListPage> {
    return this.#read((sql) => reads.list(sql, listParams(request)))
  }

  tree(request: TreeRequest): Promise<TreePage> {
    return this.#read((sql) => reads.tree(sql, checkTree(request)))
  }

  depths(): Promise<readonly DepthRow[]> {
    return this.#read(reads.depths)
  }

  async register(worker: NewWorker, { now }: AtTime = {}): Promise<void> {
    const checked = checkWorker(worker)
    const { id, name, leaseMs } = checked
    const made = await this.#transact(now, (tx) => {
      const row = { id, name, now: tx.now, lease_ms: leaseMs, ...takenBy(checked) }
      return this.#sql.run('insertWorker', row)
    })
    if (made === 0) throw workerTaken(id)
  }

  async renew(request: RenewRequest): Promise<boolean> {
    const { now, ...checked } = checkRenewal(request)
    return await this.#transact(now ?? undefined, (tx) => {
      return this.#sql.run('renewWorker', { ...checked, now: tx.now }) === 1
    })
  }

  async retire(workerId: string): Promise<void> {
    const id = checkPlainId(workerId, 'workerId')
    await this.#transact(undefined, () => this.#sql.run('removeWorker', { id }))
  }

  buryLost({ now }: AtTime = {}): Promise<readonly string[]> {
    return this.#transact(now, (tx) => work.buryLost(this.#sql, tx.now))
  }

  workers(): Promise<readonly WorkerRow[]> {
    return this.#read(work.workers)
  }

  held(workerId: string): Promise<readonly HeldAttempt[]> {
    return this.#read((sql) => work.held(sql, checkPlainId(workerId, 'workerId')))
  }

  orphans(request: PageRequest): Promise<OrphansPage> {
    return this.#read((sql) => work.orphans(sql, checkPage(request)))
  }

  overdue(request: OverdueRequest): Promise<OverduePage> {
    return this.#read((sql) => work.overdue(sql, checkOverdue(request)))
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
    return this.#read((sql) => work.queue(sql, checkQueue(request)))
  }

  async setLimit(limit: LimitInput): Promise<void> {
    const checked = checkLimitInput(limit, 'limit')
    await this.#transact(undefined, (tx) => setLimit(tx, checked))
  }

  async removeLimit(key: string): Promise<boolean> {
    const { key: checked } = checkLimitInput({ key }, 'limit')
    return await this.#transact(undefined, (tx) => removeLimit(tx, checked))
  }

  limits(): Promise<readonly LimitRow[]> {
    return this.#read(work.limits)
  }

  async pause(request: PauseRequest, { now }: AtTime = {}): Promise<void> {
    const checked = checkPause(request)
    await this.#transact(now, (tx) => pause(tx, checked))
  }

  async resume(request: PauseRequest): Promise<boolean> {
    const checked = checkPause(request)
    return await this.#transact(undefined, (tx) => resume(tx, checked))
  }

  pauses(): Promise<readonly PauseRow[]> {
    return this.#read((sql) => sql.all<PauseRow>('allPauses', {}))
  }

  gates(jobIds: readonly string[]): Promise<readonly (ShutGate | null)[]> {
    return this.#read((sql) => jobIds.map((id) => work.gateOf(sql, id)))
  }

  control<N extends ControlName>(
    name: N,
    input: Controls[N]['input'],
    { now, context }: ControlOptions = {},
  ): Promise<Controls[N]['output']> {
    return this.#transact(now, (tx) => control(tx, name, input, context))
  }

  report(reports: readonly Report[], { now }: AtTime = {}): Promise<readonly boolean[]> {
    return this.#transact(now, (tx) => work.report(this.#sql, reports, tx.now))
  }

  notes(jobId: string): Promise<Notes> {
    return this.#read((sql) => work.notes(sql, jobId))
  }

  logs(request: LogsRequest): Promise<readonly LogLine[]> {
    return this.#read((sql) => work.logLines(sql, checkLogs(request)))
  }

  audit({ after, limit }: AuditRequest): Promise<AuditPage> {
    return this.#read((sql) => auditPage(auditRows(sql, checkAfter(after), checkLimit(limit)), limit))
  }

  heartbeat(request: HeartbeatRequest, onBeat: (alive: boolean) => void): () => void {
    return this.#until(startBeating({ leaseMs: request.leaseMs, renew: () => this.renew(request), onBeat }))
  }

  watch(onChange: () => void): () => void {
    if (this.#closed) throw closed()
    // Nobody else can see a database in memory.
    return this.#reader === null ? () => {} : this.#until(watchDatabase(this.#db, onChange))
  }

  /** What runs beside the calls must not outlive the connections. */
  #until(stop: () => void): () => void {
    this.#stops.add(stop)
    return () => {
      this.#stops.delete(stop)
      stop()
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const stop of this.#stops) stop()
    await this.#busy
    this.#reader?.close()
    this.#db.close()
  }

  /** Runs work in a transaction, together with whatever else waits at this moment: one commit, one sync of the disk. */
  #transact<T>(now: number | undefined, run: (tx: SqliteTransaction) => T | Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed())
    return new Promise<T>((resolve, reject) => {
      checkNow(now)
      this.#waiting.push({ now, run, resolve: resolve as (value: unknown) => void, reject })
      this.#busy ??= this.#drain()
    })
  }

  async #drain(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        // Calls made in one moment come together. Whoever calls again and again leaves everybody else a turn of the event loop.
        await (this.#hasCommitted ? nextTurn() : null)
        this.#noteCommit()
        await this.#commitGroup(this.#waiting.splice(0, groupMax))
      }
    } finally {
      this.#busy = null
    }
  }

  #noteCommit(): void {
    if (this.#hasCommitted) return
    this.#hasCommitted = true
    setImmediate(() => {
      this.#hasCommitted = false
    })
  }

  /** Nobody is answered before the commit: an answer says that the work is durable. */
  async #commitGroup(group: readonly Work[]): Promise<void> {
    try {
      await begin(this.#db)
      const answers = (await this.#runAll(group)) ?? (await this.#runEach(group))
      this.#db.exec('commit')
      for (const answer of answers) answer()
    } catch (error) {
      try {
        this.#undo('rollback')
      } finally {
        for (const { reject } of group) reject(error)
      }
    }
  }

  /** All calls of the group, none of which can be undone alone: for that SQLite copies every page that it changes. Null when one throws. */
  async #runAll(group: readonly Work[]): Promise<readonly Answer[] | null> {
    try {
      const answers: Answer[] = []
      for (const work of group) answers.push(await this.#run(work))
      return answers
    } catch (error) {
      if (group.length === 1) throw error
      this.#undo('rollback')
      await begin(this.#db)
      return null
    }
  }

  async #runEach(group: readonly Work[]): Promise<readonly Answer[]> {
    const answers: Answer[] = []
    for (const work of group) answers.push(await this.#runOne(work))
    return answers
  }

  /** One call within the group. When it throws, what it did is undone, and the others go on. */
  async #runOne(work: Work): Promise<Answer> {
    this.#db.exec('savepoint one')
    try {
      const answer = await this.#run(work)
      this.#db.exec('release one')
      return answer
    } catch (error) {
      // Some failures, a full disk among them, end the whole transaction: then there is nothing left to go on with.
      if (!this.#db.isTransaction) throw error
      this.#undo('rollback to one; release one')
      return () => work.reject(error)
    }
  }

  async #run({ now, run, resolve }: Work): Promise<Answer> {
    const kept = { typeIds: this.#typeIds, splitJobs: this.#splitJobs }
    const value = await run(new SqliteTransaction(this.#sql, kept, now ?? Date.now()))
    return () => resolve(value)
  }

  #undo(how: string): void {
    this.#typeIds.clear()
    this.#splitJobs.clear()
    if (this.#db.isTransaction) this.#db.exec(how)
  }

  /** Reads at one instant. Now and then a reader, too, finds the file locked: while others repair it after a crash. */
  async #read<T>(read: (sql: Statements) => T): Promise<T> {
    if (this.#closed) throw closed()
    const [reader, sql] = [this.#reader, this.#readerSql]
    if (reader === null || sql === null) return await this.#transact(undefined, () => read(this.#sql))
    return await whenFree(() => {
      reader.exec('begin')
      try {
        return read(sql)
      } finally {
        reader.exec('commit')
      }
    })
  }
}

function findOne(sql: Statements, ref: JobRef): StoredJob | null {
  if ('id' in ref) {
    const [row] = sql.all<JobRow>('jobsById', { ids: JSON.stringify([ref.id]) })
    return row === undefined ? null : storedJob(row)
  }
  const found = 'key' in ref ? keyHolder(sql, ref) : nameHolder(sql, ref.name)
  if (found === undefined) return null
  const [row] = sql.all<JobRow>('jobsByKey', { pks: JSON.stringify([found.pk]) })
  return row === undefined ? null : storedJob(row)
}

function nameHolder(sql: Statements, name: string): { pk: number | null } | undefined {
  return isStorable(name) ? sql.get<{ pk: number | null }>('jobKeyOfName', { name }) : undefined
}

function keyHolder(sql: Statements, { namespace, type, key }: Extract<JobRef, { key: string }>) {
  if (![namespace, type, key].every(isStorable)) return undefined
  const id = sql.get<{ id: number }>('typeIdByName', { name: type })?.id
  return id === undefined ? undefined : sql.get<{ pk: number }>('jobKeyHoldingKey', { namespace, type: id, key })
}

function auditRows(sql: Statements, after: number, limit: number): AuditRows {
  const keys = sql.all<{ pk: number }>('auditedKeysAfter', { after, limit }).map(({ pk }) => pk)
  const pks = JSON.stringify(keys)
  return {
    pks: keys,
    jobs: [...sql.all<JobRow>('jobsByKey', { pks })].sort((a, b) => a.pk - b.pk),
    groups: sql.all('groupsAudited', { pks }),
    sharded: sql.all('shardedAudited', { pks }),
    events: sql.all('eventsOfJobs', { pks }),
    runs: sql.all('runsOfJobs', { pks }),
    seats: sql.all('seatsOf', { pks }),
    waits: sql.all('openWaitsOf', { pks }),
    deadlines: sql.all('deadlinesOf', { pks }),
    handles: sql.all('handlesOf', { pks }),
    strays: keys.length < limit ? strayNames.flatMap((name) => sql.all<StraySeat>(name, {})) : [],
  }
}

const strayNames = ['straySeats', 'strayHandles', 'strayMembers'] as const

function closed(): StintError {
  return new StintError('store_closed', 'The store was closed; nothing was done.')
}
