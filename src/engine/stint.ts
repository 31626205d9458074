import { StintError } from '../core/errors.ts'
import type { Answer } from '../core/job/commands.ts'
import { type Json, toJsonText } from '../core/json.ts'
import type { JobRunId } from '../core/names/ids.ts'
import { JobName, resolveName } from '../core/names/job-name.ts'
import type { NewSlotInput } from '../store/controls.ts'
import type { JobRef, LogLine, Store, StoredJob, SubmitResult, TreeNode, WorkerRow } from '../store/store.ts'
import { type Difference, verify } from '../store/verify.ts'
import { DefaultsApi } from './defaults-api.ts'
import { EndpointsApi, endpointsOf } from './endpoints-api.ts'
import type { Env } from './env.ts'
import { EventsApi } from './events-api.ts'
import { type FailuresQuery, type FailuresView, failuresOf } from './failures.ts'
import { LimitsApi, PausesApi, type PauseTarget } from './gates-api.ts'
import { GroupResults } from './group-results.ts'
import { GroupsApi } from './groups-api.ts'
import type { AnyJob, ResultOfJob, SubmitArguments } from './handler.ts'
import type { Duration } from './histogram.ts'
import { type JobHandle, type ResultOptions, resultOf } from './job-handle.ts'
import { type JobView, viewOf } from './job-view.ts'
import { JobsApi, type Page } from './jobs-api.ts'
import type { Sample } from './metrics.ts'
import { type DepthView, depthsOf, type TreeQuery, treeOf } from './overview.ts'
import { type JobReference, References, unknownJob } from './references.ts'
import { WorkApi } from './remote/work-api.ts'
import { Results } from './results.ts'
import { RetentionApi } from './retention-api.ts'
import { pastRunViews, type RunView, runViews } from './run-view.ts'
import { SchedulesApi } from './schedules-api.ts'
import { acting, shared } from './scope/acting-store.ts'
import { permitted } from './scope/permitted-store.ts'
import { Scope } from './scope/scope.ts'
import { scopedStore } from './scope/scoped-store.ts'
import { ShardsApi } from './shards/shards-api.ts'
import { type Graph, graphOf } from './slots/graph.ts'
import { PipelineBuilder } from './slots/pipeline-builder.ts'
import { Slot } from './slots/slot.ts'
import { SlotsApi } from './slots/slots-api.ts'
import type { SubmitOptions } from './submit-options.ts'
import { type From, type Parent, type SubmitItem, Submitter } from './submitter.ts'
import { Tail } from './tail/tail.ts'
import { TemplatesApi } from './templates-api.ts'
import type { Tracing } from './tracing.ts'
import { carryOutFollowUps } from './upkeep/carry-out-follow-ups.ts'
import type { Attempt } from './worker/attempt.ts'
import { Drainer } from './worker/drainer.ts'
import type { Surroundings } from './worker/make-context.ts'
import { messageOf } from './worker/outcome.ts'
import { Worker } from './worker/worker.ts'
import type { WorkerOptions } from './worker/worker-settings.ts'

/** What finds the job that somebody outside answers. */
export type AnswerReference =
  | { readonly id: string | JobRunId }
  | { readonly namespace?: string; readonly type: string; readonly key: string }

export interface LogQuery {
  readonly job: JobReference
  readonly attempt: number
  /** Only lines after this number. */
  readonly afterSeq?: number
  /** Default 1,000. */
  readonly limit?: number
}

/** Somebody who uses the same Stint. */
export interface Within {
  readonly path?: string | null
  readonly actor?: string
  readonly permit?: () => Promise<void>
  /** Puts something between them and the store. */
  readonly through?: (store: Store) => Store
}

