import { StintError } from '../../src/core/errors.ts'
import type { LimitInput } from '../../src/core/gates/limit.ts'
import type { Run } from '../../src/core/job/job.ts'
import { append } from '../../src/store/append.ts'
import { apply } from '../../src/store/apply.ts'
import { checkLimitInput, checkMove, checkPause, checkQueue } from '../../src/store/check-gates.ts'
import { checkNow, checkPlainId } from '../../src/store/check-input.ts'
import {
  branchFollowUp,
  checkFollowUp,
  checkLogs,
  checkOverdue,
  checkPage,
  checkRenewal,
  checkWorker,
} from '../../src/store/check-work.ts'
import { checkClaim } from '../../src/store/claim-request.ts'
import { control } from '../../src/store/control/control.ts'
import type { ControlName, Controls } from '../../src/store/controls.ts'
import { followUp } from '../../src/store/follow-up.ts'
import { pause, removeLimit, resume, setLimit } from '../../src/store/gates.ts'
import { move } from '../../src/store/move.ts'
import { checkTree } from '../../src/store/reads/tree.ts'
import type { PastJob } from '../../src/store/retention/pasts.ts'
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
  Submission,
  SubmitResult,
  TreePage,
  TreeRequest,
  WorkerRow,
} from '../../src/store/store.ts'
import { submit } from '../../src/store/submit.ts'
import { claim } from './model-claim.ts'
import { complete } from './model-complete.ts'
import { ModelData } from './model-data.ts'
import * as gates from './model-gates.ts'
import { audit, findOne, logEnd, past, readLog, runsOf } from './model-reads.ts'
import { ModelTransaction } from './model-transaction.ts'
import * as trees from './model-trees.ts'
import * as work from './model-work.ts'

/**
 * The port in memory, as plain as it can be said: the shared flows over maps. Simulations run on it, and what a real store
 * answers is compared with what it answers. It is async only by microtasks, so nothing in it takes real time.
 */
export class ModelStore implements Store {
  readonly kind = 'sqlite'
  readonly data: ModelData
  readonly #clock: () => number
  #closed = false

  /** Two stores with the same data are two processes on one database. */
  constructor(data: ModelData = new ModelData(), clock: () => number = Date.now) {
    this.data = data
    this.#clock = clock
  }

