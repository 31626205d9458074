import { StintError } from '../../core/errors.ts'
import { toJsonText } from '../../core/json.ts'
import type { LogLine, Report } from '../../store/store.ts'
import { Batcher } from '../batcher.ts'
import { type Env, jittered } from '../env.ts'
import type { Attempt } from './attempt.ts'
import { patiently } from './patience.ts'

/** How long lines and progress may wait before they are saved. */
const saveEveryMs = 250
/** How much of a run's log is kept. What comes after is counted, not kept. */
const logMax = { lines: 5_000, bytes: 262_144 } as const
/** The same for one slice of a task, or another part of an attempt that several workers go on with. */
const partMax = { lines: 999, bytes: 65_536 } as const

/** Saves what attempts tell while they run, many in one transaction. */
export class Reporter {
  readonly #batcher: Batcher<Report, boolean>
  readonly env: Env

  constructor(env: Env, stop: AbortSignal) {
    this.env = env
    this.#batcher = new Batcher({
      clock: env.clock,
      run: (reports) => patiently({ env, doing: 'report', stop }, () => env.store.report(reports)),
      batchMax: 500,
      inFlightMax: 1,
    })
  }

  send(report: Report): Promise<boolean> {
    return this.#batcher.add(report)
  }
}

/** What one attempt has told and what of it is not yet saved. */
export class RunNotes {
  readonly #attempt: Attempt
  readonly #reporter: Reporter
  readonly #max: { readonly lines: number; readonly bytes: number }
  /** The number before that of the first line: the parts of one attempt must not use the same. */
  readonly #from: number
  #lines: LogLine[] = []
  #seq = 0
  #bytes = 0
  #progress: NonNullable<Report['progress']> | null = null
  #saving: Promise<void> | null = null

  constructor(attempt: Attempt, reporter: Reporter) {
    this.#attempt = attempt
    this.#reporter = reporter
    const { task, shards, version } = attempt.stored.job
    const isPart = task !== null || shards !== null
    this.#max = isPart ? partMax : logMax
    this.#from = isPart ? version * (partMax.lines + 1) : 0
  }

  /** Nothing was told, and nothing is being saved. */
  get isEmpty(): boolean {
    return this.#seq === 0 && this.#progress === null && this.#saving === null
  }

  get hasLog(): boolean {
    return this.#seq > 0
  }

  log(line: string): void {
    const { lines, bytes } = this.#max
    if (this.#seq >= lines || this.#bytes >= bytes) return
    this.#bytes += line.length
    const isLast = this.#seq + 1 >= lines || this.#bytes >= bytes
    this.#add(line)
    if (isLast) this.#add('… the log is cut here: a run keeps no more.')
  }

  #add(line: string): void {
    this.#seq += 1
    this.#lines.push({ seq: this.#from + this.#seq, at: this.#reporter.env.clock.now(), line })
    this.#saveSoon()
  }

  progress(done: number, total: number | null): void {
    if (!Number.isFinite(done) || (total !== null && !Number.isFinite(total))) return
    this.#progress = { done, total }
    this.#saveSoon()
  }

  /** Durable when it returns; an attempt that lost its job learns it here. */
  async checkpoint(value: unknown): Promise<void> {
    const checkpoint = toJsonText(value ?? null, 'checkpoint') ?? 'null'
    const { job } = this.#attempt.stored
    const { token } = this.#attempt
    if (!this.#isOver() && (await this.#reporter.send({ jobId: job.id, token, checkpoint }))) return
    this.#attempt.stop('lost')
    throw new StintError('stale_token', `The attempt no longer holds job ${job.id}: nothing was saved.`, {
      jobId: job.id,
    })
  }

  /** Saves what is left. It must happen before the end is written: after it nothing is taken any more. */
  async flush(): Promise<void> {
    if (this.#isOver() || (this.#lines.length === 0 && this.#progress === null)) return
    const [lines, progress] = [this.#lines, this.#progress]
    this.#lines = []
    this.#progress = null
    const { job } = this.#attempt.stored
    await this.#reporter
      .send({ jobId: job.id, token: this.#attempt.token, lines, ...(progress === null ? {} : { progress }) })
      // What a run told is worth less than its end: that goes on without it.
      .catch(() => false)
  }

  /** A worker that lost its lease writes nothing more, though its attempts may not have been taken from it yet. */
  #isOver(): boolean {
    return this.#attempt.phase === 'over'
  }

  #saveSoon(): void {
    this.#saving ??= this.#saveLater()
  }

  async #saveLater(): Promise<void> {
    const { env } = this.#reporter
    await env.clock.sleep(jittered(env, saveEveryMs), this.#attempt.whenOver)
    this.#saving = null
    await this.flush()
  }
}