/** Stint on one database: submits jobs, runs them, and tells what became of them. */
export class Stint {
  readonly #env: Env
  readonly #sample: JobRunId
  readonly #namespace: JobName
  readonly #references: References
  readonly #submitter: Submitter
  readonly #results: Results
  readonly #groupResults: GroupResults
  readonly #tracing: Tracing
  readonly #workers = new Set<Worker>()
  /** Jobs: get, list, cancel, retry. */
  readonly jobs: JobsApi
  /** Limits: set, get, list, remove. */
  readonly limits: LimitsApi
  /** What is paused: list. */
  readonly pauses: PausesApi
  /** Templates: create, get, list, update, activate, archive, submit. */
  readonly templates: TemplatesApi
  /** Schedules: create, get, list, preview, update, enable, disable, delete, trigger, backfill. */
  readonly schedules: SchedulesApi
  /** Groups: create, add, seal, run, cancel, reorder, get, list, members, result. */
  readonly groups: GroupsApi
  /** Defaults of paths: set, list, remove. */
  readonly defaults: DefaultsApi
  /** How long things are kept, by path: set, get, list, remove. */
  readonly retention: RetentionApi
  /** Sharded jobs: get and tasks. */
  readonly shards: ShardsApi
  /** Slots: create, delay, fill, fail, get, list. */
  readonly slots: SlotsApi
  /** Where running jobs are found: resolve, get and list. */
  readonly endpoints: EndpointsApi
  /** The event log: list and append; archived and readSegment for what has left it. */
  readonly events: EventsApi
  /** For workers outside of this process: claim, renew, complete, fail, report. */
  readonly work: WorkApi
  /** Follows the log, once for all who want to hear of it. */
  readonly tail: Tail
  readonly #watchAbove: (() => () => void) | null
  #watchers = 0
  #endWatch: (() => void) | null = null

