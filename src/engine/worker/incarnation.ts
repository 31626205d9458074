import type { ApplyRequest, ApplyResult, StoredJob } from '../../store/store.ts'
import { type Env, jittered } from '../env.ts'
import { Signal } from '../hub.ts'
import { Attempt, keyOf } from './attempt.ts'
import { Completer } from './completer.ts'
import type { Execute } from './execute.ts'
import type { Outcome } from './outcome.ts'
import { Reporter } from './reporter.ts'
import { Slots } from './slots.ts'
import type { WorkerSettings } from './worker-settings.ts'

/** How many claims without an answer are remembered. What they took is found by `held`. */
const unansweredMax = 100
/** Between two looks at what the store knows of this worker's attempts, unless something says that there is news. */
const lookEveryMs = 1_000
const lookAtMostEveryMs = 100
/** How long a claimed attempt waits for a free slot before it is given back. */
const waitMaxMs = 1_000
/** Between a claim that failed and the next. */
const claimPauseMs = { first: 50, longest: 5_000 } as const

/**
 * One life of a worker, from its registration to its stop or the loss of its lease. It claims attempts, gives them to
 * handlers, and writes their ends. Everything that it writes carries the token of an attempt; once its lease is lost it
 * writes nothing more.
 */
export class Incarnation {
  readonly id: string
  readonly #env: Env
  readonly #settings: WorkerSettings
  readonly #execute: Execute
  readonly #slots: Slots
  readonly #held = new Map<string, Attempt>()
  /** Tokens of claims whose answer was lost: the store may have given this worker jobs that it does not know of. */
  readonly #unanswered = new Set<string>()
  /**
   * Until this moment a claim without an answer may still take effect. It may have taken a suspect, and a worker must never
   * hold two: so none is asked for before a later look has shown everything that is held. Null when nothing is unclear.
   */
  #unclearUntil: number | null = null
  /** The token of the claim that is under way. */
  #claiming: string | null = null
  /** In a row. */
  #claimsFailed = 0
  /** Attempts that the store says are here, and nobody here knows: found by the last look. */
  #strays = new Set<string>()
  readonly #work = new Signal()
  readonly #news = new Signal()
  /** Something of this life has ended. */
  readonly #change = new Signal()
  /** No more claims. */
  readonly #closing = new AbortController()
  /** The end of this life: nothing is written after. */
  readonly #gone = new AbortController()
  readonly #completer: Completer
  readonly #reporter: Reporter
  #loops: Promise<unknown> = Promise.resolve()
  #claims: Promise<void> = Promise.resolve()

  constructor(env: Env, settings: WorkerSettings, execute: Execute) {
    this.id = env.newId()
    this.#env = env
    this.#settings = settings
    this.#execute = execute
    this.#slots = new Slots(env.clock, settings.concurrency, settings.prefetchMax)
    this.#completer = new Completer(env, this.#gone.signal)
    this.#reporter = new Reporter(env, this.#gone.signal)
  }

  get heldCount(): number {
    return this.#held.size
  }

  /** Starts to work. The worker must be registered. */
  start(): void {
    const { hub } = this.#env
    const leave = [hub.onReady(this.#work), hub.onChanged(() => this.#news.tell())]
    this.#claims = this.#claimLoop()
    this.#loops = Promise.all([this.#claims, this.#lookLoop()]).finally(() => {
      for (const each of leave) each()
    })
  }

