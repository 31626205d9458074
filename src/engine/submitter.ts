import { StintError, show } from '../core/errors.ts'
import type { RetryPolicy } from '../core/job/job.ts'
import { toJsonText } from '../core/json.ts'
import { JobName, resolveName } from '../core/names/job-name.ts'
import type { InTurn, QueryClient, Store, Submission, SubmitResult, Turn } from '../store/store.ts'
import { Batcher } from './batcher.ts'
import { type Env, jittered } from './env.ts'
import { followingJob } from './following-job.ts'
import { limitInput } from './gates-api.ts'
import type { AnyJob, JobDefaults } from './handler.ts'
import { shortId } from './ids.ts'
import { instants } from './instants.ts'
import type { JobReference } from './references.ts'
import { takeSlots } from './slots/take-slots.ts'
import { validate } from './standard-schema.ts'
import type { SubmitOptions } from './submit-options.ts'
import { idsOfTrace, type TraceIds, type Tracing } from './tracing.ts'
import { isOutage } from './worker/completer.ts'
import { invalidParams } from './worker/run-handler.ts'

/** The attempt that submits, if a handler does: names are below its job, and it must still hold it. */
export interface From {
  readonly name: string
  readonly runId: string
  readonly parent: NonNullable<Submission['parent']>
}

/** An attempt that runs in another process, and submits by a call. */
export interface Parent {
  readonly job: JobReference
  readonly token: string
}

/** A job to submit, among many. */
export interface SubmitItem {
  /** The UUID that it will have. Default a new one. */
  readonly id?: string
  /** May be absent with a template, which says the type. */
  readonly job?: AnyJob | string | undefined
  readonly params?: unknown
  readonly options?: SubmitOptions
  /** The attempt that submits it: the job is below its job, and is cancelled with it. */
  readonly parent?: Parent
}

/** An item that is ready to be written, or what is wrong with it. */
interface Prepared {
  readonly item: SubmitItem
  readonly submission: Submission | Error
}

const tryMax = 5
const batchMax = 1_000

/** Where submissions come from: the attempt that makes them, if one does, and the trace that they belong to. */
interface Origin {
  readonly from: From | null
  readonly trace: string | null
  readonly ids: TraceIds
}

type Taken = ReturnType<typeof takeSlots>

/** Makes jobs of what callers ask for. Calls at the same time share a transaction. */
export class Submitter {
  readonly #env: Env
  readonly #namespace: JobName
  readonly #tracing: Tracing
  readonly #fromParent: (parent: Parent) => Promise<From>
  readonly #batcher: Batcher<Submission, SubmitResult>

