import type { Role } from '../core/access/key.ts'
import { StintError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Retention, RetentionPolicy } from '../core/retention/policy.ts'
import type { EndpointView } from '../engine/endpoints-api.ts'
import type { EventsQuery, OutsideEventInput } from '../engine/events-api.ts'
import type { FailuresQuery, FailuresView } from '../engine/failures.ts'
import type { LimitSettings, PauseTarget } from '../engine/gates-api.ts'
import type { GroupView, MemberView, NewGroupOptions } from '../engine/groups-api.ts'
import type { AnyJob, ResultOfJob, SubmitArguments } from '../engine/handler.ts'
import type { Instant } from '../engine/instants.ts'
import type { JobHandle, ResultOptions } from '../engine/job-handle.ts'
import type { JobView } from '../engine/job-view.ts'
import type { CancelOptions, EditOptions, JobNotes, JobsQuery, MoveTarget, Page } from '../engine/jobs-api.ts'
import type { DepthView, TreeQuery } from '../engine/overview.ts'
import type { Outlook, PreviewOptions, TimingOptions } from '../engine/preview-fires.ts'
import type { RecordsQuery } from '../engine/record-pages.ts'
import type { JobReference } from '../engine/references.ts'
import type { RunView } from '../engine/run-view.ts'
import type {
  BackfillOptions,
  BackfillView,
  FiredView,
  NewScheduleOptions,
  ScheduleOptions,
  ScheduleView,
} from '../engine/schedules-api.ts'
import type { IncrementalTaskState, ShardedJobState } from '../engine/shards/shards-api.ts'
import type { Graph } from '../engine/slots/graph.ts'
import { Slot } from '../engine/slots/slot.ts'
import type { SlotOptions, SlotView } from '../engine/slots/slots-api.ts'
import type { AnswerReference, LogQuery } from '../engine/stint.ts'
import type { NewTemplateOptions, SettingsOptions, TemplateOptions, TemplateView } from '../engine/templates-api.ts'
import type { DefaultsRow, RetentionRow } from '../store/controls.ts'
import type { LimitRow, LogEntry, LogLine, PauseRow, TreeNode, WorkerRow } from '../store/store.ts'
import { type StreamedEntry, type StreamOptions, streamed } from './stream.ts'
import { outputOf, type RemoteSubmitItem, type RemoteSubmitOptions, sent } from './submission.ts'
import { type ConnectOptions, Transport } from './transport.ts'
import { webhooksOf } from './webhooks.ts'

/** How long one request waits for the end of a job before it asks again. */
const waitMs = 25_000

type Paged = { readonly cursor?: string | null; readonly limit?: number }

/** Stint on a server elsewhere, with the verbs of the library. It works wherever there is `fetch`. */
export class Client {
  readonly #http: Transport

  constructor(options: ConnectOptions) {
    this.#http = new Transport(options)
  }

  /** What whoever holds this client may do. */
  async access(): Promise<AccessView> {
    return await this.#http.get('/access')
  }

  /** Creates a job: when this returns, the job is durable. */
  async submit<Job extends AnyJob | string>(
    job: Job,
    ...[params, options]: SubmitArguments<Job>
  ): Promise<JobHandle<Job extends AnyJob ? ResultOfJob<Job> : Json>> {
    const given = { job, params, options: options as RemoteSubmitOptions }
    return this.#handle(await this.#http.post<JobView>('/jobs', sent(given)))
  }

  /** Creates many jobs. Each has its own fate: what is wrong with one does not stop the others. */
  async submitMany(items: readonly RemoteSubmitItem[]): Promise<readonly PromiseSettledResult<JobHandle>[]> {
    return await this.#submitted('/jobs/batch', items)
  }

  async #submitted(path: string, items: readonly RemoteSubmitItem[]) {
    type Result = { readonly job: JobView } | { readonly problem: ProblemLike }
    const { results } = await this.#http.post<{ results: readonly Result[] }>(path, { jobs: items.map(sent) })
    return results.map((result): PromiseSettledResult<JobHandle> => {
      return 'job' in result
        ? { status: 'fulfilled', value: this.#handle<Json>(result.job) }
        : { status: 'rejected', reason: new StintError(result.problem.code, result.problem.detail) }
    })
  }

