import { StintError, show } from '../core/errors.ts'
import type { Labels, RetryPolicy, Run } from '../core/job/job.ts'
import { toJsonText } from '../core/json.ts'
import { JobRunId } from '../core/names/ids.ts'
import { autoName, JobName, resolveName } from '../core/names/job-name.ts'
import { isUuid } from '../store/check-input.ts'
import type { EventsPage, OnConflict, Store, StoredJob, Submission } from '../store/store.ts'
import { type Difference, verify } from '../store/verify.ts'
import { idMaker, type NewId, shortId } from './ids.ts'
import { type JobView, viewOf } from './job-view.ts'
import { openStore, type StoreOptions } from './open-store.ts'

export interface StintOptions extends StoreOptions {
  /** First part of every JobRunId. Default `stint`. */
  readonly project?: string
  /** Second part of every JobRunId. Default none. */
  readonly database?: string
  /** The namespace of jobs that are submitted without a name. Default `default`. */
  readonly namespace?: string
}

export interface SubmitOptions {
  /** `/reports/daily`, or without the first slash a name below the default namespace. Made up if absent. */
  readonly name?: string
  readonly key?: string
  readonly labels?: Labels
  /** Higher sooner. Default 0. */
  readonly priority?: number
  /** When it may run first. Default now. */
  readonly scheduledFor?: Date
  /** If it has not started by then it is skipped. */
  readonly expiresAt?: Date
  readonly retry?: Partial<RetryPolicy>
  /** How long one attempt may take, in milliseconds. Default for ever. */
  readonly timeoutMs?: number
  /** What happens when a live job has the name or key. Default `error`. */
  readonly onConflict?: OnConflict
}

/** What names a job: its JobRunId or the text of it, its UUID, or its name. */
export type JobHandle = string | JobRunId | JobName

export interface EventsQuery {
  /** The cursor of the page before; absent for the beginning. */
  readonly after?: string | null
  /** Default 100. */
  readonly limit?: number
  readonly job?: JobHandle
}

/** Opens Stint on a database, which is made or brought up to date if need be. */
export async function createStint(options: StintOptions): Promise<Stint> {
  // Made first, so that a bad project or database is refused before anything is opened.
  const sample = new JobRunId({ project: options.project ?? 'stint', database: options.database ?? null, name: 'x' })
  const namespace = JobName.root(options.namespace ?? 'default')
  return new Stint(await openStore(options), sample, namespace, idMaker())
}

export class Stint {
  /** The port beneath. What it takes and gives is not yet a stable interface. */
  readonly store: Store
  readonly #sample: JobRunId
  readonly #namespace: JobName
  readonly #newId: NewId

  constructor(store: Store, sample: JobRunId, namespace: JobName, newId: NewId) {
    this.store = store
    this.#sample = sample
    this.#namespace = namespace
    this.#newId = newId
  }

  /** Creates a job and gives it back as it was stored: when this returns, the job is durable. */
  async submit(type: string, params?: unknown, options: SubmitOptions = {}): Promise<JobView> {
    const [result] = await this.store.submit([this.#submission(type, params, options)])
    if (result === undefined || result.outcome === 'refused') throw result?.error
    return this.#view(result.stored)
  }

  readonly jobs = {
    /** A job by JobRunId, UUID or name; null when there is none. A name means its live job, else the newest. */
    get: async (job: JobHandle): Promise<JobView | null> => {
      const stored = await this.#find(job)
      return stored === null ? null : this.#view(stored)
    },
  }

  readonly runs = {
    /** The ended attempts of a job, in their order. */
    list: async ({ job }: { readonly job: JobHandle }): Promise<{ readonly items: readonly Run[] }> => {
      const stored = await this.#find(job)
      return { items: stored === null ? [] : await this.store.runs(stored.job.id) }
    },
  }

  readonly events = {
    /** Events in log order, of all jobs or of one. Give `cursor` back as `after` to go on. */
    list: async ({ after = null, limit = 100, job }: EventsQuery = {}): Promise<EventsPage> => {
      if (job === undefined) return await this.store.events({ after, limit })
      const stored = await this.#find(job)
      return stored === null
        ? { entries: [], cursor: after }
        : await this.store.events({ after, limit, jobId: stored.job.id })
    },
  }

  /** Derives every job again from its events and tells each difference to what is stored. */
  async verify(): Promise<{ readonly differences: readonly Difference[] }> {
    return { differences: await verify(this.store) }
  }

  close(): Promise<void> {
    return this.store.close()
  }

  #submission(type: string, params: unknown, options: SubmitOptions): Submission {
    const { name, scheduledFor, expiresAt, ...rest } = options
    const id = this.#newId()
    const jobName =
      name === undefined ? autoName(this.#namespace.namespace, type, shortId(id)) : resolveName(name, this.#namespace)
    return {
      ...rest,
      id,
      name: jobName.toWire(),
      type,
      params: toJsonText(params, 'params'),
      ...(scheduledFor === undefined ? {} : { scheduledFor: scheduledFor.getTime() }),
      ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.getTime() }),
    }
  }

  async #find(handle: JobHandle): Promise<StoredJob | null> {
    const ref = refOf(handle)
    const [stored] = await this.store.find([ref instanceof JobRunId ? { id: ref.name } : ref])
    if (stored === undefined || stored === null) return null
    // An id that names another project, database or namespace is not the id of this job.
    return ref instanceof JobRunId && !ref.equals(this.#idOf(stored)) ? null : stored
  }

  async #view(stored: StoredJob): Promise<JobView> {
    return viewOf(stored, this.#idOf(stored), await this.store.now())
  }

  #idOf({ job }: StoredJob): JobRunId {
    const { project, database } = this.#sample
    return new JobRunId({ project, database, namespace: JobName.parse(job.name).namespace, name: job.id })
  }
}

function refOf(handle: JobHandle): { readonly id: string } | { readonly name: string } | JobRunId {
  if (handle instanceof JobName) return { name: handle.toWire() }
  if (handle instanceof JobRunId) return handle
  if (typeof handle !== 'string') {
    const rule = 'must be a JobRunId, a UUID or a name'
    throw new StintError('invalid_argument', `job ${rule}; got ${show(handle)}.`, { field: 'job', rule })
  }
  if (handle.startsWith('/')) return { name: JobName.parse(handle).toWire() }
  return isUuid(handle) ? { id: handle } : JobRunId.parse(handle)
}