  constructor(env: Env, namespace: JobName, tracing: Tracing, fromParent: (parent: Parent) => Promise<From>) {
    this.#fromParent = fromParent
    this.#env = env
    this.#namespace = namespace
    this.#tracing = tracing
    this.#batcher = new Batcher({
      clock: env.clock,
      run: (submissions) => this.#sendAndCount(submissions),
      batchMax,
      inFlightMax: 2,
      fairShare: 1 / 3,
    })
  }

  /** What is wrong with it is thrown, or rejects: whoever asks awaits both. */
  submit(
    job: AnyJob | string | undefined,
    params: unknown,
    options: SubmitOptions = {},
    from: From | null = null,
  ): Promise<SubmitResult> {
    return this.#tracing.inSubmitSpan(typeOf(job, options) ?? 'template', (trace, ids) => {
      const submission = this.#submission({ job, params, options }, { from, trace, ids })
      if (!(submission instanceof Promise)) return this.#submitOne(submission, options)
      return submission.then((checked) => this.#submitOne(checked, options))
    })
  }

  #submitOne(submission: Submission, { transaction }: SubmitOptions): Promise<SubmitResult> {
    return transaction === undefined ? this.#batcher.add(submission) : this.#submitWithin(transaction, submission)
  }

  async #submitWithin(transaction: QueryClient, submission: Submission): Promise<SubmitResult> {
    const result = await submitWithin(this.#env.store, transaction, submission)
    this.#count([result])
    return result
  }

  /** Submits many in few transactions, in their order. Each has its own result, or what is wrong with it, in its place. */
  async submitMany(items: readonly SubmitItem[]): Promise<readonly (SubmitResult | Error)[]> {
    return await this.#tracing.inSubmitSpan('many', async (trace, ids) => {
      const results = new Array<SubmitResult | Error>(items.length)
      // While one batch is written the next is made ready, and no more than that.
      let [beforeLast, last]: Promise<void>[] = [Promise.resolve(), Promise.resolve()]
      let come: Promise<void> = Promise.resolve()
      for (let from = 0; from < items.length; from += batchMax) {
        const batch = await this.#prepared(items.slice(from, from + batchMax), trace, ids)
        await beforeLast
        const written = Promise.withResolvers<void>()
        const turn = { come, over: written.resolve }
        const writing = this.#write(batch, turn, (i, result) => {
          results[from + i] = result
        }).finally(written.resolve)
        // What it throws is thrown where it is awaited.
        writing.catch(() => {})
        ;[beforeLast, last, come] = [last, writing, written.promise]
        // It is on its way before the next is prepared.
        await this.#env.clock.turn()
      }
      await beforeLast
      await last
      return results
    })
  }

  /** Jobs that are to be submitted together, by others. */
  async prepare(items: readonly SubmitItem[], from: From): Promise<readonly Submission[]> {
    return await this.#tracing.inSubmitSpan('pipeline', async (trace, ids) => {
      const submissions: Submission[] = []
      for (const item of items) submissions.push(await this.#submission(item, { from, trace, ids }))
      return submissions
    })
  }

  async #prepared(items: readonly SubmitItem[], trace: string | null, ids: TraceIds): Promise<readonly Prepared[]> {
    const batch: Prepared[] = []
    for (const item of items) {
      try {
        const from = item.parent === undefined ? null : await this.#fromParent(item.parent)
        batch.push({ item, submission: await this.#submission(item, { from, trace, ids }) })
      } catch (error) {
        batch.push({ item, submission: error instanceof Error ? error : new Error(String(error)) })
      }
    }
    return batch
  }

  async #write(
    batch: readonly Prepared[],
    turn: Turn,
    settle: (i: number, result: SubmitResult | Error) => void,
  ): Promise<void> {
    const { store } = this.#env
    const together: { readonly i: number; readonly submission: Submission }[] = []
    for (const [i, { item, submission }] of batch.entries()) {
      const transaction = item.options?.transaction
      if (submission instanceof Error) settle(i, submission)
      else if (transaction === undefined) together.push({ i, submission })
      else {
        await turn.come
        settle(i, await submitWithin(store, transaction, submission).catch((error: Error) => error))
      }
    }
    if (together.length === 0) return
    try {
      const results = await this.#sendAndCount(
        together.map(({ submission }) => submission),
        { turn },
      )
      for (const [n, { i }] of together.entries()) settle(i, results[n] as SubmitResult)
    } catch (error) {
      for (const { i } of together) settle(i, error as Error)
    }
  }

  async #sendAndCount(submissions: readonly Submission[], options?: InTurn): Promise<readonly SubmitResult[]> {
    const results = await this.#send(submissions, options)
    this.#count(results)
    return results
  }

  #count(results: readonly SubmitResult[]): void {
    const counts = new Map<string, number>()
    for (const result of results) {
      if (result.outcome !== 'created') continue
      const { type } = result.stored.job
      counts.set(type, (counts.get(type) ?? 0) + 1)
    }
    for (const [type, count] of counts) this.#env.metrics.add('stint_jobs_submitted', { type }, count)
  }

  /** The ids are made here, so a submission whose answer was lost can be sent again: the store knows it. */
  async #send(submissions: readonly Submission[], options?: InTurn): Promise<readonly SubmitResult[]> {
    const { store, clock, metrics } = this.#env
    for (let tries = 1; ; tries++) {
      try {
        return await store.submit(submissions, options)
      } catch (error) {
        metrics.add('stint_store_errors', { doing: 'submit' })
        if (tries === tryMax || !isOutage(error) || isClosed(error)) throw error
        await clock.sleep(jittered(this.#env, 50 * 3 ** tries))
      }
    }
  }

  /** A promise only where params have to be checked: to wait for nothing costs as much as to make a submission. */
  #submission(item: SubmitItem, origin: Origin): Submission | Promise<Submission> {
    const { job, params, options = {} } = item
    typeOf(job, options)
    const taken = takeSlots(params, options)
    // What is still to come cannot be checked yet; its worker does.
    const definition = definitionOf(job)
    if (definition === null || definition.params === null || taken.params !== params)
      return this.#made(item, taken, origin)
    return checkParams(definition, params).then(() => this.#made(item, taken, origin))
  }

  /** Written out field by field: nearly all submissions have few of them. */
  #made({ id: made, job, options = {} }: SubmitItem, { params, needs }: Taken, origin: Origin): Submission {
    const { from, trace, ids } = origin
    const { id = made ?? this.#env.newId(), name, template, traceparent = trace, awaits, onFailure } = options
    const type = typeOf(job, options)
    const base = from === null ? this.#namespace : JobName.parse(from.name)
    const jobName = name === undefined ? this.#nameOf(base, type, id, from, template) : resolveName(name, base)
    const submission: { -readonly [N in keyof Submission]: Submission[N] } = {
      id,
      name: jobName.toWire(),
      params: toJsonText(params, 'params'),
      trace: traceparent,
      context: traceparent === null ? ids : { ...idsOfTrace(traceparent), ...ids },
    }
    // What is not said is absent: a template or a path may say it.
    if (type !== undefined) submission.type = type
    keepRest(submission, options)
    // A template has what the definition says from when it was made, and may say otherwise since.
    const defaults: JobDefaults = template === undefined ? (definitionOf(job) ?? {}) : {}
    const priority = options.priority ?? defaults.priority
    const timeoutMs = options.timeoutMs ?? defaults.timeoutMs
    const limits = options.limits ?? defaults.limits
    const retry = retryOf(defaults.retry, options.retry, options.maxAttempts)
    if (priority !== undefined) submission.priority = priority
    if (timeoutMs !== undefined) submission.timeoutMs = timeoutMs
    if (retry !== null) submission.retry = retry
    if (needs !== null) submission.needs = needs
    if (limits !== undefined) submission.limits = limits.map(limitInput)
    if (awaits !== undefined) submission.awaits = awaits as NonNullable<Submission['awaits']>
    if (onFailure !== undefined)
      submission.onFailure = followingJob(onFailure, this.#baseOf(jobName), 'onFailure', this.#env)
    if (from === null) return submission
    return { ...submission, submittedBy: from.runId, parent: from.parent }
  }

  /** What relative names of other jobs begin with: a job of another namespace has others of its own around it. */
  #baseOf(name: JobName): JobName {
    return this.#namespace.isAncestorOf(name) ? this.#namespace : JobName.root(name.namespace)
  }

  #nameOf(
    base: JobName,
    type: string | undefined,
    id: string,
    from: From | null,
    template: string | undefined,
  ): JobName {
    if (from === null && template?.startsWith('/')) return JobName.parse(template).child(shortId(id))
    return base.child(`${type ?? 'job'}-${shortId(id)}`)
  }
}

