import { StintError, show } from '../core/errors.ts'
import { IncrementalTaskId, JobRunId } from '../core/names/ids.ts'
import { JobName } from '../core/names/job-name.ts'
import { isUuid } from '../store/check-input.ts'
import type { PastJob } from '../store/retention/pasts.ts'
import { taskUuid } from '../store/shards/task-id.ts'
import type { PastRef, Store, StoredJob } from '../store/store.ts'

/** What names a job or a task: its id or the text of it, its UUID, or its name. */
export type JobReference = string | JobRunId | IncrementalTaskId | JobName | { readonly id: string }

/** Finds jobs by what callers call them, and says what they are called. */
export class References {
  readonly #store: Store
  readonly #project: string
  readonly #database: string | null

  constructor(store: Store, { project, database }: Pick<JobRunId, 'project' | 'database'>) {
    this.#store = store
    this.#project = project
    this.#database = database
  }

  /** The text of its JobRunId. Its parts were checked when they came in, so it is put together as it is. */
  idOf({ job, guard }: StoredJob): string {
    if (job.task === null) return this.#idOf(guard.namespace, job.id)
    return `${this.#idOf(guard.namespace, job.task.of)}-task-${job.task.index}`
  }

  /** The same by name and UUID. */
  idFor(name: string, uuid: string): string {
    return this.#idOf(JobName.parse(name).namespace, uuid)
  }

  #idOf(namespace: string, uuid: string): string {
    return `${this.#project}:${this.#database ?? ''}:${namespace}:${uuid}`
  }

  /** The text of the RunId of its newest attempt. */
  runIdOf(stored: StoredJob): string {
    return `${this.idOf(stored)}-run-${stored.job.attempt}`
  }

  async find(reference: JobReference): Promise<StoredJob | null> {
    const [stored] = await this.findAll([reference])
    return stored ?? null
  }

  /** What is kept of a job that was pruned, with the text of its JobRunId; null when there is nothing. */
  async findPast(reference: JobReference): Promise<(PastJob & { readonly jobRunId: string }) | null> {
    const ref = refOf(reference)
    const [past] = await this.#store.past([isId(ref) ? { id: uuidIn(ref) } : ref])
    if (past === undefined || past === null) return null
    const jobRunId = this.#idOf(past.namespace, past.id)
    return isId(ref) && ref.encode() !== jobRunId ? null : { ...past, jobRunId }
  }

  /** The UUID of a job, also of one that was pruned. */
  async uuidOf(reference: JobReference): Promise<string | null> {
    const stored = await this.find(reference)
    return stored?.job.id ?? (await this.findPast(reference))?.id ?? null
  }

  async require(reference: JobReference): Promise<StoredJob> {
    const [stored] = await this.requireAll([reference])
    return stored as StoredJob
  }

  /** All of them, in their order; the first that is missing is told. */
  async requireAll(references: readonly JobReference[]): Promise<readonly StoredJob[]> {
    const found = await this.findAll(references)
    return found.map((stored, i) => {
      if (stored !== null) return stored
      throw unknownJob(references[i] ?? '')
    })
  }

  /** All of them, in their order; null for what is missing. */
  async findAll(references: readonly JobReference[]): Promise<readonly (StoredJob | null)[]> {
    const refs = references.map(refOf)
    const found = await this.#store.find(refs.map((ref) => (isId(ref) ? { id: uuidIn(ref) } : ref)))
    return found.map((stored, i) => {
      const ref = refs[i]
      if (stored === null) return null
      // An id that names another project, database or namespace is not the id of this job.
      return isId(ref) && ref.encode() !== this.idOf(stored) ? null : stored
    })
  }
}

/** Refuses what cannot name a job, whether there is one or not. */
export function checkReference(reference: JobReference): void {
  refOf(reference)
}

export function unknownJob(reference: JobReference): StintError {
  const text = typeof reference === 'object' && 'id' in reference ? reference.id : String(reference)
  return new StintError('not_found', `There is no job ${show(text)}.`, { job: text })
}

type Ref = PastRef | JobRunId | IncrementalTaskId

function isId(ref: Ref | undefined): ref is JobRunId | IncrementalTaskId {
  return ref instanceof JobRunId || ref instanceof IncrementalTaskId
}

function uuidIn(id: JobRunId | IncrementalTaskId): string {
  return id instanceof JobRunId ? id.name : taskUuid(id.jobRunId.name, id.index)
}

function refOf(reference: JobReference): Ref {
  if (reference instanceof JobName) return { name: reference.toWire() }
  if (reference instanceof JobRunId || reference instanceof IncrementalTaskId) return reference
  const text: unknown = typeof reference === 'object' && reference !== null ? reference.id : reference
  if (typeof text !== 'string') {
    const rule = 'must be a JobRunId, a UUID or a name'
    throw new StintError('invalid_argument', `job ${rule}; got ${show(text)}.`, { field: 'job', rule })
  }
  if (text.startsWith('/')) return { name: JobName.parse(text).toWire() }
  if (isUuid(text)) return { id: text }
  return /-task-\d+$/.test(text) ? IncrementalTaskId.parse(text) : JobRunId.parse(text)
}
