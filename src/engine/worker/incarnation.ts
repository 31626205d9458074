import type { StoredJob } from '../../store/store.ts'
import { waitOver } from '../clock.ts'
import { type Env, jittered } from '../env.ts'
import { Signal } from '../hub.ts'
import { Attempt, aborted, keyOf } from './attempt.ts'
import { ClaimLoop } from './claim-loop.ts'
import { Claims } from './claims.ts'
import { Endings } from './endings.ts'
import type { Execute } from './execute.ts'
import { Held } from './held.ts'
import type { Outcome } from './outcome.ts'
import { Reporter } from './reporter.ts'
import { Slots } from './slots.ts'
import type { WorkerSettings } from './worker-settings.ts'

/** Between two looks at what the store knows of this worker's attempts, unless something says that there is news. */
const lookEveryMs = 1_000
const lookAtMostEveryMs = 100
/** Longer than the answer to a claim is on its way. */
const arrivalMs = 1_000
/** How long a claimed attempt waits for a free slot before it is given back. */
const waitMaxMs = 1_000

/** How many handlers are begun in one turn of the event loop at the most. */
const turnMax = 50

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
  readonly #held = new Held()
  /** Attempts that the store says are here, and nobody here knows: found by the last look. */
  #strays = new Set<string>()
  readonly #news = new Signal()
  /** Something of this life has ended. */
  readonly #change = new Signal()
  /** No more claims. */
  readonly #closing = new AbortController()
  /** The end of this life: nothing is written after. */
  readonly #gone = new AbortController()
  readonly #claims: Claims
  readonly #claimLoop: ClaimLoop
  readonly #endings: Endings
  readonly #reporter: Reporter
  /** Handlers that were begun in this turn of the event loop. */
  #begun = 0
  #loops: Promise<unknown> = Promise.resolve()
  #claiming: Promise<void> = Promise.resolve()

  constructor(env: Env, settings: WorkerSettings, execute: Execute) {
    this.id = env.newId()
    this.#env = env
    this.#settings = settings
    this.#execute = execute
    this.#slots = new Slots(env.clock, settings)
    this.#claims = new Claims(env, this.id, settings)
    this.#claimLoop = new ClaimLoop(env, {
      slots: this.#slots,
      claims: this.#claims,
      pollMs: settings.pollMs,
      closing: this.#closing.signal,
      mayTakeSuspect: () => this.#mayTakeSuspect(),
      take: (jobs, token) => this.#take(jobs, token),
      lookForStrays: () => this.#news.tell(),
    })
    this.#endings = new Endings(env, this.#gone.signal, (attempt) => this.#forget(attempt))
    this.#reporter = new Reporter(env, this.#gone.signal)
  }

  get heldCount(): number {
    return this.#held.size
  }

  /** Starts to work. The worker must be registered. */
  start(): void {
    const { hub } = this.#env
    const leave = [
      hub.onReady({ tell: (isCarried) => this.#claimLoop.hear(isCarried) }, this.#settings.types),
      hub.onChanged(() => this.#news.tell()),
    ]
    this.#claiming = this.#claimLoop.run()
    this.#loops = Promise.all([this.#claiming, this.#lookLoop()]).finally(() => {
      for (const each of leave) each()
    })
  }

  /** The lease is lost: others may have the jobs already. Every handler is told, and nothing more is written. */
  lose(): void {
    this.#closing.abort()
    this.#gone.abort()
    for (const attempt of this.#held.all) this.#drop(attempt)
  }

  /** No new claims; what waits is given back at once, what runs gets the grace time, the rest is stopped and given back. */
  async stop(graceMs: number): Promise<void> {
    this.#closing.abort()
    for (const attempt of this.#slots.waiting.splice(0)) void this.#endings.giveBack(attempt)
    await Promise.all([this.#untilEmpty(graceMs), this.#untilClaimed()])
    for (const attempt of this.#held.all) attempt.stop('stopping')
    await this.#untilEmpty(this.#settings.cancelGraceMs)
    for (const attempt of this.#held.all) void this.#endings.giveBack(attempt)
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
    void this.#claiming.finally(() => answered.abort())
    await clock.sleep(this.#settings.leaseMs, AbortSignal.any([answered.signal, this.#gone.signal]))
    if (this.#claims.hasUnanswered) await this.#look().catch(() => {})
  }

  // ---- claiming

  #mayTakeSuspect(): boolean {
    if (this.#claims.isUnclear) return false
    return !this.#held.some(({ stored }) => stored.job.suspect)
  }

  #take(jobs: readonly StoredJob[], token: string): void {
    const { clock, metrics } = this.#env
    const heldSince = clock.monotonic()
    const attempts = jobs.map((stored) => new Attempt(stored, token, heldSince))
    const byType = Map.groupBy(jobs, ({ job }) => job.type)
    for (const [type, { length }] of byType) metrics.add('stint_jobs_claimed', { type }, length)
    for (const attempt of attempts) {
      this.#held.add(attempt)
      if (attempt.stored.job.timeoutMs !== null) void this.#timeOut(attempt, attempt.stored.job.timeoutMs)
      // An answer that comes when the worker stops is given back unseen; one after its loss is for others to rescue.
      if (this.#gone.signal.aborted) this.#drop(attempt)
      else if (this.#closing.signal.aborted) void this.#endings.giveBack(attempt)
    }
    this.#slots.add(attempts.filter(({ phase }) => phase === 'waiting'))
    this.#fill()
  }

  /** Handlers that end at once would otherwise keep everybody else from their turn. */
  #fill(): void {
    for (; this.#begun < turnMax; this.#begun += 1) {
      const next = this.#slots.take()
      if (next === null) return
      if (this.#begun === 0) void this.#nextTurn()
      this.#run(next)
    }
  }

  async #nextTurn(): Promise<void> {
    await this.#env.clock.turn()
    this.#begun = 0
    this.#fill()
  }

  // ---- running

  #run(attempt: Attempt): void {
    attempt.phase = 'running'
    const ran = this.#execute(attempt, this.#reporter)
    attempt.ran = ran
    attempt.onStop = this.#abandon
    void ran.then((outcome) => this.#left(attempt, outcome))
    if (attempt.stopReason !== null) void this.#abandon(attempt)
  }

  /** A handler that was told to stop and does not is left behind after the grace time: null in place of its outcome. */
  readonly #abandon = async (attempt: Attempt): Promise<void> => {
    const returned = new AbortController()
    void attempt.ran?.then(() => returned.abort(waitOver))
    await this.#graceOf(attempt, returned.signal)
    if (returned.signal.aborted) return
    this.#env.metrics.add('stint_attempts_abandoned', { type: attempt.stored.job.type })
    this.#left(attempt, null)
  }

  /** Its handler has returned, or nobody waits for it any more: whichever comes first. */
  #left(attempt: Attempt, outcome: Outcome | null): void {
    if (attempt.hasLeft) return
    attempt.hasLeft = true
    this.#slots.leave()
    this.#fill()
    this.#claimLoop.left()
    this.#finish(attempt, outcome)
  }

  async #graceOf(attempt: Attempt, returned: AbortSignal): Promise<void> {
    // A stop of the whole worker has its own times: the attempt is over when it has been given back.
    if (attempt.stopReason === 'stopping') await aborted(attempt.whenOver)
    else await this.#env.clock.sleep(this.#settings.cancelGraceMs, returned)
  }

  #finish(attempt: Attempt, outcome: Outcome | null): void {
    const reason = attempt.stopReason
    // A checkpoint may have told that the attempt is lost; then nobody else here knows.
    if (attempt.phase === 'over' && this.#held.has(attempt)) this.#drop(attempt)
    if (attempt.phase === 'over' || reason === 'timeout') return
    const isCompleted = outcome?.ending.kind === 'completed'
    if (reason === 'stopping' && !isCompleted) void this.#endings.giveBack(attempt)
    else this.#endings.finish(attempt, outcome)
  }

  #forget(attempt: Attempt): void {
    attempt.end()
    this.#held.remove(attempt)
    this.#change.tell()
    // A worker that holds no suspect may take the next.
    if (attempt.stored.job.suspect) this.#claimLoop.look()
  }

  #drop(attempt: Attempt, reason: 'lost' | 'timeout' = 'lost'): void {
    this.#slots.remove(attempt)
    attempt.stop(reason)
    this.#endings.count(attempt, reason)
    this.#forget(attempt)
  }

  /** So many were taken because jobs ended fast. When they no longer do, others may have a free slot for what waits. */
  #giveBackWaiting(): void {
    const before = this.#env.clock.monotonic() - waitMaxMs
    for (const attempt of this.#slots.waiting.filter(({ heldSince }) => heldSince < before)) {
      this.#slots.remove(attempt)
      void this.#endings.giveBack(attempt)
    }
  }

  // ---- time

  /** The deadline stands in the database, for when this process hangs. Here it is kept to the moment. */
  async #timeOut(attempt: Attempt, timeoutMs: number): Promise<void> {
    const { clock } = this.#env
    await clock.sleep(timeoutMs, attempt.whenOver)
    while (attempt.phase === 'waiting' || attempt.phase === 'running') {
      attempt.stop('timeout')
      this.#slots.remove(attempt)
      attempt.phase = 'ending'
      if (await this.#endings.elapse(attempt)) return
      attempt.phase = 'running'
      await clock.sleep(20, attempt.whenOver)
    }
  }

  /** Upkeep, here or elsewhere, may have been faster to end it. Its time began a moment before it arrived here. */
  #isOutOfTime({ stored, heldSince }: Attempt): boolean {
    const { timeoutMs } = stored.job
    return timeoutMs !== null && this.#env.clock.monotonic() - heldSince >= timeoutMs - arrivalMs
  }

  // ---- what the store knows

  async #lookLoop(): Promise<void> {
    const { clock, metrics } = this.#env
    while (!this.#gone.signal.aborted) {
      await this.#news.wait(clock, jittered(this.#env, lookEveryMs), this.#gone.signal)
      if (this.#gone.signal.aborted) return
      this.#giveBackWaiting()
      if (this.#held.size > 0 || this.#claims.hasUnanswered) {
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
    const before = this.#held.all
    const endLook = this.#claims.beginLook()
    const listed = new Map((await this.#env.store.held(this.id)).map((each) => [keyOf(each.jobId, each.token), each]))
    for (const attempt of before) {
      const known = listed.get(attempt.key)
      if (attempt.phase === 'ending' || attempt.phase === 'over') continue
      if (known === undefined) this.#drop(attempt, this.#isOutOfTime(attempt) ? 'timeout' : 'lost')
      else if (known.cancelAsked && attempt.stopReason === null) this.#cancel(attempt)
    }
    const here = new Set(this.#held.all.map(({ key }) => key))
    const strays = [...listed].filter(([key, { token }]) => !here.has(key) && !this.#claims.isUnderWay(token))
    // One that cannot be read must not keep the others from being found.
    const count = () => this.#env.metrics.add('stint_store_errors', { doing: 'adopt' })
    const foundBefore = this.#strays
    this.#strays = new Set(strays.map(([key]) => key))
    for (const [key, { jobId, token }] of strays) {
      if (this.#claims.isUnanswered(token)) await this.#adopt(jobId, token).catch(count)
      else if (foundBefore.has(key)) await this.#endings.giveBackStray(jobId, token)
    }
    endLook()
  }

  #cancel(attempt: Attempt): void {
    attempt.stop('cancelled')
    // What has not begun needs no time to stop.
    if (this.#slots.remove(attempt)) this.#finish(attempt, null)
  }

  async #adopt(jobId: string, token: string): Promise<void> {
    const [stored] = await this.#env.store.find([{ id: jobId }])
    if (stored?.job.token !== token || stored.job.phase !== 'running') return
    if (this.#held.some(({ key }) => key === keyOf(jobId, token))) return
    this.#env.metrics.add('stint_claims_adopted')
    this.#take([stored], token)
  }
}