/** A store that was closed does not come back. */
function isClosed(error: unknown): boolean {
  return error instanceof StintError && error.code === 'store_closed'
}

/** Options that stand otherwise in a submission, or not at all. */
const changed: ReadonlySet<string> = new Set<keyof SubmitOptions | keyof Submission>([
  // No options at all, and not to be taken for what the submission has of its own.
  ...(['params', 'type', 'context', 'trace', 'submittedBy', 'parent', 'needs'] as const),
  'id',
  'name',
  'scheduledFor',
  'expiresAt',
  'deadlineAt',
  'retry',
  'maxAttempts',
  'timeoutMs',
  'priority',
  'onFailure',
  'awaits',
  'limits',
  'transaction',
  'traceparent',
  'after',
  'onUpstreamFailure',
])

/** The others stand in it as they were given, and dates as numbers. */
function keepRest(submission: object, options: SubmitOptions): void {
  const names = Object.keys(options)
  if (names.length === 0) return
  for (const name of names) if (!changed.has(name)) Reflect.set(submission, name, Reflect.get(options, name))
  const { scheduledFor, expiresAt, deadlineAt } = options
  Object.assign(submission, instants({ scheduledFor, expiresAt, deadlineAt }))
}

function typeOf(job: AnyJob | string | undefined, { template }: SubmitOptions): string | undefined {
  if (job === undefined && template !== undefined) return undefined
  if (typeof job === 'string') return job
  if (typeof job?.type === 'string') return job.type
  const rule = 'must be a definition made by defineJob, or the name of a type'
  throw new StintError('invalid_argument', `job ${rule}; got ${show(job)}.`, { field: 'job', rule })
}

function definitionOf(job: AnyJob | string | undefined): AnyJob | null {
  return typeof job === 'string' || job === undefined ? null : job
}

async function checkParams({ type, params: schema }: AnyJob, params: unknown): Promise<void> {
  if (schema === null) return
  const checked = await validate(schema, params)
  if ('problems' in checked) throw invalidParams(type, checked.problems)
}

function retryOf(
  defaults: Partial<RetryPolicy> | undefined,
  given: Partial<RetryPolicy> | undefined,
  maxAttempts: number | undefined,
): Partial<RetryPolicy> | null {
  if (defaults === undefined && given === undefined && maxAttempts === undefined) return null
  return { ...defaults, ...given, ...(maxAttempts === undefined ? {} : { maxAttempts }) }
}

async function submitWithin(store: Store, client: QueryClient, submission: Submission): Promise<SubmitResult> {
  if (store.submitWithin === undefined) {
    const message = 'Only PostgreSQL can submit inside a transaction of the caller.'
    throw new StintError('unsupported_store', message, { field: 'transaction' })
  }
  const [result] = await store.submitWithin(client, [submission])
  if (result === undefined) throw new StintError('internal_error', 'The store gave no result.')
  return result
}