  now(): Promise<number> {
    return Promise.resolve(this.#clock())
  }

  async submit(submissions: readonly Submission[], { now, turn }: InTurn = {}): Promise<readonly SubmitResult[]> {
    if (turn !== undefined) await turn.come
    const results = await this.#transact(now, (tx) => submit(tx, submissions))
    turn?.over()
    return results
  }

  async claim(request: ClaimRequest): Promise<readonly StoredJob[]> {
    const checked = checkClaim(request)
    return await this.#transact(checked.now, (tx) => claim(tx, this.data, checked))
  }

  apply(requests: readonly ApplyRequest[], { now }: AtTime = {}): Promise<readonly ApplyResult[]> {
    return this.#transact(now, (tx) => apply(tx, requests))
  }

  async complete(completions: readonly Completion[], { now }: AtTime = {}): Promise<Completed> {
    return await this.#transact(now, async (tx) => {
      const done: boolean[] = []
      for (const completion of completions) done.push(await complete(tx, this.data, completion))
      return { at: tx.now, done }
    })
  }

  append(events: readonly NewEvent[], { now }: AtTime = {}): Promise<readonly AppendResult[]> {
    return this.#transact(now, (tx) => append(tx, events))
  }

  find(refs: readonly JobRef[]): Promise<readonly (StoredJob | null)[]> {
    return this.#read((data) => refs.map((ref) => findOne(data, ref)))
  }

  past(refs: readonly PastRef[]): Promise<readonly (PastJob | null)[]> {
    return this.#read((data) => refs.map((ref) => past(data, ref)))
  }

  runs(jobId: string): Promise<readonly Run[]> {
    return this.#read((data) => runsOf(data, jobId))
  }

  events(request: EventsRequest): Promise<EventsPage> {
    return this.#read((data) => readLog(data, request))
  }

  logEnd(): Promise<string> {
    return this.#read(logEnd)
  }

  list(request: ListRequest): Promise<ListPage> {
    return this.#read((data) => work.list(data, request))
  }

  async tree(request: TreeRequest): Promise<TreePage> {
    const checked = checkTree(request)
    return await this.#read((data) => trees.tree(data, checked))
  }

  depths(): Promise<readonly DepthRow[]> {
    return this.#read(trees.depths)
  }

  async register(worker: NewWorker, { now }: AtTime = {}): Promise<void> {
    const checked = checkWorker(worker)
    await this.#transact(now, (tx) => work.register(this.data, checked, tx.now))
  }

  async renew(request: RenewRequest): Promise<boolean> {
    const { id, lease_ms: leaseMs, now } = checkRenewal(request)
    return await this.#transact(now ?? undefined, (tx) => work.renew(this.data, { id, leaseMs }, tx.now))
  }

  async retire(workerId: string): Promise<void> {
    const id = checkPlainId(workerId, 'workerId')
    await this.#transact(undefined, () => work.retire(this.data, id))
  }

  buryLost({ now }: AtTime = {}): Promise<readonly string[]> {
    return this.#transact(now, (tx) => work.buryLost(this.data, tx.now))
  }

  workers(): Promise<readonly WorkerRow[]> {
    return this.#read(work.workers)
  }

  async held(workerId: string): Promise<readonly HeldAttempt[]> {
    const id = checkPlainId(workerId, 'workerId')
    return await this.#read((data) => work.held(data, id))
  }

  async orphans(request: PageRequest): Promise<OrphansPage> {
    const page = checkPage(request)
    return await this.#read((data) => work.orphans(data, page))
  }

  async overdue(request: OverdueRequest): Promise<OverduePage> {
    const checked = checkOverdue(request)
    return await this.#read((data) => work.overdue(data, checked, checked.now ?? this.#clock()))
  }

  async cancelBranch(request: BranchRequest): Promise<void> {
    const left = branchFollowUp(request)
    await this.#transact(undefined, (tx) => tx.addFollowUps([left]))
  }

  async followUp(request: FollowUpRequest): Promise<boolean> {
    const checked = checkFollowUp(request)
    return await this.#transact(checked.now, (tx) => followUp(tx, checked))
  }

  async move(request: MoveRequest, { now }: AtTime = {}): Promise<StoredJob> {
    const checked = checkMove(request)
    return await this.#transact(now, (tx) => move(tx, checked))
  }

  async queue(request: QueueRequest): Promise<readonly StoredJob[]> {
    const checked = checkQueue(request)
    return await this.#read((data) => gates.queue(data, checked))
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
    return this.#read(gates.limits)
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
    return this.#read(gates.pauses)
  }

  gates(jobIds: readonly string[]): Promise<readonly (ShutGate | null)[]> {
    return this.#read((data) => jobIds.map((id) => gates.gateOf(data, id)))
  }

  control<N extends ControlName>(
    name: N,
    input: Controls[N]['input'],
    { now, context }: ControlOptions = {},
  ): Promise<Controls[N]['output']> {
    return this.#transact(now, (tx) => control(tx, name, input, context))
  }

  report(reports: readonly Report[], { now }: AtTime = {}): Promise<readonly boolean[]> {
    return this.#transact(now, () => work.report(this.data, reports))
  }

  notes(jobId: string): Promise<Notes> {
    return this.#read((data) => work.notes(data, jobId))
  }

  async logs(request: LogsRequest): Promise<readonly LogLine[]> {
    const checked = checkLogs(request)
    return await this.#read((data) => work.logs(data, checked))
  }

  audit(request: AuditRequest): Promise<AuditPage> {
    return this.#read((data) => audit(data, request))
  }

  close(): Promise<void> {
    this.#closed = true
    return Promise.resolve()
  }

  async #transact<T>(now: number | undefined, run: (tx: ModelTransaction) => T | Promise<T>): Promise<T> {
    if (this.#closed) throw closed()
    checkNow(now)
    return await this.data.transact(() => run(new ModelTransaction(this.data, now ?? this.#clock())))
  }

  /** Reads wait for their turn like writes: between two steps of a write there is nothing to be seen. */
  async #read<T>(read: (data: ModelData) => T): Promise<T> {
    if (this.#closed) throw closed()
    return await this.data.transact(() => read(this.data))
  }
}

function closed(): StintError {
  return new StintError('store_closed', 'The store was closed; nothing was done.')
}
