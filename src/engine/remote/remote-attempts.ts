import { StintError } from '../../core/errors.ts'
import type { ApplyRequest, Report, StoredJob } from '../../store/store.ts'
import { Batcher } from '../batcher.ts'
import type { Env } from '../env.ts'
import { checkReference, type JobReference, type References, unknownJob } from '../references.ts'
import { applyEach } from '../worker/completer.ts'

/** What names an attempt: its job, and the token that its claim gave. */
export interface AttemptReference {
  readonly job: JobReference
  readonly token: string
}

/** What an attempt says of its end. */
interface End extends AttemptReference {
  readonly command: Extract<ApplyRequest['command'], { type: 'finish' | 'giveBack' }>
  /** JSON text. */
  readonly result: string | null
}

interface Told extends AttemptReference {
  readonly report: Omit<Report, 'jobId' | 'token'>
}

const batchMax = 1_000

/** Writes what attempts tell that run elsewhere. Calls at the same time share transactions. */
export class RemoteAttempts {
  readonly #env: Env
  readonly #references: References
  readonly #ends: Batcher<End, StintError | null>
  readonly #reports: Batcher<Told, boolean>

  constructor(env: Env, references: References) {
    this.#env = env
    this.#references = references
    const { clock, store } = env
    const limits = { clock, batchMax, inFlightMax: store.kind === 'sqlite' ? 1 : 2 }
    this.#ends = new Batcher({ ...limits, run: (ends) => this.#writeEnds(ends) })
    this.#reports = new Batcher({ ...limits, run: (told) => this.#writeReports(told) })
  }

  /** The same end with the same token once more is success. */
  async end({ job, token }: AttemptReference, command: End['command'], result: string | null = null): Promise<void> {
    checkReference(job)
    const refusal = await this.#ends.add({ job, token, command, result })
    if (refusal !== null) throw refusal
  }

  async giveBack({ job, token }: AttemptReference): Promise<void> {
    await this.end({ job, token }, { type: 'giveBack', token })
  }

  async report({ job, token }: AttemptReference, report: Told['report']): Promise<void> {
    checkReference(job)
    if (await this.#reports.add({ job, token, report })) return
    const jobId = typeof job === 'string' ? job : job.toString()
    throw new StintError('stale_token', `The attempt no longer holds job ${jobId}: nothing was saved.`, { jobId })
  }

  /** For each what is wrong with it; null for what was written. */
  async #writeEnds(ends: readonly End[]): Promise<readonly (StintError | null)[]> {
    const found = await this.#references.findAll(ends.map(({ job }) => job))
    const isDone = await this.#complete(ends, found)
    const left = ends.flatMap((end, i) => {
      const stored = found[i] ?? null
      return isDone.has(i) || stored === null ? [] : [{ i, request: this.#requestOf(end, stored) }]
    })
    const applied = await applyEach(
      this.#env,
      left.map(({ request }) => request),
    )
    const results = new Map(left.map(({ i }, n) => [i, applied[n]]))
    return ends.map(({ job, command }, i) => {
      const result = results.get(i)
      const stored = found[i] ?? null
      if (stored === null) return unknownJob(job)
      if (isDone.has(i) || result?.ok) this.#count(stored, command)
      return result === undefined || result.ok ? null : result.error
    })
  }

  /** What was over already has been counted. */
  #count({ job }: StoredJob, command: End['command']): void {
    const { metrics, clock } = this.#env
    if (job.state !== 'running') return
    const how = command.type === 'finish' ? command.ending.kind : command.type
    metrics.add('stint_attempts_ended', { type: job.type, how })
    if (job.startedAt !== null) metrics.took('stint_run_seconds', { type: job.type }, clock.now() - job.startedAt)
  }

  /** The short way, for nearly all ends. What it does not do is left to be decided. */
  async #complete(ends: readonly End[], found: readonly (StoredJob | null)[]): Promise<ReadonlySet<number>> {
    const taken = new Set<string>()
    const plain = ends.flatMap(({ command, token, result }, i) => {
      const stored = found[i]
      if (!stored || stored.job.token !== token || taken.has(stored.job.id)) return []
      if (command.type !== 'finish' || command.ending.kind !== 'completed') return []
      taken.add(stored.job.id)
      const { facts = {} } = command.ending
      return [{ i, completion: { job: stored, result, facts, context: this.#contextOf(stored) } }]
    })
    if (plain.length === 0) return new Set()
    const { done } = await this.#env.store.complete(plain.map(({ completion }) => completion))
    return new Set(plain.flatMap(({ i }, n) => (done[n] ? [i] : [])))
  }

  #requestOf({ command, result }: End, stored: StoredJob): ApplyRequest {
    return { job: stored.job.id, command, result, context: this.#contextOf(stored) }
  }

  #contextOf(stored: StoredJob) {
    return { executionId: this.#references.runIdOf(stored) }
  }

  async #writeReports(told: readonly Told[]): Promise<readonly boolean[]> {
    const found = await this.#references.findAll(told.map(({ job }) => job))
    const known = told.flatMap(({ token, report }, i) => {
      const jobId = found[i]?.job.id
      return jobId === undefined ? [] : [{ i, report: { ...report, jobId, token } }]
    })
    const saved = await this.#env.store.report(known.map(({ report }) => report))
    const isSaved = new Map(known.map(({ i }, n) => [i, saved[n]]))
    return told.map((_, i) => isSaved.get(i) ?? false)
  }
}