  readonly jobs = {
    /** A job by JobRunId, UUID or name; null when there is none. */
    get: (job: JobReference): Promise<JobView | null> => this.#find(textOf(job)),
    /** Those that are there, in this order. */
    getMany: async (ids: readonly string[]): Promise<readonly JobView[]> => {
      if (ids.length === 0) return []
      return (await this.#http.get<Page<JobView>>('/jobs', { query: { ids: ids.join(',') } })).items
    },
    list: (query: JobsQuery = {}): Promise<Page<JobView>> => {
      const { status, label, params, since, ...rest } = query
      return this.#http.get('/jobs', {
        query: {
          ...rest,
          ...(status === undefined ? {} : { status: status ?? 'FINISHED' }),
          ...(label === undefined ? {} : { label: `${label.name}=${label.value}` }),
          ...(params === undefined ? {} : { params: new URLSearchParams(params) }),
          ...(since === undefined ? {} : { since: since.toISOString() }),
        },
      })
    },
    queue: ({ type, limit }: { readonly type?: string; readonly limit?: number } = {}): Promise<Page<JobView>> => {
      return this.#http.get('/queue', { query: { type, limit } })
    },
    notes: async (job: JobReference): Promise<JobNotes> => this.#http.get(`${await this.#at(job)}/notes`),
    edit: async (job: JobReference, changes: EditOptions): Promise<JobView> =>
      this.#http.patch(await this.#at(job), changes),
    move: async (job: JobReference, to: MoveTarget): Promise<JobView> => {
      return this.#http.post(`${await this.#at(job)}/move`, { to: placeOf(to) })
    },
    cancel: async (job: JobReference, options: CancelOptions = {}): Promise<JobView> => {
      return this.#http.post(`${await this.#at(job)}/cancel`, options)
    },
    retry: async (job: JobReference): Promise<JobHandle> => {
      return this.#handle(await this.#http.post<JobView>(`${await this.#at(job)}/retry`))
    },
    /** Waits for the end of a job and gives its result, or rejects with a code that says how it ended instead. */
    result: async (job: JobReference, options: ResultOptions = {}): Promise<Json> => {
      return await this.#result(await this.#at(job), options)
    },
    graph: async (job: JobReference): Promise<Graph> => this.#http.get(`${await this.#at(job)}/graph`),
  }

  readonly runs = {
    list: async ({ job }: { readonly job: JobReference }): Promise<Page<RunView>> => {
      return this.#http.get(`${await this.#at(job)}/runs`)
    },
    log: async ({ job, attempt, afterSeq, limit }: LogQuery): Promise<Page<Omit<LogLine, 'at'> & { at: Date }>> => {
      return this.#http.get(`${await this.#at(job)}/runs/${attempt}/log`, { query: { cursor: afterSeq, limit } })
    },
  }

  readonly shards = {
    get: async (job: JobReference): Promise<ShardedJobState | null> => this.#http.get(`${await this.#at(job)}/shards`),
    tasks: async (job: JobReference, query: Paged = {}): Promise<Page<IncrementalTaskState>> => {
      return this.#http.get(`${await this.#at(job)}/shards/tasks`, { query })
    },
    /** Runs the tasks that were not done once more, as a new job. */
    retry: async (job: JobReference): Promise<JobHandle> => {
      return this.#handle(await this.#http.post<JobView>(`${await this.#at(job)}/shards/retry`))
    },
  }

  /** The same done to many jobs, in the background. */
  readonly operations = {
    begin: (operation: NewOperation): Promise<OperationView> => this.#http.post('/operations', operation),
    get: (id: string): Promise<OperationView> => this.#http.get(`/operations/${part(id)}`),
    list: (query: Paged = {}): Promise<Page<OperationView>> => this.#http.get('/operations', { query }),
    cancel: (id: string): Promise<OperationView> => this.#http.post(`/operations/${part(id)}/cancel`),
  }

  readonly templates = {
    ...this.#records<TemplateView, Typed<NewTemplateOptions>, TemplateOptions>('/templates'),
    activate: (template: string): Promise<TemplateView> => this.#http.post(`/templates/${part(template)}/activate`),
    archive: (template: string): Promise<TemplateView> => this.#http.post(`/templates/${part(template)}/archive`),
    submit: async (template: string, params?: JsonObject, options: RemoteSubmitOptions = {}): Promise<JobHandle> => {
      const body = sent({ params, options })
      return this.#handle(await this.#http.post<JobView>(`/templates/${part(template)}/jobs`, body))
    },
  }

  readonly schedules = {
    ...this.#records<ScheduleView, Typed<NewScheduleOptions>, Typed<ScheduleOptions>>('/schedules'),
    enable: (schedule: string): Promise<ScheduleView> => this.#http.post(`/schedules/${part(schedule)}/enable`),
    disable: (schedule: string): Promise<ScheduleView> => this.#http.post(`/schedules/${part(schedule)}/disable`),
    delete: (schedule: string): Promise<ScheduleView> => this.#http.delete(`/schedules/${part(schedule)}`),
    trigger: (schedule: string, options: { readonly overlap?: string } = {}): Promise<FiredView> => {
      return this.#http.post(`/schedules/${part(schedule)}/trigger`, options)
    },
    /** When it fires next, and which changes of clocks fall between. */
    fires: async (schedule: string, { from, until, count }: PreviewOptions = {}): Promise<Outlook> => {
      const query = { count, from: given(from), until: given(until) }
      return outlookOf(await this.#http.get(`/schedules/${part(schedule)}/fires`, { query }))
    },
    /** The same of a schedule that need not be there. */
    preview: async (timing: TimingOptions, options: PreviewOptions = {}): Promise<Outlook> => {
      const { from, until, ...rest } = options
      const body = { ...timing, ...rest, from: given(from), until: given(until) }
      return outlookOf(await this.#http.post('/schedules/preview', body))
    },
    backfill: async (schedule: string, options: BackfillOptions): Promise<readonly BackfillView[]> => {
      const body = { ...options, from: instantText(options.from), to: instantText(options.to) }
      const { items } = await this.#http.post<{ items: BackfillView[] }>(`/schedules/${part(schedule)}/backfill`, body)
      return items
    },
  }

  readonly groups = {
    ...this.#records<GroupView, NewGroupOptions, never>('/groups'),
    add: (group: string, jobs: readonly RemoteSubmitItem[]) => this.#submitted(`/groups/${part(group)}/jobs`, jobs),
    run: ({
      jobs,
      ...options
    }: NewGroupOptions & { readonly jobs: readonly RemoteSubmitItem[] }): Promise<GroupView> => {
      return this.#http.post('/groups', { ...options, jobs: jobs.map(sent) })
    },
    seal: (group: string): Promise<GroupView> => this.#http.post(`/groups/${part(group)}/seal`),
    cancel: (group: string, options: { readonly reason?: string } = {}): Promise<GroupView> => {
      return this.#http.post(`/groups/${part(group)}/cancel`, options)
    },
    reorder: (group: string, jobs: readonly JobReference[]): Promise<GroupView> => {
      return this.#http.post(`/groups/${part(group)}/reorder`, { jobs: jobs.map(textOf) })
    },
    members: (group: string, query: Paged = {}): Promise<Page<MemberView>> => {
      return this.#http.get(`/groups/${part(group)}/members`, { query })
    },
  }

  readonly slots = {
    create: async <Value = Json>(path: string, options: SlotOptions = {}): Promise<Slot<Value>> => {
      return outputOf((await this.#http.post<SlotView>('/slots', { path, ...options })).id)
    },
    fill: <Value>(slot: Slot<Value> | string, value: NoInfer<Value>): Promise<SlotView> => {
      return this.#http.post(`/slots/${part(slotText(slot))}/fill`, { value })
    },
    fail: (slot: Slot<unknown> | string, error: string): Promise<SlotView> => {
      return this.#http.post(`/slots/${part(slotText(slot))}/fail`, { error })
    },
    get: (slot: Slot<unknown> | string) => this.#orNull<SlotView>(`/slots/${part(slotText(slot))}`),
    list: (query: RecordsQuery = {}): Promise<Page<SlotView>> => this.#http.get('/slots', { query: { ...query } }),
  }

  readonly endpoints = {
    list: (query: Paged & { readonly namespace?: string } = {}): Promise<Page<EndpointView>> => {
      return this.#http.get('/endpoints', { query })
    },
    resolve: async (name: string, query: { readonly namespace?: string } = {}): Promise<string | null> => {
      return (await this.#orNull<EndpointView>(`/endpoints/${part(name)}`, query))?.url ?? null
    },
  }

  readonly limits = {
    set: (key: string, settings: LimitSettings): Promise<void> => this.#http.put('/limits', { key, ...settings }),
    list: (): Promise<Page<LimitRow>> => this.#http.get('/limits'),
    remove: (key: string): Promise<unknown> => this.#http.delete('/limits', { query: { key } }),
  }

  readonly defaults = {
    set: (path: string, settings: SettingsOptions): Promise<DefaultsRow> =>
      this.#http.put('/defaults', { path, ...settings }),
    list: (query: RecordsQuery = {}): Promise<Page<DefaultsRow>> =>
      this.#http.get('/defaults', { query: { ...query } }),
    remove: (path: string): Promise<unknown> => this.#http.delete('/defaults', { query: { path } }),
  }

  readonly retention = {
    set: (path: string, policy: RetentionPolicy): Promise<RetentionRow> =>
      this.#http.put('/retention', { path, ...policy }),
    get: (path: string): Promise<Retention> => this.#http.get('/retention/effective', { query: { path } }),
    list: (query: RecordsQuery = {}): Promise<Page<RetentionRow>> =>
      this.#http.get('/retention', { query: { ...query } }),
    remove: (path: string): Promise<unknown> => this.#http.delete('/retention', { query: { path } }),
  }

  readonly workers = {
    list: (): Promise<Page<RemoteWorker>> => this.#http.get('/workers'),
  }

  readonly pauses = {
    list: (): Promise<Page<Omit<PauseRow, 'since'> & { readonly since: Date }>> => this.#http.get('/pauses'),
  }

  /** What is directly below a path of the tree, with counts. */
  async tree(query: TreeQuery = {}): Promise<Page<TreeNode>> {
    return await this.#http.get('/tree', { query: { ...query } })
  }

  /** How many jobs wait and run, by namespace and type. */
  async depths(): Promise<Page<DepthView>> {
    return await this.#http.get('/depths')
  }

  /** How many jobs were submitted and ended in each ten seconds of the last hour. */
  async throughput(): Promise<Page<ThroughputPoint>> {
    return await this.#http.get('/throughput')
  }

  /** The newest jobs that failed for good, by cause. */
  async failures(query: FailuresQuery = {}): Promise<FailuresView> {
    return await this.#http.get('/failures', { query: { ...query } })
  }

  /** The server that answers: its version, its store, how it was started and how it is. */
  async server(): Promise<ServerView> {
    return await this.#http.get('/server')
  }

  readonly webhooks = webhooksOf(() => this.#http)

  readonly keys = {
    /** The key itself is in this answer, and nowhere else. */
    create: (key: NewKey): Promise<KeyView & { readonly key: string }> => this.#http.post('/keys', key),
    list: (query: Paged & { readonly all?: boolean } = {}): Promise<Page<KeyView>> =>
      this.#http.get('/keys', { query }),
    revoke: (id: string): Promise<KeyView> => this.#http.delete(`/keys/${part(id)}`),
  }

  readonly events = {
    list: ({ job, record, ...query }: EventsQuery = {}): Promise<Page<RemoteEntry>> => {
      const of = {
        job: job === undefined ? undefined : textOf(job),
        record: typeof record === 'object' ? record.id : record,
      }
      return this.#http.get('/events', { query: { ...query, ...of } })
    },
    append: async (event: OutsideEventInput): Promise<{ readonly outcome: 'recorded' | 'duplicate' }> => {
      const { job, ...rest } = event
      const body = { ...rest, ...(job === undefined ? {} : { job: textOf(job) }) }
      type Answer = { readonly results: readonly { readonly outcome: 'recorded' | 'duplicate' }[] }
      const { results } = await this.#http.post<Answer>('/events', body)
      return results[0] ?? { outcome: 'recorded' }
    },
    /** Entries as they are written, until the signal aborts; after a break it goes on where it was. */
    stream: (options: StreamOptions = {}): AsyncGenerator<StreamedEntry> => streamed(this.#http, options),
  }

  /** Completes a job from outside. It must have started; one that is over is not found. */
  async complete(reference: AnswerReference, result?: unknown): Promise<JobView> {
    return await this.#http.post('/answers/complete', {
      ...referenceOf(reference),
      ...(result === undefined ? {} : { result }),
    })
  }

  /** Fails an attempt from outside. The job is tried again as its policy says. */
  async fail(reference: AnswerReference, error: string): Promise<JobView> {
    return await this.#http.post('/answers/fail', { ...referenceOf(reference), error })
  }

  /** From now on no job of a branch or a type starts; what runs goes on. */
  async pause(target: PauseTarget, { reason }: { readonly reason?: string } = {}): Promise<void> {
    await this.#http.post('/pauses', { ...targetOf(target), ...(reason === undefined ? {} : { reason }) })
  }

  async resume(target: PauseTarget): Promise<void> {
    await this.#http.delete('/pauses', { query: targetOf(target) })
  }

  #records<View, New, Changes>(path: string) {
    return {
      create: (options: New): Promise<View> => this.#http.post(path, options),
      /** By id or path; null when there is none. */
      get: (ref: string): Promise<View | null> => this.#orNull<View>(`${path}/${part(ref)}`),
      list: (query: RecordsQuery = {}): Promise<Page<View>> => this.#http.get(path, { query: { ...query } }),
      update: (ref: string, changes: Changes): Promise<View> => this.#http.patch(`${path}/${part(ref)}`, changes),
    }
  }

  async #find(reference: string): Promise<JobView | null> {
    if (!reference.startsWith('/')) return await this.#orNull<JobView>(`/jobs/${part(reference)}`)
    const { items } = await this.#http.get<Page<JobView>>('/jobs', { query: { name: reference } })
    return items[0] ?? null
  }

  /** The address of a job. A name is looked up first: it stands in no path. */
  async #at(job: JobReference): Promise<string> {
    const text = textOf(job)
    if (!text.startsWith('/')) return `/jobs/${part(text)}`
    const found = await this.#find(text)
    if (found === null) throw new StintError('not_found', `There is no job "${text}".`, { job: text })
    return `/jobs/${part(found.id)}`
  }

  async #orNull<View>(path: string, query: Readonly<Record<string, unknown>> = {}): Promise<View | null> {
    try {
      return await this.#http.get<View>(path, { query })
    } catch (error) {
      if (error instanceof StintError && error.code === 'not_found') return null
      throw error
    }
  }

  #handle<Result>(view: JobView): JobHandle<Result> {
    const { result: _, ...rest } = view
    return {
      ...rest,
      output: outputOf<Result>(view.id),
      result: async (options) => (await this.#result(`/jobs/${part(view.id)}`, options)) as Result,
    }
  }

  async #result(at: string, { timeoutMs, signal }: ResultOptions = {}): Promise<Json> {
    const until = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs
    for (;;) {
      const wait = Math.max(0, Math.min(waitMs, Math.ceil(until - performance.now())))
      const job = await this.#http.get<JobView>(at, { query: { waitMs: wait }, ...(signal && { signal }) })
      if (job.state === 'final') return resultOf(job)
      if (performance.now() >= until)
        throw new StintError('wait_timeout', `Job ${job.name} has not ended yet.`, { jobId: job.id })
    }
  }
}

