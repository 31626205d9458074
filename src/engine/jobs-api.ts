import type { Outcome } from '../core/job/job.ts'
import { type Json, toJsonText } from '../core/json.ts'
import { JobName } from '../core/names/job-name.ts'
import { refuse } from '../store/check-input.ts'
import type { ListRequest, MoveRequest, StoredJob } from '../store/store.ts'
import type { Env } from './env.ts'
import { findJobs, isSearch, type JobSearch } from './find-jobs.ts'
import { instants } from './instants.ts'
import type { JobHandle, ResultOptions } from './job-handle.ts'
import type { JobView } from './job-view.ts'
import type { JobReference, References } from './references.ts'
import { resubmit } from './resubmit.ts'
import { cursorOf, keyIn } from './row-cursor.ts'
import { carryOutFollowUps } from './upkeep/carry-out-follow-ups.ts'
import { reasonsOf } from './why.ts'

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Give it to the next call to go on; null when there is no more. */
  readonly cursor: string | null
}

export interface JobsQuery extends JobSearch {
  readonly type?: string
  /** `QUEUED`, `RUNNING`, `CANCELLED`, or null for jobs that are over and were not cancelled. */
  readonly status?: 'QUEUED' | 'RUNNING' | 'CANCELLED' | null
  readonly outcome?: Outcome
  /** A name: the job itself and all below it. */
  readonly branch?: string
  readonly key?: string
  readonly label?: { readonly name: string; readonly value: string }
  /** Whether tasks of sharded jobs are shown, too. Default false. */
  readonly tasks?: boolean
  /** The cursor of the page before. */
  readonly cursor?: string | null
  /** At most so many. Default 100. */
  readonly limit?: number
}

export interface CancelOptions {
  /** Stands in the log. Default `cancelled by the caller`. */
  readonly reason?: string
  /** Whether the jobs below its name are cancelled too. Default true. */
  readonly branch?: boolean
}

export interface RetryOptions {
  /** A UUID of your own for the new job: the same call again then gives the same job. Default a new one. */
  readonly id?: string
}

export interface EditOptions {
  readonly params?: unknown
  /** Higher sooner. */
  readonly priority?: number
  readonly scheduledFor?: Date
}

export type MoveTarget = 'front' | 'end' | { readonly before: JobReference } | { readonly after: JobReference }

export interface JobNotes {
  readonly progress: { readonly done: number; readonly total: number | null } | null
  readonly checkpoint: Json
}

/** Reads jobs and changes what becomes of them. */
export class JobsApi {
  readonly #env: Env
  readonly #references: References
  readonly #view: (stored: StoredJob) => JobView
  readonly #handle: (stored: StoredJob) => JobHandle

  constructor(
    env: Env,
    references: References,
    view: (stored: StoredJob) => JobView,
    handle: (stored: StoredJob) => JobHandle,
  ) {
    this.#env = env
    this.#references = references
    this.#view = view
    this.#handle = handle
  }

  /** A job by JobRunId, UUID or name; null when there is none. A name means its live job, else the newest. */
  async get(job: JobReference): Promise<JobView | null> {
    const stored = await this.#references.find(job)
    if (stored === null) return null
    const [view] = await this.#views([stored])
    return view ?? null
  }

  /** Jobs by JobRunId, UUID or name, in this order, without those that are not there. */
  async getMany(jobs: readonly JobReference[]): Promise<readonly JobView[]> {
    const found = await this.#references.findAll(jobs)
    return await this.#views(found.filter((stored) => stored !== null))
  }

  /** The UUID of a job, which entries of the log carry, also of one that was pruned; null when there is none. */
  async uuidOf(job: JobReference): Promise<string | null> {
    return await this.#references.uuidOf(job)
  }

