import { StintError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Retention, RetentionPolicy } from '../core/retention/policy.ts'
import type { EndpointView } from '../engine/endpoints-api.ts'
import type { EventsQuery, OutsideEventInput } from '../engine/events-api.ts'
import type { FailuresQuery, FailuresView } from '../engine/failures.ts'
import type { LimitSettings, PauseTarget } from '../engine/gates-api.ts'
import type { GroupView, MemberView, NewGroupOptions } from '../engine/groups-api.ts'
import type { AnyJob, ResultOfJob, SubmitArguments } from '../engine/handler.ts'
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
import type { IncrementalTaskState, RetryShardsOptions, ShardedJobState } from '../engine/shards/shards-api.ts'
import type { Graph } from '../engine/slots/graph.ts'
import type { Slot } from '../engine/slots/slot.ts'
import type { DelayOptions, SlotOptions, SlotView } from '../engine/slots/slots-api.ts'
import type { AnswerReference, LogQuery } from '../engine/stint.ts'
import type { NewTemplateOptions, SettingsOptions, TemplateOptions, TemplateView } from '../engine/templates-api.ts'
import type { DefaultsRow, RetentionRow } from '../store/controls.ts'
import type { AppendResult, LimitRow, LogLine, PauseRow, TreeNode } from '../store/store.ts'
import { operationsOf } from './operations.ts'
import { type StreamedEntry, type StreamOptions, streamed } from './stream.ts'
import { outputOf, type RemoteSubmitItem, type RemoteSubmitOptions, sent } from './submission.ts'
import { type ConnectOptions, Transport } from './transport.ts'
import type {
  AccessView,
  KeyView,
  NewKey,
  RemoteEntry,
  RemoteWorker,
  ServerView,
  ThroughputPoint,
  Typed,
} from './views.ts'
import { webhooksOf } from './webhooks.ts'
import {
  type Appended,
  errorOfProblem,
  eventBody,
  given,
  instantText,
  outlookOf,
  type ProblemLike,
  part,
  placeOf,
  referenceOf,
  resultOf,
  slotText,
  targetOf,
  textOf,
} from './wire.ts'

/** How long one request waits for the end of a job before it asks again. */
const waitMs = 25_000

