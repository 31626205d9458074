import { StintError } from '../../core/errors.ts'
import type { Job } from '../../core/job/job.ts'
import type { Json } from '../../core/json.ts'
import type { ClaimRequest, StoredJob } from '../../store/store.ts'
import { type Env, jittered } from '../env.ts'
import { Signal } from '../hub.ts'
import type { JobView } from '../job-view.ts'
import type { References } from '../references.ts'
import { whyStuck } from '../worker/execute.ts'
import type { AttemptReference, RemoteAttempts } from './remote-attempts.ts'

export interface RemoteClaim {
  /** A UUID that is new for each life of the worker. Made up if absent. */
  readonly workerId?: string
  /** A label for people. */
  readonly name?: string
  readonly types: readonly string[]
  /** Default 1. */
  readonly limit?: number
  /** How long the worker counts as alive without a sign of life, in milliseconds. Default 30,000. */
  readonly leaseMs?: number
  /** How long to wait for work, in milliseconds. Default 0. */
  readonly waitMs?: number
  /** Only jobs at or below these names. Default all. */
  readonly paths?: readonly string[]
  /** A UUID that is new for each claim: the same once more gives what the first has taken, for when its answer was lost. */
  readonly token?: string
}

/** One attempt, as a worker elsewhere gets it. */
export interface ClaimedAttempt {
  readonly job: JobView
  readonly runId: string
  readonly token: string
  readonly attempt: number
  /** What the attempt before has saved; null for nothing. */
  readonly checkpoint: Json
  readonly timeoutMs: number | null
  /** What it needed and did not get. */
  readonly upstream: NonNullable<Job['upstream']>
  readonly traceparent: string | null
}

export interface RemoteClaimed {
  readonly workerId: string
  readonly leaseMs: number
  /** By the database's clock. */
  readonly leaseUntil: Date
  readonly jobs: readonly ClaimedAttempt[]
}

/** Who waits for a claim. */
export interface ClaimSignals {
  /** Nobody reads the answer any more: what was taken is given back, also if that turns out after it was given. */
  readonly gone: AbortSignal
  /** There is no more time to wait. */
  readonly closing: AbortSignal
}

export const leaseDefaultMs = 30_000
/** How often to look for work when nothing says that there is some. */
const pollMs = 1_000

/** What claims need of the Stint that they are made in. */
export interface Surroundings {
  readonly references: References
  readonly attempts: RemoteAttempts
  /** Begins to hear of other processes and returns how to end it. */
  watch(): () => void
  view(stored: StoredJob): JobView
}

/** Claims for workers of other processes. */
export class RemoteClaims {
  readonly #env: Env
  readonly #around: Surroundings
  /** Workers with a claim under way: a second one at the same time must not take a suspect, too. */
  readonly #claiming = new Set<string>()

  constructor(env: Env, around: Surroundings) {
    this.#env = env
    this.#around = around
  }

  /** Makes the worker known or renews its lease, and takes jobs for it, waiting for some if it is asked to. */
  async claim(request: RemoteClaim, { gone, closing }: ClaimSignals): Promise<RemoteClaimed> {
    const { workerId = this.#env.newId(), leaseMs = leaseDefaultMs, token = this.#env.newId() } = request
    const asked = { ...request, workerId, leaseMs, token }
    let leaseUntil = await this.#enlist(asked, request.workerId === undefined)
    const renew = async () => {
      leaseUntil = await this.#renewed(asked)
    }
    const repeated = request.token === undefined ? [] : await this.#takenBy(workerId, token)
    const taken = repeated.length > 0 ? repeated : await this.#wait(asked, AbortSignal.any([gone, closing]), renew)
    const giveBack = () => this.#giveBackAll(taken).catch(() => {})
    try {
      if (repeated.length === 0) this.#count(taken)
      const jobs = await Promise.all((await this.#runnable(taken)).map((stored) => this.#attemptOf(stored)))
      if (gone.aborted) await giveBack()
      else gone.addEventListener('abort', giveBack, { once: true })
      return { workerId, leaseMs, leaseUntil: new Date(leaseUntil), jobs }
    } catch (error) {
      // Nobody will hear that they were taken.
      await giveBack()
      throw error
    }
  }

  #count(taken: readonly StoredJob[]): void {
    for (const { job } of taken) this.#env.metrics.add('stint_jobs_claimed', { type: job.type })
  }

  async #enlist(asked: RemoteClaim & { workerId: string; leaseMs: number }, isNew: boolean): Promise<number> {
    const { store } = this.#env
    const { workerId, leaseMs, name = 'http', types, paths } = asked
    const until = (await store.now()) + leaseMs
    if (!isNew && (await store.renew({ workerId, leaseMs }))) return until
    try {
      await store.register({ id: workerId, name, leaseMs, types, paths: paths ?? null })
    } catch (error) {
      if (error instanceof StintError && error.code === 'id_taken') throw lost(workerId)
      throw error
    }
    return until
  }

  async #renewed({ workerId, leaseMs }: { workerId: string; leaseMs: number }): Promise<number> {
    const { store } = this.#env
    const until = (await store.now()) + leaseMs
    if (!(await store.renew({ workerId, leaseMs }))) throw lost(workerId)
    return until
  }

