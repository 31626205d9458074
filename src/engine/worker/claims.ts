import { JobName } from '../../core/names/job-name.ts'
import type { ClaimRequest, StoredJob } from '../../store/store.ts'
import { type Env, jittered } from '../env.ts'
import type { WorkerSettings } from './worker-settings.ts'

/** How many claims without an answer are remembered. What they took is found by `held`. */
const unansweredMax = 100
/** Between a claim that failed and the next. */
const pauseMs = { first: 50, longest: 5_000 } as const

/** Claims jobs, and remembers the claims of which nobody knows what they took. */
export class Claims {
  readonly #env: Env
  readonly #workerId: string
  readonly #settings: WorkerSettings
  /** Tokens of claims whose answer was lost: the store may have given this worker jobs that it does not know of. */
  readonly #unanswered = new Set<string>()
  /** The tokens of claims that are under way. */
  readonly #underWay = new Set<string>()
  #failedInARow = 0
  /** The namespace that had the last turn, for a worker that takes turns. */
  #lastTurn: string | null = null
  /**
   * Until this moment a claim without an answer may still take effect. It may have taken a suspect, and a worker must never
   * hold two: so none is asked for before a later look has shown everything that is held. Null when nothing is unclear.
   */
  #unclearUntil: number | null = null

  constructor(env: Env, workerId: string, settings: WorkerSettings) {
    this.#env = env
    this.#workerId = workerId
    this.#settings = settings
  }

  get isUnclear(): boolean {
    return this.#unclearUntil !== null
  }

  /** Begins a look at what the store says is held here. What it returns is called when all of that is known here. */
  beginLook(): () => void {
    const unclear = this.#unclearUntil
    const isClear = unclear !== null && this.#env.clock.monotonic() >= unclear
    return () => {
      if (isClear && this.#unclearUntil === unclear) this.#unclearUntil = null
    }
  }

  get hasUnanswered(): boolean {
    return this.#unanswered.size > 0
  }

  isUnanswered(token: string): boolean {
    return this.#unanswered.has(token)
  }

  isUnderWay(token: string): boolean {
    return this.#underWay.has(token)
  }

  /**
   * Gives what it got to `take`, and tells how many; null when it failed. Then it may still have taken jobs, and its token
   * is kept to find them.
   */
  async claim(
    limits: Pick<ClaimRequest, 'limit' | 'suspectLimit'>,
    take: (jobs: readonly StoredJob[], token: string) => void,
  ): Promise<number | null> {
    const { store, newId, metrics } = this.#env
    const token = newId()
    this.#underWay.add(token)
    try {
      const jobs = await store.claim({ ...this.#request(), ...limits, token })
      this.#noteTurn(jobs)
      take(jobs, token)
      this.#failedInARow = 0
      return jobs.length
    } catch {
      metrics.add('stint_store_errors', { doing: 'claim' })
      this.#remember(token)
      return null
    } finally {
      this.#underWay.delete(token)
    }
  }

  #request(): Pick<ClaimRequest, 'workerId' | 'types' | 'paths' | 'fairness' | 'context'> {
    const { types, paths, fairness } = this.#settings
    const turns = fairness === 'namespace' ? { after: this.#lastTurn } : null
    const workerId = this.#workerId
    return { workerId, types, paths, fairness: turns, context: { actor: `worker ${workerId}` } }
  }

  #noteTurn(jobs: readonly StoredJob[]): void {
    const last = jobs.at(-1)
    if (last !== undefined) this.#lastTurn = JobName.parse(last.job.name).namespace
  }

  /** After a failure the next try comes soon, however rarely the worker polls, and later the more have failed. */
  async pause(stop: AbortSignal): Promise<void> {
    const ms = Math.min(pauseMs.longest, pauseMs.first * 2 ** this.#failedInARow)
    this.#failedInARow += 1
    await this.#env.clock.sleep(jittered(this.#env, ms), stop)
  }

  #remember(token: string): void {
    this.#unclearUntil = this.#env.clock.monotonic() + this.#settings.leaseMs
    this.#unanswered.add(token)
    for (const oldest of this.#unanswered) {
      if (this.#unanswered.size > unansweredMax) this.#unanswered.delete(oldest)
    }
  }
}