interface ProblemLike {
  readonly code: StintError['code']
  readonly detail: string
}

/** On the other side of a wire a definition is its type. */
type Typed<Options> = Omit<Options, 'job'> & { readonly type?: string }

/** A worker, with dates where the library has numbers. */
type Times = 'startedAt' | 'seenAt' | 'leaseUntil'
export type RemoteWorker = Omit<WorkerRow, Times | 'lostAt'> & { readonly [T in Times]: Date } & {
  readonly lostAt: Date | null
}

/** An entry of the log, the same. */
export type RemoteEntry = Omit<LogEntry, 'occurredAt' | 'receivedAt'> & {
  readonly occurredAt: Date
  readonly receivedAt: Date
}

/** Who somebody is to the server. */
export interface AccessView {
  /** Stands in the log with whatever they do. */
  readonly actor: string
  readonly role: Role
  /** The branch that they reach; null for everything. */
  readonly path: string | null
}

/** A server, as it tells of itself. What is null is not told to a key of a branch. */
export interface ServerView {
  readonly version: string
  readonly node: string
  readonly store: 'sqlite' | 'postgres'
  readonly startedAt: Date
  /** The time of the database. */
  readonly now: Date
  readonly storeMs: number
  readonly settings: {
    readonly requireKeys: boolean
    readonly commands: boolean
    readonly requestsPerSecond: number
    readonly basePath: string
    readonly allowedHosts: readonly string[]
    readonly allowedOrigins: readonly string[]
  } | null
  readonly process: {
    readonly residentBytes: number
    readonly eventLoopDelayMs: number
    readonly answered: number
    readonly refused: number
    readonly failed: number
    readonly meanMs: number | null
  } | null
  readonly counters: readonly { readonly name: string; readonly help: string; readonly value: number }[] | null
}