  /** What an earlier claim with this token has taken. */
  async #takenBy(workerId: string, token: string): Promise<readonly StoredJob[]> {
    const { store } = this.#env
    const held = (await store.held(workerId)).filter((each) => each.token === token)
    const found = await store.find(held.map(({ jobId }) => ({ id: jobId })))
    return found.filter((stored): stored is StoredJob => stored?.job.token === token && stored.job.phase === 'running')
  }

  async #wait(asked: Asked, stop: AbortSignal, renew: () => Promise<void>): Promise<readonly StoredJob[]> {
    const { clock, hub } = this.#env
    const { waitMs = 0, leaseMs } = asked
    const until = clock.monotonic() + waitMs
    const ready = new Signal()
    const leave = waitMs === 0 ? [] : [hub.onReady(ready, asked.types), this.#around.watch()]
    let renewedAt = clock.monotonic()
    try {
      while (!stop.aborted) {
        const lookedAt = clock.monotonic()
        const jobs = await this.#take(asked)
        const left = until - clock.monotonic()
        if (jobs.length > 0 || left <= 0) return jobs
        const due = (hub.nextDue(lookedAt) ?? Number.POSITIVE_INFINITY) - clock.monotonic()
        await ready.wait(clock, Math.min(left, due, jittered(this.#env, pollMs), leaseMs / 3), stop)
        if (stop.aborted || clock.monotonic() - renewedAt < leaseMs / 3) continue
        renewedAt = clock.monotonic()
        await renew()
      }
      return []
    } finally {
      for (const each of leave) each()
    }
  }

  async #take({ workerId, token, types, limit = 1, paths }: Asked): Promise<readonly StoredJob[]> {
    const isAlone = !this.#claiming.has(workerId)
    this.#claiming.add(workerId)
    try {
      const suspectLimit = isAlone && !(await this.#holdsSuspect(workerId)) ? 1 : 0
      return await this.#env.store.claim({ workerId, token, types, limit, suspectLimit, paths: paths ?? null })
    } finally {
      if (isAlone) this.#claiming.delete(workerId)
    }
  }

  /** A worker must never hold two suspects: of what is lost together, nobody could tell which was to blame. */
  async #holdsSuspect(workerId: string): Promise<boolean> {
    const { store } = this.#env
    const held = await store.held(workerId)
    const found = held.length === 0 ? [] : await store.find(held.map(({ jobId }) => ({ id: jobId })))
    return found.some((stored) => stored?.job.suspect === true)
  }

  /** Without those that were released only to say why they cannot run. */
  async #runnable(taken: readonly StoredJob[]): Promise<readonly StoredJob[]> {
    const runnable: StoredJob[] = []
    for (const stored of taken) {
      const stuck = whyStuck(stored.job)
      if (stuck === null) runnable.push(stored)
      else await this.#failStuck(stored, stuck)
    }
    return runnable
  }

  async #failStuck(stored: StoredJob, error: string): Promise<void> {
    const attempt = referenceOf(stored)
    const ending = { kind: 'failed', error, terminal: true, random: this.#env.random() } as const
    await this.#around.attempts.end(attempt, { type: 'finish', token: attempt.token, ending })
  }

  async #attemptOf(stored: StoredJob): Promise<ClaimedAttempt> {
    const { attempt, token, timeoutMs, upstream, id } = stored.job
    // A first attempt has nothing before it, so nothing is read for it.
    const { checkpoint } = attempt === 1 ? { checkpoint: null } : await this.#env.store.notes(id)
    return {
      job: this.#around.view(stored),
      runId: this.#around.references.runIdOf(stored),
      token: token ?? '',
      attempt,
      checkpoint: checkpoint === null ? null : (JSON.parse(checkpoint) as Json),
      timeoutMs,
      upstream: upstream ?? [],
      traceparent: stored.trace,
    }
  }

  async #giveBackAll(taken: readonly StoredJob[]): Promise<void> {
    await Promise.all(taken.map((stored) => this.#around.attempts.giveBack(referenceOf(stored))))
  }
}

type Asked = RemoteClaim & Pick<ClaimRequest, 'workerId' | 'token'> & { readonly leaseMs: number }

function referenceOf({ job }: StoredJob): AttemptReference {
  return { job: job.id, token: job.token ?? '' }
}

function lost(workerId: string): StintError {
  const message = `The worker ${workerId} was found lost, or is somebody else's: go on under a new id.`
  return new StintError('worker_lost', message, { workerId })
}
