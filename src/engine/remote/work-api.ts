import type { Ending } from '../../core/job/commands.ts'
import type { RunFacts } from '../../core/job/events.ts'
import { toJsonText } from '../../core/json.ts'
import type { LogLine } from '../../store/store.ts'
import type { Env } from '../env.ts'
import { Later, type LaterOptions, Snooze } from '../later.ts'
import type { References } from '../references.ts'
import { outcomeOfReturn } from '../worker/outcome.ts'
import { type AttemptReference, RemoteAttempts } from './remote-attempts.ts'
import {
  type ClaimSignals,
  leaseDefaultMs,
  type RemoteClaim,
  type RemoteClaimed,
  RemoteClaims,
  type Surroundings,
} from './remote-claims.ts'

export interface Renewal {
  /** False: the worker was found lost, and holds nothing any more. */
  readonly alive: boolean
  /** Attempts whose end was asked for. */
  readonly cancel: readonly { readonly jobId: string; readonly token: string }[]
  /** Those of the attempts asked about that it does not hold. */
  readonly lost: readonly AttemptReference[]
}

/** How many lines of a log are kept; the last one says that it was cut. */
const lineMax = 5_000

/** For workers outside of this process, which claim, renew and end attempts by calls. */
export class WorkApi {
  readonly #env: Env
  readonly #references: References
  readonly #attempts: RemoteAttempts
  readonly #claims: RemoteClaims

  constructor(env: Env, references: References, around: Pick<Surroundings, 'watch' | 'view'>) {
    this.#env = env
    this.#references = references
    this.#attempts = new RemoteAttempts(env, references)
    this.#claims = new RemoteClaims(env, { ...around, references, attempts: this.#attempts })
  }

  /** Makes the worker known or renews its lease, and takes jobs for it, waiting for some if it is asked to. */
  claim(request: RemoteClaim, signals: ClaimSignals): Promise<RemoteClaimed> {
    return this.#claims.claim(request, signals)
  }

  /** Renews the lease of a worker, and tells what became of its attempts. */
  async renew({
    workerId,
    leaseMs = leaseDefaultMs,
    attempts = [],
  }: {
    readonly workerId: string
    readonly leaseMs?: number
    /** What the worker believes that it holds. */
    readonly attempts?: readonly AttemptReference[]
  }): Promise<Renewal> {
    const { store } = this.#env
    if (!(await store.renew({ workerId, leaseMs }))) return { alive: false, cancel: [], lost: attempts }
    const held = await store.held(workerId)
    const asked = held.filter(({ cancelAsked }) => cancelAsked)
    const found = await store.find(asked.map(({ jobId }) => ({ id: jobId })))
    const known = await this.#references.findAll(attempts.map(({ job }) => job))
    return {
      alive: true,
      cancel: asked.flatMap(({ token }, i) => {
        const stored = found[i]
        return stored ? [{ jobId: this.#references.idOf(stored), token }] : []
      }),
      lost: attempts.filter((attempt, i) => {
        return !held.some(({ jobId, token }) => jobId === known[i]?.job.id && token === attempt.token)
      }),
    }
  }

  /** Forgets a worker that has stopped. What it still holds is given back. */
  async retire(workerId: string): Promise<void> {
    const { store } = this.#env
    const held = await store.held(workerId)
    await Promise.all(held.map(({ jobId, token }) => this.#attempts.giveBack({ job: jobId, token })))
    await store.retire(workerId)
  }

  async complete(attempt: AttemptReference, result: unknown, facts: RunFacts = {}): Promise<void> {
    const ending = { kind: 'completed', resultDigest: null, facts } as const
    await this.#finish(attempt, ending, toJsonText(result, 'result'))
  }

  async fail(
    attempt: AttemptReference,
    error: string,
    { terminal = false, facts = {} }: { readonly terminal?: boolean; readonly facts?: RunFacts } = {},
  ): Promise<void> {
    await this.#finish(attempt, { kind: 'failed', error, terminal, random: this.#env.random(), facts })
  }

  /** Lets the job be run again after a time. Nothing is charged, a bounded number of times. */
  async snooze(attempt: AttemptReference, delayMs: number): Promise<void> {
    await this.#finish(attempt, outcomeOfReturn(new Snooze(delayMs), { random: this.#env.random(), now: 0 }).ending)
  }

  /** The attempt stays open without a worker, until it is answered or what it awaits has come. */
  async later(attempt: AttemptReference, options: LaterOptions): Promise<void> {
    const now = options.timeoutMs === undefined ? 0 : await this.#env.store.now()
    await this.#finish(attempt, outcomeOfReturn(new Later(options), { random: 0, now }).ending)
  }

  async giveBack(attempt: AttemptReference): Promise<void> {
    await this.#attempts.giveBack(attempt)
  }

  async progress(
    attempt: AttemptReference,
    {
      progress,
      checkpoint,
    }: { readonly progress?: { readonly done: number; readonly total: number | null }; readonly checkpoint?: unknown },
  ): Promise<void> {
    await this.#attempts.report(attempt, {
      ...(progress === undefined ? {} : { progress }),
      ...(checkpoint === undefined ? {} : { checkpoint: toJsonText(checkpoint, 'checkpoint') ?? 'null' }),
    })
  }

  /** The lines of an attempt have numbers, so that those that are sent twice are kept once. */
  async log(attempt: AttemptReference, lines: readonly LogLine[]): Promise<void> {
    const cut = '… the log is cut here: a run keeps no more.'
    const kept = lines.filter(({ seq }) => seq <= lineMax)
    await this.#attempts.report(attempt, {
      lines: kept.map((line) => (line.seq === lineMax ? { ...line, line: cut } : line)),
    })
  }

  async #finish(attempt: AttemptReference, ending: Ending, result: string | null = null): Promise<void> {
    await this.#attempts.end(attempt, { type: 'finish', token: attempt.token, ending }, result)
  }
}
