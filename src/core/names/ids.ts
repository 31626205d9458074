import { decimalRule, isDecimal, readDecimal } from './decimal.ts'
import { checkParts, type FourParts, type IdParts, printParts, readParts } from './four-parts.ts'
import { invalid } from './invalid.ts'

export type { IdParts } from './four-parts.ts'

// For each of these ids, `encode` and `parse` are inverse: whatever parses encodes to the same text, and whatever can be
// made encodes to a text that parses to an equal id. Others store the text, so two texts for one id, or two ids for
// one text, would be two jobs taken for one. One text may be an id of several kinds: the reader knows which it expects.

/** What all ids are: a text with a meaning. Equal means of the same kind and with the same text. */
abstract class EncodedId<Kind extends string> {
  readonly #kind: Kind
  readonly #text: string

  constructor(kind: Kind, text: string) {
    this.#kind = kind
    this.#text = text
  }

  equals(other: this | null | undefined): boolean {
    return other instanceof EncodedId && other.#kind === this.#kind && other.#text === this.#text
  }

  encode(): string {
    return this.#text
  }

  toString(): string {
    return this.#text
  }

  toJSON(): string {
    return this.#text
  }
}

/** What other systems store about a job, over all its attempts: `project:database:namespace:name`. */
export class JobRunId extends EncodedId<'JobRunId'> implements FourParts {
  readonly project: string
  readonly database: string | null
  readonly namespace: string | null
  readonly name: string

  constructor(parts: IdParts) {
    const { project, database, namespace, name } = checkParts('JobRunId', parts)
    super('JobRunId', printParts({ project, database, namespace, name }))
    this.project = project
    this.database = database
    this.namespace = namespace
    this.name = name
    Object.freeze(this)
  }

  static parse(text: string): JobRunId {
    return new JobRunId(readParts('JobRunId', requireText('JobRunId', text), text))
  }

  task(index: number): IncrementalTaskId {
    return new IncrementalTaskId(this, index)
  }

  run(attempt: number): RunId {
    return new RunId(this, attempt)
  }
}

/** One task of a sharded job: `<job run id>-task-<index>`. */
export class IncrementalTaskId extends EncodedId<'IncrementalTaskId'> {
  readonly jobRunId: JobRunId
  readonly index: number

  constructor(jobRunId: JobRunId, index: number) {
    if (!(jobRunId instanceof JobRunId)) throw invalidId('IncrementalTaskId', jobRunId, 'a task is of a JobRunId')
    const checked = checkNumber('IncrementalTaskId', 'a task index', index)
    super('IncrementalTaskId', `${jobRunId}${taskMark}${checked}`)
    this.jobRunId = jobRunId
    this.index = checked
    Object.freeze(this)
  }

  static parse(text: string): IncrementalTaskId {
    const suffixed = splitSuffix(requireText('IncrementalTaskId', text), taskMark)
    if (suffixed === null) throw invalidId('IncrementalTaskId', text, `it ends in -task-<n>, where n is ${decimalRule}`)
    return new JobRunId(readParts('IncrementalTaskId', suffixed.head, text)).task(suffixed.number)
  }

  run(attempt: number): RunId {
    return new RunId(this, attempt)
  }
}

/**
 * One attempt of a job or of a task: `<job run id>-run-<attempt>` or `<job run id>-task-<index>-run-<attempt>`. It is
 * known before the run starts, so handlers use it as an idempotency key. Attempt 0 is a run that was skipped.
 */
export class RunId extends EncodedId<'RunId'> {
  readonly jobRunId: JobRunId
  /** Null for the run of a job. */
  readonly taskId: IncrementalTaskId | null
  readonly attempt: number

  constructor(of: JobRunId | IncrementalTaskId, attempt: number) {
    const jobRunId = of instanceof IncrementalTaskId ? of.jobRunId : requireRunnable(of)
    const checked = checkNumber('RunId', 'an attempt', attempt)
    super('RunId', `${of}${runMark}${checked}`)
    this.jobRunId = jobRunId
    this.taskId = of instanceof IncrementalTaskId ? of : null
    this.attempt = checked
    Object.freeze(this)
  }

  static parse(text: string): RunId {
    const run = splitSuffix(requireText('RunId', text), runMark)
    if (run === null) throw invalidId('RunId', text, `it ends in -run-<n>, where n is ${decimalRule}`)
    const task = splitSuffix(run.head, taskMark)
    const jobRunId = new JobRunId(readParts('RunId', task === null ? run.head : task.head, text))
    return task === null ? jobRunId.run(run.number) : jobRunId.task(task.number).run(run.number)
  }

  /** Null for the run of a job. */
  get taskIndex(): number | null {
    return this.taskId === null ? null : this.taskId.index
  }
}

/** A value that is filled in later: `project:database:namespace:name`. */
export class SlotId extends EncodedId<'SlotId'> implements FourParts {
  readonly project: string
  readonly database: string | null
  readonly namespace: string | null
  readonly name: string

  constructor(parts: IdParts) {
    const { project, database, namespace, name } = checkParts('SlotId', parts)
    super('SlotId', printParts({ project, database, namespace, name }))
    this.project = project
    this.database = database
    this.namespace = namespace
    this.name = name
    Object.freeze(this)
  }

  static parse(text: string): SlotId {
    return new SlotId(readParts('SlotId', requireText('SlotId', text), text))
  }
}

const taskMark = '-task-'
const runMark = '-run-'

/** Suffixes are read from the right, because a name may itself contain a mark. Null where the text has none. */
function splitSuffix(text: string, mark: string): { readonly head: string; readonly number: number } | null {
  const at = text.lastIndexOf(mark)
  const number = at === -1 ? null : readDecimal(text.slice(at + mark.length))
  return number === null ? null : { head: text.slice(0, at), number }
}

/** A run of the job `x-task-3` would print as a run of task 3 of `x`, and would be taken for it. */
function requireRunnable(of: JobRunId): JobRunId {
  if (!(of instanceof JobRunId)) throw invalidId('RunId', of, 'a run is of a JobRunId or of an IncrementalTaskId')
  if (splitSuffix(of.name, taskMark) !== null) {
    throw invalidId('RunId', of.encode(), 'the name of a job that runs does not end in -task-<n>, as a task would')
  }
  return of
}

function requireText(kind: string, text: unknown): string {
  if (typeof text !== 'string') throw invalidId(kind, text, 'it is read from a string')
  return text
}

/** Adding zero turns -0, which arithmetic yields, into the 0 that the printed id is read back as. */
function checkNumber(kind: string, what: string, value: unknown): number {
  if (!isDecimal(value)) throw invalidId(kind, value, `${what} is ${decimalRule}`)
  return value + 0
}

function invalidId(kind: string, input: unknown, rule: string) {
  return invalid('invalid_id', kind, input, rule)
}