  /** The lease is lost: others may have the jobs already. Every handler is told, and nothing more is written. */
  lose(): void {
    this.#closing.abort()
    this.#gone.abort()
    for (const attempt of [...this.#held.values()]) this.#drop(attempt)
  }

  /** No new claims; what waits is given back at once, what runs gets the grace time, the rest is stopped and given back. */
  async stop(graceMs: number): Promise<void> {
    this.#closing.abort()
    for (const attempt of this.#slots.waiting.splice(0)) void this.#giveBack(attempt)
    await Promise.all([this.#untilEmpty(graceMs), this.#untilClaimed()])
    for (const attempt of this.#held.values()) attempt.stop('stopping')
    await this.#untilEmpty(this.#settings.cancelGraceMs)
    for (const attempt of this.#held.values()) void this.#giveBack(attempt)
    await this.#untilEmpty(this.#settings.leaseMs)
    this.#gone.abort()
    this.#news.tell()
    await this.#loops
  }

  async #untilEmpty(ms: number): Promise<void> {
    const { clock } = this.#env
    const until = clock.monotonic() + ms
    for (let left = ms; this.#held.size > 0 && left > 0; left = until - clock.monotonic()) {
      await this.#change.wait(clock, left, this.#gone.signal)
      if (this.#gone.signal.aborted) return
    }
  }

  /** What a claim that is under way takes, or one whose answer was lost has taken, is found here and given back. */
  async #untilClaimed(): Promise<void> {
    const { clock } = this.#env
    const answered = new AbortController()
    void this.#claims.finally(() => answered.abort())
    await clock.sleep(this.#settings.leaseMs, AbortSignal.any([answered.signal, this.#gone.signal]))
    if (this.#unanswered.size > 0) await this.#look().catch(() => {})
  }

  // ---- claiming

  async #claimLoop(): Promise<void> {
    const { clock, hub } = this.#env
    const { pollMs } = this.#settings
    while (!this.#closing.signal.aborted) {
      const lookedAt = clock.monotonic()
      const room = this.#slots.room()
      const found = room === 0 ? 0 : await this.#claim(room)
      if (found === null || (room > 0 && found === room)) continue
      const due = hub.nextDue(lookedAt) ?? Number.POSITIVE_INFINITY
      const waitMs = Math.min(jittered(this.#env, pollMs), due - clock.monotonic())
      await this.#work.wait(clock, waitMs, this.#closing.signal)
    }
  }

  /**
   * Claims and tells how many it got, or null when it failed. Then it may still have taken jobs: its token is kept to find
   * them. It is tried again soon, however rarely this worker polls.
   */
  async #claim(limit: number): Promise<number | null> {
    const { store, newId, metrics, clock } = this.#env
    const token = newId()
    this.#claiming = token
    try {
      const suspectLimit = this.#mayTakeSuspect() ? 1 : 0
      const { types } = this.#settings
      const context = { actor: `worker ${this.id}` }
      const jobs = await store.claim({ workerId: this.id, token, types, limit, suspectLimit, context })
      this.#take(jobs, token)
      this.#claimsFailed = 0
      return jobs.length
    } catch {
      metrics.add('stint_store_errors', { doing: 'claim' })
      this.#unanswered.add(token)
      for (const oldest of this.#unanswered) {
        if (this.#unanswered.size > unansweredMax) this.#unanswered.delete(oldest)
      }
      this.#unclearUntil = clock.monotonic() + this.#settings.leaseMs
      this.#news.tell()
      this.#claiming = null
      const pauseMs = Math.min(claimPauseMs.longest, claimPauseMs.first * 2 ** this.#claimsFailed)
      this.#claimsFailed += 1
      await clock.sleep(jittered(this.#env, pauseMs), this.#closing.signal)
      return null
    } finally {
      this.#claiming = null
    }
  }

  #mayTakeSuspect(): boolean {
    if (this.#slots.free === 0 || this.#unclearUntil !== null) return false
    for (const { stored } of this.#held.values()) if (stored.job.suspect) return false
    return true
  }

  #take(jobs: readonly StoredJob[], token: string): void {
    const { clock, metrics } = this.#env
    const attempts = jobs.map((stored) => new Attempt(stored, token, clock.monotonic()))
    for (const attempt of attempts) {
      metrics.add('stint_jobs_claimed', { type: attempt.stored.job.type })
      this.#held.set(attempt.key, attempt)
      if (attempt.stored.job.timeoutMs !== null) void this.#timeOut(attempt, attempt.stored.job.timeoutMs)
      // An answer that comes when the worker stops is given back unseen; one after its loss is for others to rescue.
      if (this.#gone.signal.aborted) this.#drop(attempt)
      else if (this.#closing.signal.aborted) void this.#giveBack(attempt)
    }
    this.#slots.add(attempts.filter(({ phase }) => phase === 'waiting'))
    this.#fill()
  }

  #fill(): void {
    for (let next = this.#slots.take(); next !== null; next = this.#slots.take()) void this.#run(next)
  }

  // ---- running

  async #run(attempt: Attempt): Promise<void> {
    attempt.phase = 'running'
    const settled = new AbortController()
    const ran = this.#execute(attempt, this.#reporter).finally(() => settled.abort())
    const outcome = await Promise.race([ran, this.#whenAbandoned(attempt, settled.signal)])
    this.#slots.leave()
    this.#fill()
    this.#work.tell()
    await this.#finish(attempt, outcome)
  }

  /** A handler that was told to stop and does not is left behind after the grace time: null in place of its outcome. */
  async #whenAbandoned(attempt: Attempt, settled: AbortSignal): Promise<null> {
    const { clock, metrics } = this.#env
    await aborted(attempt.signal)
    // A stop of the whole worker has its own times: the attempt is over when it has been given back.
    if (attempt.stopReason === 'stopping') await aborted(attempt.whenOver)
    else await clock.sleep(this.#settings.cancelGraceMs, settled)
    if (!settled.aborted) metrics.add('stint_attempts_abandoned', { type: attempt.stored.job.type })
    return null
  }

  async #finish(attempt: Attempt, outcome: Outcome | null): Promise<void> {
    const reason = attempt.stopReason
    // A checkpoint may have told that the attempt is lost; then nobody else here knows.
    if (attempt.phase === 'over') return this.#held.has(attempt.key) ? this.#drop(attempt) : undefined
    if (reason === 'timeout') return
    const isCompleted = outcome?.ending.kind === 'completed'
    if (reason === 'stopping' && !isCompleted) return await this.#giveBack(attempt)
    const { ending, result } = outcome ?? { ending: { kind: 'cancelled' } as const, result: null }
    await this.#end(attempt, { type: 'finish', token: attempt.token, ending }, result)
  }

  async #giveBack(attempt: Attempt): Promise<void> {
    await this.#end(attempt, { type: 'giveBack', token: attempt.token })
  }

  /** Writes the end of an attempt, once. Whoever comes second finds it ending. */
  async #end(attempt: Attempt, command: ApplyRequest['command'], result: string | null = null): Promise<void> {
    if (attempt.phase === 'ending' || attempt.phase === 'over') return
    attempt.phase = 'ending'
    const job = command.type === 'elapse' ? attempt.stored.job.id : attempt.stored
    try {
      const applied = await this.#completer.add({ job, command, result, context: contextOf(attempt) })
      if (!applied.ok && isUnwritable(applied, command)) {
        attempt.phase = 'running'
        return await this.#end(attempt, unwritable(attempt.token, applied.error.message, this.#env.random()))
      }
      this.#noteEnd(attempt, command, applied)
    } catch {
      // Only the end of this life ends the patience of the completer: the attempt is for others to rescue.
    }
    this.#forget(attempt)
  }

  #noteEnd(attempt: Attempt, command: ApplyRequest['command'], applied: ApplyResult): void {
    const { metrics, clock } = this.#env
    const { type } = attempt.stored.job
    if (!applied.ok) metrics.add('stint_attempts_lost', { type })
    if (!applied.ok) return
    const how = command.type === 'finish' ? command.ending.kind : command.type
    metrics.add('stint_attempts_ended', { type, how })
    metrics.add('stint_run_milliseconds', { type }, clock.monotonic() - attempt.heldSince)
  }

  #forget(attempt: Attempt): void {
    attempt.end()
    this.#held.delete(attempt.key)
    this.#change.tell()
    this.#work.tell()
  }

  #drop(attempt: Attempt): void {
    this.#slots.remove(attempt)
    attempt.stop('lost')
    this.#env.metrics.add('stint_attempts_lost', { type: attempt.stored.job.type })
    this.#forget(attempt)
  }

  /** So many were taken because jobs ended fast. When they no longer do, others may have a free slot for what waits. */
  #giveBackWaiting(): void {
    const before = this.#env.clock.monotonic() - waitMaxMs
    for (const attempt of this.#slots.waiting.filter(({ heldSince }) => heldSince < before)) {
      this.#slots.remove(attempt)
      void this.#giveBack(attempt)
    }
  }

  // ---- time

  /** The deadline stands in the database, for when this process hangs. Here it is kept to the moment. */
  async #timeOut(attempt: Attempt, timeoutMs: number): Promise<void> {
    const { clock, random } = this.#env
    await clock.sleep(timeoutMs, attempt.whenOver)
    while (attempt.phase === 'waiting' || attempt.phase === 'running') {
      attempt.stop('timeout')
      const isWaiting = this.#slots.remove(attempt)
      const phase = attempt.phase
      attempt.phase = 'ending'
      const command = { type: 'elapse', random: random() } as const
      const request = { job: attempt.stored.job.id, command, context: contextOf(attempt) }
      const applied = await this.#completer.add(request).catch(() => null)
      // By the database's clock it may be a moment too early. A job that has moved on is no longer ours either.
      const isOver = applied === null || !applied.ok || applied.stored.job.token !== attempt.token
      if (isOver || applied.stored.job.phase !== 'running') {
        if (applied !== null) this.#noteEnd(attempt, command, applied)
        return this.#forget(attempt)
      }
      attempt.phase = isWaiting ? 'running' : phase
      await clock.sleep(20, attempt.whenOver)
    }
  }

  // ---- what the store knows

  async #lookLoop(): Promise<void> {
    const { clock, metrics } = this.#env
    while (!this.#gone.signal.aborted) {
      await this.#news.wait(clock, jittered(this.#env, lookEveryMs), this.#gone.signal)
      if (this.#gone.signal.aborted) return
      this.#giveBackWaiting()
      if (this.#held.size > 0 || this.#unanswered.size > 0) {
        await this.#look().catch(() => metrics.add('stint_store_errors', { doing: 'look' }))
      }
      await clock.sleep(lookAtMostEveryMs, this.#gone.signal)
    }
  }

  /**
   * Compares what this worker holds with what the store says. An attempt that the store does not know any more was ended by
   * others; one that is to be cancelled is told to stop. What the store knows and this worker does not would never end:
   * one of an unanswered claim is taken over, any other is given back when it is found a second time.
   */
  async #look(): Promise<void> {
    const before = [...this.#held.values()]
    const unclear = this.#unclearUntil
    const isClear = unclear !== null && this.#env.clock.monotonic() >= unclear
    const listed = new Map((await this.#env.store.held(this.id)).map((each) => [keyOf(each.jobId, each.token), each]))
    for (const attempt of before) {
      const known = listed.get(attempt.key)
      if (attempt.phase === 'ending' || attempt.phase === 'over') continue
      if (known === undefined) this.#drop(attempt)
      else if (known.cancelAsked && attempt.stopReason === null) this.#cancel(attempt)
    }
    const strays = [...listed].filter(([key, { token }]) => !this.#held.has(key) && token !== this.#claiming)
    const foundBefore = this.#strays
    this.#strays = new Set(strays.map(([key]) => key))
    for (const [key, { jobId, token }] of strays) {
      if (this.#unanswered.has(token)) await this.#adopt(jobId, token)
      else if (foundBefore.has(key)) await this.#completer.add({ job: jobId, command: { type: 'giveBack', token } })
    }
    if (isClear && this.#unclearUntil === unclear) this.#unclearUntil = null
  }

  #cancel(attempt: Attempt): void {
    attempt.stop('cancelled')
    // What has not begun needs no time to stop.
    if (this.#slots.remove(attempt)) void this.#finish(attempt, null)
  }

  async #adopt(jobId: string, token: string): Promise<void> {
    const [stored] = await this.#env.store.find([{ id: jobId }])
    if (stored?.job.token !== token || stored.job.phase !== 'running' || this.#held.has(keyOf(jobId, token))) return
    this.#env.metrics.add('stint_claims_adopted')
    this.#take([stored], token)
  }
}

function contextOf({ stored, observed }: Attempt) {
  return { actor: `worker ${stored.job.workerId}`, ...observed }
}

/** A result that the store refuses would keep the attempt open for ever: it fails instead, and says why. */
function isUnwritable({ error }: Extract<ApplyResult, { ok: false }>, command: ApplyRequest['command']): boolean {
  const isFinal = ['stale_token', 'not_found', 'conflict'].includes(error.code)
  return !isFinal && command.type === 'finish' && !(command.ending.kind === 'failed' && command.ending.terminal)
}

function unwritable(token: string, error: string, random: number): ApplyRequest['command'] {
  return { type: 'finish', token, ending: { kind: 'failed', error, terminal: true, random } }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