/** How many jobs one request may bring. */
const batchMax = 10_000

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

  /** So many at a time as a request may bring. */
  async #submitted(path: string, items: readonly RemoteSubmitItem[]) {
    type Result = { readonly job: JobView } | { readonly problem: ProblemLike }
    const all: Result[] = []
    for (let i = 0; i < items.length; i += batchMax) {
      const jobs = items.slice(i, i + batchMax).map(sent)
      all.push(...(await this.#http.post<{ results: readonly Result[] }>(path, { jobs })).results)
    }
    return all.map((result): PromiseSettledResult<JobHandle> => {
      return 'job' in result
        ? { status: 'fulfilled', value: this.#handle<Json>(result.job) }
        : { status: 'rejected', reason: errorOfProblem(result.problem) }
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
    /** A file that an attempt left: one of `artifacts` of its run. */
    artifact: async (file: { readonly job: JobReference; readonly attempt: number; readonly path: string }) => {
      const { job, attempt, path } = file
      return await this.#http.bytes(`${await this.#at(job)}/runs/${attempt}/artifact`, { query: { path } })
    },
    log: async ({ job, attempt, afterSeq, limit }: LogQuery): Promise<Page<Omit<LogLine, 'at'> & { at: Date }>> => {
      return this.#http.get(`${await this.#at(job)}/runs/${attempt}/log`, { query: { cursor: afterSeq, limit } })
    },
  }

  readonly shards = {
    /** Null for a job that is not split into tasks. */
    get: async (job: JobReference): Promise<ShardedJobState | null> => this.#orNull(`${await this.#at(job)}/shards`),
    /** Runs the tasks that were not done once more, and those that are named, as a new job. */
    retry: async (job: JobReference, options: Omit<RetryShardsOptions, 'id'> = {}): Promise<JobHandle> => {
      return this.#handle(await this.#http.post<JobView>(`${await this.#at(job)}/shards/retry`, options))
    },
    tasks: async (job: JobReference, query: Paged = {}): Promise<Page<IncrementalTaskState>> => {
      return this.#http.get(`${await this.#at(job)}/shards/tasks`, { query })
    },
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
    /** When it fires next, in words, too, and which changes of clocks fall between. */
    outlook: async (schedule: string, options: PreviewOptions = {}): Promise<Outlook> => {
      const { from, until, count } = options
      const query = { count, from: given(from), until: given(until) }
      return outlookOf(await this.#http.get(`/schedules/${part(schedule)}/fires`, { query }))
    },
    /** The same of a schedule that need not be there. */
    previewTiming: async (timing: TimingOptions, options: PreviewOptions = {}): Promise<Outlook> => {
      const { from, until, ...rest } = options
      const body = { ...timing, ...rest, from: given(from), until: given(until) }
      return outlookOf(await this.#http.post('/schedules/preview', body))
    },
    /** When it fires next. */
    preview: async (schedule: string, query: { readonly count?: number } = {}): Promise<readonly string[]> => {
      type Fires = { readonly fires: readonly string[] }
      return (await this.#http.get<Fires>(`/schedules/${part(schedule)}/fires`, { query })).fires
    },
    trigger: (schedule: string, options: { readonly overlap?: string } = {}): Promise<FiredView> => {
      return this.#http.post(`/schedules/${part(schedule)}/trigger`, options)
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
    /** Waits until all members are over. */
    result: async (group: string, { timeoutMs, signal }: ResultOptions = {}): Promise<GroupView> => {
      const isOver = ({ finishedAt }: GroupView) => finishedAt !== null
      const what = `Group ${group}`
      return await this.#waited<GroupView>(`/groups/${part(group)}`, isOver, what, { timeoutMs, signal })
    },
    members: (group: string, query: Paged = {}): Promise<Page<MemberView>> => {
      return this.#http.get(`/groups/${part(group)}/members`, { query })
    },
  }

  readonly slots = {
    create: async <Value = Json>(path: string, options: SlotOptions = {}): Promise<Slot<Value>> => {
      return outputOf((await this.#http.post<SlotView>('/slots', { path, ...options })).id)
    },
    /** One that fills itself when its time has come. */
    delay: async <Value = null>(path: string, until: Date, options: DelayOptions = {}): Promise<Slot<Value>> => {
      return outputOf((await this.#http.post<SlotView>('/slots', { path, dueAt: until, ...options })).id)
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
    get: (name: string, query: { readonly namespace?: string } = {}): Promise<EndpointView | null> => {
      return this.#orNull<EndpointView>(`/endpoints/${part(name)}`, query)
    },
    resolve: async (name: string, query: { readonly namespace?: string } = {}): Promise<string | null> => {
      return (await this.endpoints.get(name, query))?.url ?? null
    },
  }

  readonly limits = {
    set: (key: string, settings: LimitSettings): Promise<void> => this.#http.put('/limits', { key, ...settings }),
    get: async (key: string): Promise<LimitRow | null> => {
      return (await this.limits.list()).items.find((limit) => limit.key === key) ?? null
    },
    list: (): Promise<Page<LimitRow>> => this.#http.get('/limits'),
    /** False when there is none. */
    remove: (key: string): Promise<boolean> => this.#removed('/limits', { key }),
  }

  readonly defaults = {
    set: (path: string, settings: SettingsOptions): Promise<DefaultsRow> =>
      this.#http.put('/defaults', { path, ...settings }),
    list: (query: RecordsQuery = {}): Promise<Page<DefaultsRow>> =>
      this.#http.get('/defaults', { query: { ...query } }),
    remove: (path: string): Promise<boolean> => this.#removed('/defaults', { path }),
  }

  readonly retention = {
    set: (path: string, policy: RetentionPolicy): Promise<RetentionRow> =>
      this.#http.put('/retention', { path, ...policy }),
    get: (path: string): Promise<Retention> => this.#http.get('/retention/effective', { query: { path } }),
    list: (query: RecordsQuery = {}): Promise<Page<RetentionRow>> =>
      this.#http.get('/retention', { query: { ...query } }),
    remove: (path: string): Promise<boolean> => this.#removed('/retention', { path }),
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

  readonly keys = {
    /** The key itself is in this answer, and nowhere else. */
    create: (key: NewKey): Promise<KeyView & { readonly key: string }> => this.#http.post('/keys', key),
    list: (query: Paged & { readonly all?: boolean } = {}): Promise<Page<KeyView>> =>
      this.#http.get('/keys', { query }),
    get: (id: string): Promise<KeyView | null> => this.#orNull(`/keys/${part(id)}`),
    revoke: (id: string): Promise<KeyView> => this.#http.delete(`/keys/${part(id)}`),
  }

  /** What is done to many jobs at once, in the background. */
  readonly operations = operationsOf(() => this.#http)

  readonly webhooks = webhooksOf(() => this.#http)

  readonly events = {
    list: ({ job, record, ...query }: EventsQuery = {}): Promise<Page<RemoteEntry>> => {
      const of = {
        job: job === undefined ? undefined : textOf(job),
        record: typeof record === 'object' ? record.id : record,
      }
      return this.#http.get('/events', { query: { ...query, ...of } })
    },
    append: async (event: OutsideEventInput): Promise<Appended> => {
      const { results } = await this.#http.post<{ results: readonly Appended[] }>('/events', eventBody(event))
      return results[0] ?? { outcome: 'recorded' }
    },
    /** Each has its own fate: what is wrong with one does not stop the others. */
    appendMany: async (events: readonly OutsideEventInput[]): Promise<readonly AppendResult[]> => {
      if (events.length === 0) return []
      type Result = Appended | { readonly problem: ProblemLike }
      const { results } = await this.#http.post<{ results: readonly Result[] }>('/events', events.map(eventBody))
      return results.map((result): AppendResult => {
        return 'problem' in result ? { outcome: 'refused', error: errorOfProblem(result.problem) } : result
      })
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

  /** False when it was not paused. */
  async resume(target: PauseTarget): Promise<boolean> {
    return await this.#removed('/pauses', targetOf(target))
  }

  /** The jobs and slots at and below the name of a job, and the values that go from one to the other. */
  async graph(job: JobReference): Promise<Graph> {
    return await this.jobs.graph(job)
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

  /** False for what was not there. */
  async #removed(path: string, query: Readonly<Record<string, unknown>>): Promise<boolean> {
    try {
      await this.#http.delete(path, { query })
      return true
    } catch (error) {
      if (error instanceof StintError && error.code === 'not_found') return false
      throw error
    }
  }

  #handle<Result>(view: JobView): JobHandle<Result> {
    const { result: _, ...rest } = view
    return {
      ...rest,
      output: outputOf<Result>(view.id),
      toJSON: () => view,
      result: async (options) => (await this.#result(`/jobs/${part(view.id)}`, options)) as Result,
    }
  }

  async #result(at: string, options: ResultOptions = {}): Promise<Json> {
    return resultOf(await this.#waited<JobView>(at, ({ state }) => state === 'final', 'The job', options))
  }

  /** Asks until it is over: each request is held back by the server for as long as it may. */
  async #waited<View extends { readonly id: string }>(
    at: string,
    isOver: (view: View) => boolean,
    what: string,
    { timeoutMs, signal }: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<View> {
    const until = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs
    for (;;) {
      const wait = Math.max(0, Math.min(waitMs, Math.ceil(until - performance.now())))
      const view = await this.#http.get<View>(at, { query: { waitMs: wait }, ...(signal && { signal }) })
      if (isOver(view)) return view
      if (performance.now() >= until) {
        throw new StintError('wait_timeout', `${what} has not ended yet.`, { id: view.id })
      }
    }
  }
}