/** What was submitted and ended within ten seconds. */
export interface ThroughputPoint {
  readonly at: Date
  readonly submitted: number
  readonly completed: number
  /** For good. */
  readonly failed: number
  /** Or skipped. */
  readonly cancelled: number
}

/** Which jobs an operation is about. */
export type OperationFilter = Pick<JobsQuery, 'branch' | 'type' | 'outcome' | 'key' | 'label'> & {
  /** `FINISHED`: over, and not cancelled. */
  readonly status?: 'QUEUED' | 'RUNNING' | 'CANCELLED' | 'FINISHED'
}

export interface NewOperation {
  readonly action: 'cancel' | 'retry'
  readonly filter: OperationFilter
  readonly reason?: string
}

export interface OperationView extends Omit<NewOperation, 'reason'> {
  readonly id: string
  readonly status: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'
  readonly counts: { readonly done: number; readonly refused: number; readonly firstRefusal: string | null }
  readonly error: string | null
  readonly requestedBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export interface NewKey {
  readonly label: string
  readonly role: Role
  readonly path?: string | null
  readonly expiresAt?: Date
}

export interface KeyView {
  readonly id: string
  readonly label: string
  readonly role: Role
  readonly path: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

function resultOf({ id: jobId, name, outcome, status, result, error, attempt }: JobView): Json {
  if (outcome === 'COMPLETED' && status === null) return result
  const details = { jobId, name, attempt, error }
  if (status === 'CANCELLED') throw new StintError('job_cancelled', `Job ${name} was cancelled: ${error}`, details)
  if (outcome === 'SKIPPED') throw new StintError('job_skipped', `Job ${name} was skipped: ${error}`, details)
  throw new StintError('job_failed', `Job ${name} failed after ${attempt} attempts: ${error}`, details)
}

function part(text: string): string {
  return encodeURIComponent(text)
}

function textOf(reference: JobReference): string {
  if (typeof reference === 'string') return reference
  return 'id' in reference ? reference.id : reference.toString()
}

function slotText(slot: Slot<unknown> | string): string {
  return slot instanceof Slot ? slot.id : slot
}

function placeOf(to: MoveTarget): unknown {
  if (typeof to === 'string') return to
  return 'before' in to ? { before: textOf(to.before) } : { after: textOf(to.after) }
}

function targetOf(target: PauseTarget): { readonly path?: string; readonly type?: string } {
  return typeof target === 'string' ? { path: target } : target
}

function referenceOf(reference: AnswerReference): object {
  return 'id' in reference ? { job: reference.id.toString() } : reference
}

function given(instant: Instant | null | undefined): string | undefined {
  return instant === undefined || instant === null ? undefined : new Date(instant).toISOString()
}

/** A list of instants has no names that would say so. */
function outlookOf({ fires, ...rest }: Omit<Outlook, 'fires'> & { readonly fires: readonly string[] }): Outlook {
  return { ...rest, fires: fires.map((fire) => new Date(fire)) }
}

function instantText(instant: Instant): string {
  return instant instanceof Date ? instant.toISOString() : String(instant)
}
