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
      run: (submissions) => this.#send(submissions),
      batchMax,
      inFlightMax: 2,
    })
  }

  async submit(
    job: AnyJob | string | undefined,
    params: unknown,
    options: SubmitOptions = {},
    from: From | null = null,
  ): Promise<SubmitResult> {
    return await this.#tracing.inSubmitSpan(typeOf(job, options) ?? 'template', async (trace, ids) => {
      const submission = await this.#submission({ job, params, options }, from, trace, ids)
      const result =
        options.transaction === undefined
          ? await this.#batcher.add(submission)
          : await submitWithin(this.#env.store, options.transaction, submission)
      this.#count([result])
      return result
    })
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
      for (const item of items) submissions.push(await this.#submission(item, from, trace, ids))
      return submissions
    })
  }

  async #prepared(items: readonly SubmitItem[], trace: string | null, ids: TraceIds): Promise<readonly Prepared[]> {
    const batch: Prepared[] = []
    for (const item of items) {
      try {
        const from = item.parent === undefined ? null : await this.#fromParent(item.parent)
        batch.push({ item, submission: await this.#submission(item, from, trace, ids) })
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
      const results = await this.#send(
        together.map(({ submission }) => submission),
        { turn },
      )
      this.#count(results)
      for (const [n, { i }] of together.entries()) settle(i, results[n] as SubmitResult)
    } catch (error) {
      for (const { i } of together) settle(i, error as Error)
    }
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

  async #submission(
    { id: made, job, params: given, options = {} }: SubmitItem,
    from: From | null,
    trace: string | null,
    ids: TraceIds,
  ): Promise<Submission> {
    const {
      id = made ?? this.#env.newId(),
      name,
      scheduledFor,
      expiresAt,
      deadlineAt,
      retry,
      maxAttempts,
      timeoutMs,
      priority,
      onFailure,
      awaits,
      limits,
      transaction: _,
      traceparent = trace,
      after,
      onUpstreamFailure,
      ...plain
    } = options
    const definition = typeof job === 'string' || job === undefined ? null : job
    const type = typeOf(job, options)
    const { params, needs } = takeSlots(given, { after, onUpstreamFailure })
    // What is still to come cannot be checked yet; its worker does.
    if (definition !== null && definition.params !== null && params === given) await checkParams(definition, params)
    const base = from === null ? this.#namespace : JobName.parse(from.name)
    const jobName = name === undefined ? this.#made(base, type, id, from, options.template) : resolveName(name, base)
    // A template has what the definition says from when it was made, and may say otherwise since.
    const defaults: JobDefaults = options.template === undefined ? (definition ?? {}) : {}
    const policy = retryOf(defaults.retry, retry, maxAttempts)
    const kept = limits ?? defaults.limits
    return {
      ...plain,
      id,
      name: jobName.toWire(),
      params: toJsonText(params, 'params'),
      trace: traceparent,
      context: traceparent === null ? ids : { ...idsOfTrace(traceparent), ...ids },
      ...said({ type, priority: priority ?? defaults.priority, timeoutMs: timeoutMs ?? defaults.timeoutMs }),
      ...(policy === null ? {} : { retry: policy }),
      ...(needs === null ? {} : { needs }),
      ...(kept === undefined ? {} : { limits: kept.map(limitInput) }),
      ...instants({ scheduledFor, expiresAt, deadlineAt }),
      ...(awaits === undefined ? {} : { awaits: awaits as NonNullable<Submission['awaits']> }),
      ...(onFailure === undefined
        ? {}
        : { onFailure: followingJob(onFailure, this.#baseOf(jobName), 'onFailure', this.#env) }),
      ...(from === null ? {} : { submittedBy: from.runId, parent: from.parent }),
    }
  }

  /** What relative names of other jobs begin with: a job of another namespace has others of its own around it. */
  #baseOf(name: JobName): JobName {
    return this.#namespace.isAncestorOf(name) ? this.#namespace : JobName.root(name.namespace)
  }

  #made(base: JobName, type: string | undefined, id: string, from: From | null, template: string | undefined): JobName {
    if (from === null && template?.startsWith('/')) return JobName.parse(template).child(shortId(id))
    return base.child(`${type ?? 'job'}-${shortId(id)}`)
  }
}

/** A store that was closed does not come back. */
function isClosed(error: unknown): boolean {
  return error instanceof StintError && error.code === 'store_closed'
}

/** What is not said is absent: a template or a path may say it. */
function said<Fields extends object>(fields: Fields): { readonly [N in keyof Fields]?: NonNullable<Fields[N]> } {
  const kept: { -readonly [N in keyof Fields]?: NonNullable<Fields[N]> } = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== undefined) kept[name] = value as NonNullable<Fields[typeof name]>
  }
  return kept
}

function typeOf(job: AnyJob | string | undefined, { template }: SubmitOptions): string | undefined {
  if (job === undefined && template !== undefined) return undefined
  if (typeof job === 'string') return job
  if (typeof job?.type === 'string') return job.type
  const rule = 'must be a definition made by defineJob, or the name of a type'
  throw new StintError('invalid_argument', `job ${rule}; got ${show(job)}.`, { field: 'job', rule })
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
