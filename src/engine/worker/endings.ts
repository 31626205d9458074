import type { Ending } from '../../core/job/commands.ts'
import type { ApplyRequest, ApplyResult } from '../../store/store.ts'
import type { Env } from '../env.ts'
import type { DurationSeries } from '../histogram.ts'
import type { Counter } from '../metrics.ts'
import type { Attempt } from './attempt.ts'
import { Completer } from './completer.ts'
import type { Outcome } from './outcome.ts'

type Command = ApplyRequest['command']
type Completed = Extract<Ending, { kind: 'completed' }>

const conflictPauseMs = 20

/** Writes how the attempts of one life of a worker end, each once, and counts it. */
export class Endings {
  readonly #env: Env
  readonly #completer: Completer
  readonly #forget: (attempt: Attempt) => void
  /** By type: they are looked up once, and counted for every job. */
  readonly #completed = new Map<string, { readonly ended: Counter; readonly took: DurationSeries }>()

  /** `stop` is the end of that life; `forget` is told of every attempt that is over. */
  constructor(env: Env, stop: AbortSignal, forget: (attempt: Attempt) => void) {
    this.#env = env
    this.#completer = new Completer(env, stop)
    this.#forget = forget
  }

  /** Without an outcome the attempt was told to stop and did not. `forget` is told when it is written. */
  finish(attempt: Attempt, outcome: Outcome | null): void {
    const { ending, result } = outcome ?? { ending: { kind: 'cancelled' } as const, result: null }
    if (ending.kind === 'completed') this.#complete(attempt, ending, result)
    else void this.#end(attempt, { type: 'finish', token: attempt.token, ending }, result)
  }

  async giveBack(attempt: Attempt): Promise<void> {
    await this.#end(attempt, { type: 'giveBack', token: attempt.token })
  }

  /** Gives back what the store says is held here, though nobody here knows it. */
  async giveBackStray(job: string, token: string): Promise<void> {
    await this.#completer.add({ job, command: { type: 'giveBack', token } })
  }

  /** Ends an attempt whose time is over. False when by the clock of the database it is a moment too early. */
  async elapse(attempt: Attempt): Promise<boolean> {
    const command = { type: 'elapse', random: this.#env.random() } as const
    const request = { job: attempt.stored.job.id, command, context: contextOf(attempt) }
    const applied = await this.#completer.add(request).catch(() => null)
    if (applied?.ok && holds(applied, attempt)) return false
    if (applied !== null) this.#count(attempt, command, applied)
    this.#forget(attempt)
    return true
  }

  /** Counts an attempt that others have ended: upkeep because of its time, or those who took it for lost. */
  count(attempt: Attempt, reason: 'lost' | 'timeout'): void {
    this.#count(attempt, { type: 'elapse', random: 0 }, { ok: reason === 'timeout' })
  }

  /** The end that nearly all attempts have takes no promise of its own, and no way but the short one. */
  #complete(attempt: Attempt, ending: Completed, result: string | null): void {
    if (isEnding(attempt)) return
    attempt.phase = 'ending'
    const { stored } = attempt
    const context = contextOf(attempt)
    const { facts } = ending
    const completion = facts === undefined ? { job: stored, result, context } : { job: stored, result, context, facts }
    const done = (isDone: boolean) => {
      if (!isDone) {
        attempt.phase = 'running'
        return void this.#end(attempt, { type: 'finish', token: attempt.token, ending }, result)
      }
      this.#countCompleted(attempt)
      this.#forget(attempt)
    }
    // Only the end of this life ends the patience of the completer: the attempt is for others to rescue.
    this.#completer.complete(completion, done, () => this.#forget(attempt))
  }

  #countCompleted({ stored, heldSince }: Attempt): void {
    const { type } = stored.job
    const { metrics, clock } = this.#env
    let counters = this.#completed.get(type)
    if (counters === undefined) {
      const ended = metrics.counter('stint_attempts_ended', { type, how: 'completed' })
      counters = { ended, took: metrics.series('stint_run_seconds', { type }) }
      this.#completed.set(type, counters)
    }
    counters.ended.value += 1
    counters.took.add(clock.monotonic() - heldSince)
  }

  /** Whoever comes second finds the attempt ending. */
  async #end(attempt: Attempt, command: Command, result: string | null = null): Promise<void> {
    if (isEnding(attempt)) return
    attempt.phase = 'ending'
    try {
      const applied = await this.#completer.add({ job: attempt.stored, command, result, context: contextOf(attempt) })
      if (!applied.ok && applied.error.code === 'conflict') {
        // Nothing is wrong with the end; others were in its way.
        attempt.phase = 'running'
        await this.#env.clock.sleep(conflictPauseMs, attempt.whenOver)
        return await this.#end(attempt, command, result)
      }
      if (!applied.ok && isUnwritable(applied, command)) {
        attempt.phase = 'running'
        return await this.#end(attempt, unwritable(attempt.token, applied.error.message, this.#env.random()))
      }
      this.#count(attempt, command, applied)
    } catch {
      // Only the end of this life ends the patience of the completer: the attempt is for others to rescue.
    }
    this.#forget(attempt)
  }

  #count({ stored, heldSince }: Attempt, command: Command, applied: Pick<ApplyResult, 'ok'>): void {
    const { metrics, clock } = this.#env
    const { type } = stored.job
    if (applied.ok) {
      const how = command.type === 'finish' ? command.ending.kind : command.type
      metrics.add('stint_attempts_ended', { type, how })
      metrics.took('stint_run_seconds', { type }, clock.monotonic() - heldSince)
    } else metrics.add('stint_attempts_lost', { type })
  }
}

function isEnding({ phase }: Attempt): boolean {
  return phase === 'ending' || phase === 'over'
}

function holds({ stored: { job } }: Extract<ApplyResult, { ok: true }>, { token }: Attempt): boolean {
  return job.token === token && job.phase === 'running'
}

function contextOf({ stored, observed }: Attempt) {
  return { actor: `worker ${stored.job.workerId}`, ...observed }
}

/** A result that the store refuses would keep the attempt open for ever: it fails instead, and says why. */
function isUnwritable({ error }: Extract<ApplyResult, { ok: false }>, command: Command): boolean {
  const isFinal = ['stale_token', 'not_found', 'conflict'].includes(error.code)
  return !isFinal && command.type === 'finish' && !(command.ending.kind === 'failed' && command.ending.terminal)
}

function unwritable(token: string, error: string, random: number): Command {
  return { type: 'finish', token, ending: { kind: 'failed', error, terminal: true, random } }
}
