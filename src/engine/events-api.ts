import { StintError, show } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import { JobName } from '../core/names/job-name.ts'
import { checkObject, refuse } from '../store/check-input.ts'
import type { Segment } from '../store/controls.ts'
import type { AppendResult, LogEntry, NewEvent } from '../store/store.ts'
import type { Env } from './env.ts'
import type { Page } from './jobs-api.ts'
import { pageOf, type RecordsQuery, requestOf } from './record-pages.ts'
import type { JobReference, References } from './references.ts'
import { readSegmentFile } from './segment-file.ts'
import { shownEntry } from './shown-entry.ts'
import { archiveEvents } from './upkeep/archive-events.ts'
import { pruneOldJobs } from './upkeep/prune-old-jobs.ts'

export interface EventsQuery {
  /** The cursor of the page before; absent for the beginning. */
  readonly cursor?: string | null
  /** Default 100. */
  readonly limit?: number
  /** Only those of this job. */
  readonly job?: JobReference
  /** Only those of this template, schedule or group, by id; or of all that have this path, its defaults and retention, too. */
  readonly record?: string | { readonly id: string }
  /** The newest first, and the cursor goes on with older ones. Not together with `job` or `record`. Default false. */
  readonly newestFirst?: boolean
}

/** An event from outside, as its sender gives it. */
export interface OutsideEventInput {
  readonly type: string
  /** Unique for its source. A second delivery with the same changes nothing. Made up if absent. */
  readonly id?: string
  /** Where it comes from. Default `stint`. */
  readonly source?: string
  /** The job that it concerns. Only such events count for what a job awaits. */
  readonly job?: JobReference
  readonly taskId?: string
  readonly occurredAt?: Date
  readonly attributes?: JsonObject
  /** Default the namespace of its job, else the default namespace. */
  readonly namespace?: string
}

/** A file of entries that have left the log. */
export interface SegmentView extends Omit<Segment, 'firstAt' | 'lastAt' | 'archivedAt'> {
  readonly firstAt: Date
  readonly lastAt: Date
  readonly archivedAt: Date
}

/** Reads the log and lets the outside add to it. */
export class EventsApi {
  readonly #env: Env
  readonly #references: References
  readonly #namespace: string

  constructor(env: Env, references: References, namespace: string) {
    this.#env = env
    this.#references = references
    this.#namespace = namespace
  }

  /**
   * Events in log order, or the newest first; all, or those of one job or record. In log order the cursor of the last page goes on
   * with what comes later.
   */
  async list({
    cursor = null,
    limit = 100,
    job,
    record,
    newestFirst = false,
  }: EventsQuery = {}): Promise<Page<LogEntry>> {
    const { store } = this.#env
    if (job !== undefined && record !== undefined) throw refuse('record', record, 'must not be given together with job')
    const jobId = job === undefined ? undefined : await this.#references.uuidOf(job)
    if (jobId === null) return { items: [], cursor }
    const of =
      record === undefined ? {} : { record: typeof record === 'object' && record !== null ? record.id : record }
    const page = await store
      .events({ after: cursor, limit, newestFirst, ...(jobId === undefined ? {} : { jobId }), ...of })
      .catch((error: unknown) => {
        throw isAboutCursor(error) ? refuse('cursor', cursor, 'must be a cursor that a list gave') : error
      })
    return { items: page.entries.map(shownEntry), cursor: page.cursor }
  }

  /** The files that entries have left the log for, the newest first. */
  async archived(query: Pick<RecordsQuery, 'cursor' | 'limit'> = {}): Promise<Page<SegmentView>> {
    const { before = null, limit } = requestOf(query)
    return pageOf(await this.#env.store.control('archive.list', { before, limit }), segmentView)
  }

  /**
   * Moves all entries that are older than they are kept to files now, after the jobs that are, and tells how many. Workers with an
   * `archiveDirectory` do it by themselves.
   */
  async archive(): Promise<number> {
    const env = this.#env
    if (env.archiveDirectory === null)
      throw refuse('archiveDirectory', env.archiveDirectory, 'must be given to archive events')
    const before = archivedBy(env)
    while ((await pruneOldJobs(env)) !== null);
    while ((await archiveEvents(env)) !== null);
    return archivedBy(env) - before
  }

  /**
   * The entries in such a file, as `list` showed them. Nothing is given before the whole file was found to be what was written.
   */
  async *readSegment(file: string): AsyncGenerator<LogEntry> {
    const { store, archiveDirectory } = this.#env
    if (archiveDirectory === null)
      throw refuse('archiveDirectory', archiveDirectory, 'must be given to read archived events')
    const segment = await store.control('archive.get', { file })
    if (segment === null) throw new StintError('not_found', `There is no archived segment ${show(file)}.`, { file })
    yield* await readSegmentFile(archiveDirectory, segment)
  }

  /** Records an event from outside, once, and lets it count for the job that it names. */
  async append(event: OutsideEventInput): Promise<{ readonly outcome: 'recorded' | 'duplicate' }> {
    const [result] = await this.appendMany([event])
    if (result === undefined || result.outcome === 'refused') throw result?.error
    return result
  }

  /** Records many. What is wrong with one is in its result. */
  async appendMany(events: readonly OutsideEventInput[]): Promise<readonly AppendResult[]> {
    const made = await Promise.all(events.map((event) => this.#made(event)))
    const valid = made.filter((each): each is NewEvent => !(each instanceof StintError))
    const results = [...(await this.#env.store.append(valid))]
    return made.map((each): AppendResult => {
      return each instanceof StintError ? { outcome: 'refused', error: each } : (results.shift() as AppendResult)
    })
  }

  async #made(event: OutsideEventInput): Promise<NewEvent | StintError> {
    try {
      checkObject(event, 'an event')
      const { job, occurredAt, namespace, id, source = 'stint', ...rest } = event
      if (occurredAt !== undefined && !(occurredAt instanceof Date)) {
        throw refuse('occurredAt', occurredAt, 'must be a Date')
      }
      const stored = job === undefined ? null : await this.#references.require(job)
      return {
        ...rest,
        id: id ?? this.#env.newId(),
        source,
        namespace: namespace ?? (stored === null ? this.#namespace : JobName.parse(stored.job.name).namespace),
        ...(stored === null ? {} : { jobId: stored.job.id }),
        ...(occurredAt === undefined ? {} : { occurredAt: occurredAt.getTime() }),
      }
    } catch (error) {
      if (error instanceof StintError) return error
      throw error
    }
  }
}

/** How many entries this process has archived. */
function archivedBy({ metrics }: Env): number {
  return metrics.samples().find(({ name }) => name === 'stint_events_archived')?.value ?? 0
}

function segmentView(segment: Segment): SegmentView {
  const { firstAt, lastAt, archivedAt } = segment
  return { ...segment, firstAt: new Date(firstAt), lastAt: new Date(lastAt), archivedAt: new Date(archivedAt) }
}

/** The store has another name for it. */
function isAboutCursor(error: unknown): boolean {
  return error instanceof StintError && error.details['field'] === 'after'
}