  /** `watchAbove` hears of other processes on behalf of all who share a database here; without it each does on its own. */
  constructor(
    env: Env,
    sample: JobRunId,
    namespace: JobName,
    tracing: Tracing,
    watchAbove: (() => () => void) | null = null,
  ) {
    this.#env = env
    this.#watchAbove = watchAbove
    this.#sample = sample
    this.#namespace = namespace
    this.#tracing = tracing
    this.#references = new References(env.store, sample)
    this.#submitter = new Submitter(env, namespace, tracing, (parent) => this.#fromParent(parent))
    this.#results = new Results(env, () => this.#watch())
    this.#groupResults = new GroupResults(env, () => this.#watch())
    const view = (stored: StoredJob) => this.#view(stored)
    const handle = (stored: StoredJob) => this.#handle<Json>(stored)
    this.jobs = new JobsApi(env, this.#references, view, handle)
    this.limits = new LimitsApi(env.store)
    this.pauses = new PausesApi(env.store)
    this.templates = new TemplatesApi(env, namespace, async (job, params, options) => {
      return this.#created(await this.#submitter.submit(job, params, options))
    })
    this.schedules = new SchedulesApi(env, namespace)
    this.groups = new GroupsApi(env, namespace, {
      references: this.#references,
      results: this.#groupResults,
      submitMany: (items) => this.submitMany(items),
    })
    this.defaults = new DefaultsApi(env, namespace)
    this.retention = new RetentionApi(env, namespace)
    this.shards = new ShardsApi(env, this.#references, handle)
    this.slots = new SlotsApi(env, this.#references, namespace)
    this.endpoints = new EndpointsApi(env, namespace.namespace)
    this.events = new EventsApi(env, this.#references, namespace.namespace)
    this.tail = new Tail(env, () => this.#watch())
    this.work = new WorkApi(env, this.#references, { watch: () => this.#watch(), view })
  }

  /** The text of the JobRunId that the job with a name and a UUID has. */
  idOf({ name, id }: { readonly name: string; readonly id: string }): string {
    return this.#references.idFor(name, id)
  }

  /** The port beneath. What it takes and gives is not yet a stable interface. */
  get store(): Store {
    return this.#env.store
  }

  /**
   * The same Stint for somebody else: who acts stands in the log, and with a path only what is at it or below can be seen
   * and changed. Relative names begin there. What lies elsewhere is answered as if it were not there. `permit` is asked before
   * everything, and rejects once they may do nothing any more.
   */
  within({ path, actor, permit, through = (store) => store }: Within): Stint {
    const scope = path === undefined || path === null ? null : new Scope(JobName.parse(path))
    const own = through(this.#env.store)
    const whole = permit === undefined ? own : permitted(own, permit)
    const store = scope === null ? shared(whole) : scopedStore(whole, scope)
    const env = { ...this.#env, store: actor === undefined ? store : acting(store, actor) }
    return new Stint(env, this.#sample, scope?.path ?? this.#namespace, this.#tracing, () => this.#watch())
  }

  /** A path in full: without the first slash it begins where relative names do. */
  resolve(path: string): string {
    return resolveName(path, this.#namespace).toWire()
  }

  /** Creates a job and gives it back as it was stored: when this returns, the job is durable. */
  async submit<Job extends AnyJob | string>(
    job: Job,
    ...[params, options]: SubmitArguments<Job>
  ): Promise<JobHandle<Job extends AnyJob ? ResultOfJob<Job> : Json>> {
    return this.#created(await this.#submitter.submit(job, params, options))
  }

  #created<Result>(result: SubmitResult): JobHandle<Result> {
    if (result.outcome === 'refused') throw result.error
    return this.#handle(result.stored)
  }

  /** Creates many jobs in few transactions. Each has its own fate: what is wrong with one does not stop the others. */
  async submitMany(items: readonly SubmitItem[]): Promise<readonly PromiseSettledResult<JobHandle>[]> {
    const results = await this.#submitter.submitMany(items)
    return results.map((result) => {
      if (result instanceof Error) return { status: 'rejected', reason: result }
      if (result.outcome === 'refused') return { status: 'rejected', reason: result.error }
      return fulfilled(() => this.#handle<Json>(result.stored))
    })
  }

  /** Makes a worker. It runs nothing before `start`. */
  worker(options: WorkerOptions): Worker {
    const worker = new Worker(this.#watched(), options, this.#surroundings())
    this.#workers.add(worker)
    return worker
  }

  /** Runs what is ready without a worker, for tests: see `stint/testing`. */
  drainer(options: WorkerOptions): Drainer {
    return new Drainer(this.#env, options, this.#surroundings())
  }

  readonly runs = {
    /** The attempts of a job, in their order, also of one that was pruned. One that is still open has the status null. */
    list: async ({ job }: { readonly job: JobReference }): Promise<Page<RunView>> => {
      const stored = await this.#references.find(job)
      if (stored === null) return { items: await this.#pastRuns(job), cursor: null }
      const runs = await this.#env.store.runs(stored.job.id)
      return { items: runViews(stored, this.#references.idOf(stored), runs), cursor: null }
    },
    /** The log of one attempt. */
    log: async ({ job, attempt, afterSeq = 0, limit = 1_000 }: LogQuery): Promise<Page<LogLine>> => {
      const jobId = await this.#references.uuidOf(job)
      if (jobId === null) throw unknownJob(job)
      const items = await this.#env.store.logs({ jobId, attempt, afterSeq, limit })
      return { items, cursor: items.length < limit ? null : String(items.at(-1)?.seq) }
    },
  }

  readonly workers = {
    /** The workers that live, and those that were lost within a day. */
    list: async (): Promise<Page<WorkerRow>> => ({ items: await this.#env.store.workers(), cursor: null }),
  }

  /** Completes a job from outside. It must have started; one that is over is not found. */
  async complete(reference: AnswerReference, result?: unknown): Promise<JobView> {
    const text = toJsonText(result, 'result')
    return await this.#answer(reference, { kind: 'completed', resultDigest: null }, text)
  }

  /** Fails an attempt from outside. The job is tried again as its policy says. */
  async fail(reference: AnswerReference, error: unknown): Promise<JobView> {
    const ending = { kind: 'failed', error: messageOf(error), terminal: false, random: this.#env.random() } as const
    return await this.#answer(reference, ending, null)
  }

  /** From now on no job of a branch or a type starts; what runs goes on. */
  async pause(target: PauseTarget, { reason }: { readonly reason?: string } = {}): Promise<void> {
    await this.pauses.add(target, reason)
  }

  /** Lets the jobs of a branch or a type start again. False when it was not paused. */
  async resume(target: PauseTarget): Promise<boolean> {
    const isResumed = await this.pauses.remove(target)
    await carryOutFollowUps(this.#env)
    return isResumed
  }

  /** The jobs and slots at and below the name of a job, and the values that go from one to the other. */
  async graph(job: JobReference): Promise<Graph> {
    return await graphOf(this.#env.store, this.#references, await this.#references.require(job))
  }

  /**
   * What is directly below a path of the tree of names, or the namespaces, with how many jobs are there. Tasks of sharded jobs
   * are not shown, but counted with their job. Within a branch: what is below that.
   */
  async tree(query: TreeQuery = {}): Promise<Page<TreeNode>> {
    return await treeOf(this.#env.store, this.#namespace, query)
  }

  /** How many jobs wait and run, by namespace and type. Within a branch: nothing, unless it is a whole namespace. */
  async depths(): Promise<Page<DepthView>> {
    return await depthsOf(this.#env.store)
  }

  /** The newest jobs that failed for good, by cause. */
  async failures(query: FailuresQuery = {}): Promise<FailuresView> {
    const { branch, ...rest } = query
    const at = branch === undefined ? {} : { branch: resolveName(branch, this.#namespace).toWire() }
    return await failuresOf(this.#env.store, (stored) => this.#references.idOf(stored), { ...rest, ...at })
  }

  /** Derives every job again from its events and tells each difference to what is stored. */
  async verify(): Promise<{ readonly differences: readonly Difference[] }> {
    return { differences: await verify(this.#env.store) }
  }

  /** What was counted since the start of this process. */
  metrics(): readonly Sample[] {
    return this.#env.metrics.samples()
  }

  /** How long attempts took that ended in this process, by type. */
  durations(): readonly Duration[] {
    return this.#env.metrics.durations('stint_run_seconds')
  }

  /** Stops the workers that were made here, and closes the database. */
  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.stop()))
    this.#groupResults.close()
    await this.#results.close()
    this.#endWatch?.()
    this.#endWatch = null
    await this.#env.store.close()
  }

  async #pastRuns(job: JobReference): Promise<readonly RunView[]> {
    const past = await this.#references.findPast(job)
    return past === null ? [] : pastRunViews(past, past.jobRunId, await this.#env.store.runs(past.id))
  }

  async #answer(reference: AnswerReference, answer: Answer, result: string | null): Promise<JobView> {
    const stored = await this.#answered(reference)
    const [applied] = await this.#env.store.apply([{ job: stored.job.id, command: { type: 'answer', answer }, result }])
    if (applied === undefined || !applied.ok) throw applied?.error
    return this.#view(applied.stored)
  }

  async #answered(reference: AnswerReference): Promise<StoredJob> {
    if ('id' in reference) return await this.#references.require(reference.id)
    const { namespace = this.#namespace.namespace, type, key } = reference
    const ref: JobRef = { namespace, type, key }
    const [stored] = await this.#env.store.find([ref])
    if (stored !== undefined && stored !== null) return stored
    const message = `There is no live job of type ${type} with the key ${key} in ${namespace}.`
    throw new StintError('not_found', message, { namespace, type, key })
  }

  #surroundings(): Surroundings {
    return {
      idOf: (stored) => this.#references.idOf(stored),
      runIdOf: (stored) => this.#references.runIdOf(stored),
      submitFrom: (attempt, job, params, options) => this.#submitFrom(attempt, job, params, options),
      slotFrom: (attempt, name, about) => this.#slotFrom(attempt, name, about),
      buildFrom: (attempt, build) => this.#buildFrom(attempt, build),
      endpointsOf: (attempt) => endpointsOf(this.#env, attempt),
      inSpan: (stored, runId, run) => this.#tracing.inRunSpan(stored, runId, run),
    }
  }

  async #submitFrom(
    attempt: Attempt,
    job: AnyJob | string,
    params: unknown,
    options: SubmitOptions | undefined,
  ): Promise<JobHandle<never>> {
    return this.#created(await this.#submitter.submit(job, params, options, this.#fromOf(attempt)))
  }

  /** An attempt that runs elsewhere. Whether it still holds its job is decided when the job is written. */
  async #fromParent({ job, token }: Parent): Promise<From> {
    const stored = await this.#references.require(job)
    if (stored.job.cancelReason !== null) {
      const message = `Job ${stored.job.name} is to stop: it must not begin anything new.`
      throw new StintError('illegal_transition', message, { jobId: stored.job.id })
    }
    const parent = { jobId: stored.job.id, token }
    return { name: baseOf(stored.job), runId: this.#references.runIdOf(stored), parent }
  }

  #fromOf({ stored, token, signal }: Attempt): From {
    // A job that is to stop must not begin anything new.
    signal.throwIfAborted()
    const parent = { jobId: stored.job.id, token }
    return { name: baseOf(stored.job), runId: this.#references.runIdOf(stored), parent }
  }

  async #slotFrom<Value>(attempt: Attempt, name: string, about: Partial<NewSlotInput>): Promise<Slot<Value>> {
    const { name: base, parent } = this.#fromOf(attempt)
    const id = this.#env.newId()
    const path = JobName.parse(base).child(name).toWire()
    await this.#env.store.control('slot.create', { ...about, id, path, parent })
    return new Slot<Value>(this.#references.idFor(path, id), id)
  }

  /** The jobs and slots of a pipeline are made together, or none of them. */
  async #buildFrom(attempt: Attempt, build: (p: PipelineBuilder) => unknown): Promise<unknown> {
    const from = this.#fromOf(attempt)
    const { store, clock, newId } = this.#env
    const idOf = (uuid: string) => this.#references.idFor(from.name, uuid)
    const builder = new PipelineBuilder({ name: from.name, newId, idOf, now: () => clock.now() })
    const returned = await build(builder)
    const { jobs, slots } = builder.plan
    const { jobId: job, token } = from.parent
    await store.control('pipeline.build', { job, token, slots, jobs: await this.#submitter.prepare(jobs, from) })
    return returned
  }

  #view(stored: StoredJob): JobView {
    return viewOf(stored, this.#references.idOf(stored), this.#env.clock.now())
  }

  #handle<Result>(stored: StoredJob): JobHandle<Result> {
    const result = async (options?: ResultOptions) => {
      return resultOf(await this.#results.ended(stored.job.id, options)) as Result
    }
    const view = this.#view(stored)
    const output = new Slot<Result>(view.id, stored.job.id)
    return { ...view, result, toJSON: () => view, output }
  }

  /** Workers hear of other processes for as long as they live. */
  #watched(): Env {
    this.#watch()
    return this.#env
  }

  /** Begins to hear of what other processes change, once for all who want to. */
  #watch(): () => void {
    if (this.#watchAbove !== null) return this.#watchAbove()
    this.#watchers += 1
    this.#endWatch ??= this.#env.store.watch?.(() => this.#env.hub.tellAll()) ?? null
    let isOver = false
    return () => {
      if (!isOver) this.#watchers -= 1
      isOver = true
      if (this.#watchers > 0) return
      this.#endWatch?.()
      this.#endWatch = null
    }
  }
}

/** Whoever submits very many looks at few of them: what a handle shows is made when it is asked for. */
function fulfilled(make: () => JobHandle): PromiseFulfilledResult<JobHandle> {
  let made: JobHandle | null = null
  return {
    status: 'fulfilled',
    get value() {
      made ??= make()
      return made
    },
  }
}

/** The name below which an attempt submits: a task has no names below its own, so it is that of its job. */
function baseOf({ name, task }: StoredJob['job']): string {
  return task === null ? name : JobName.parse(name).requireTask().job.toWire()
}