  /** With why they are not running, which only the store can tell. */
  async #views(jobs: readonly StoredJob[]): Promise<readonly JobView[]> {
    const reasons = await reasonsOf(this.#env.store, jobs, this.#env.clock.now())
    return jobs.map((stored, i) => ({ ...this.#view(stored), reason: reasons[i] ?? null }))
  }

  /** Waits for the end of a job and gives its result, or rejects with a code that says how it ended instead. */
  async result(job: JobReference, options: ResultOptions = {}): Promise<Json> {
    const { result } = this.#handle(await this.#references.require(job))
    return await result(options)
  }

  /** What its attempts have told of themselves: how far they are, and what they saved last. */
  async notes(job: JobReference): Promise<JobNotes> {
    const { progress, checkpoint } = await this.#env.store.notes((await this.#references.require(job)).job.id)
    return { progress, checkpoint: checkpoint === null ? null : (JSON.parse(checkpoint) as Json) }
  }

  /**
   * Jobs, the newest first. By status, outcome other than `COMPLETED`, key or a small branch they are found at once. What fits
   * anything else is looked for among the newest 20,000 jobs before the cursor, and what needs a look into each job among 5,000: so
   * a page can be short, or empty, and still have a cursor to go on with.
   */
  async list(query: JobsQuery = {}): Promise<Page<JobView>> {
    const { status, tasks = false, cursor = null, limit = 100, ...rest } = query
    const { text: _, error: __, params: ___, since: ____, ...filters } = rest
    const request = { ...filters, ...statusFilter(status), tasks, before: keyIn(cursor), limit }
    const { store } = this.#env
    const { jobs, next } = isSearch(rest)
      ? await findJobs((before, most) => store.list({ ...request, before, limit: most }), rest, request)
      : await store.list(request)
    return { items: await this.#views(jobs), cursor: next === null ? null : cursorOf(next) }
  }

  /** Jobs that may start now, in the order in which workers get them. */
  async queue({
    types,
    limit = 100,
  }: {
    readonly types?: readonly string[]
    readonly limit?: number
  } = {}): Promise<Page<JobView>> {
    const jobs = await this.#env.store.queue({ limit, ...(types === undefined ? {} : { types }) })
    return { items: await this.#views(jobs), cursor: null }
  }

  /** Changes a job that has not been dispatched. */
  async edit(job: JobReference, changes: EditOptions): Promise<JobView> {
    const { params, priority, scheduledFor } = changes
    const { id } = (await this.#references.require(job)).job
    const edit = { ...(priority === undefined ? {} : { priority }), ...instants({ scheduledFor }) }
    const command = { type: 'edit', changes: edit } as const
    const text = 'params' in changes ? { params: toJsonText(params, 'params') } : {}
    const [result] = await this.#env.store.apply([{ job: id, command, ...text }])
    if (result === undefined || !result.ok) throw result?.error
    return this.#view(result.stored)
  }

  /**
   * Gives a job that has not been dispatched another place: to the front or the end of its priority, or next to another
   * job, whose priority it then has.
   */
  async move(job: JobReference, to: MoveTarget): Promise<JobView> {
    const { id: jobId } = (await this.#references.require(job)).job
    return this.#view(await this.#env.store.move({ jobId, to: await this.#placeOf(to) }))
  }

  async #placeOf(to: MoveTarget): Promise<MoveRequest['to']> {
    if (to === 'front' || to === 'end') return to
    if (typeof to !== 'object' || to === null) throw refuse('to', to, 'must be front, end, { before } or { after }')
    if ('before' in to) return { before: (await this.#references.require(to.before)).job.id }
    return { after: (await this.#references.require(to.after)).job.id }
  }

  /**
   * Cancels a job and all below its name: at once what does not run, cooperatively what does. Gives the job as it is then;
   * null when only the branch below the name exists.
   */
  async cancel(job: JobReference, options: CancelOptions = {}): Promise<JobView | null> {
    const { reason = 'cancelled by the caller', branch = true } = options
    const { store } = this.#env
    const found = await this.#references.find(job)
    const name = found?.job.name ?? nameOf(job)
    if (found === null && (name === null || !branch)) await this.#references.require(job)
    if (found !== null) await this.#apply(found.job.id, { type: 'cancel', reason })
    if (branch && name !== null) {
      await store.cancelBranch({ name, reason })
      await carryOutFollowUps(this.#env)
    }
    return found === null ? null : this.#view(await this.#references.require(found.job.id))
  }

  /** Runs a job that is over once more, as a new job with the same name, params and settings. */
  async retry(job: JobReference, { id }: RetryOptions = {}): Promise<JobHandle> {
    const stored = await this.#references.require(job)
    return this.#handle(await resubmit(this.#env, this.#references, stored, { id }))
  }

  async #apply(job: string, command: { type: 'cancel'; reason: string }): Promise<StoredJob> {
    const [result] = await this.#env.store.apply([{ job, command }])
    if (result === undefined || !result.ok) throw result?.error
    return result.stored
  }
}

function nameOf(job: JobReference): string | null {
  if (job instanceof JobName) return job.toWire()
  return typeof job === 'string' && job.startsWith('/') ? job : null
}

function statusFilter(status: JobsQuery['status']): Pick<ListRequest, 'status' | 'cancelled'> {
  switch (status) {
    case undefined:
      return {}
    case null:
      return { status: 'final', cancelled: false }
    case 'CANCELLED':
      return { status: 'final', cancelled: true }
    case 'QUEUED':
    case 'RUNNING':
      return { status: status === 'QUEUED' ? 'queued' : 'running' }
    default:
      throw refuse('status', status, 'must be QUEUED, RUNNING, CANCELLED or null')
  }
}
