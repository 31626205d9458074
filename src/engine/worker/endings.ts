import type { ApplyRequest, ApplyResult } from '../../store/store.ts'
import type { Env } from '../env.ts'
import type { Attempt } from './attempt.ts'
import { Completer } from './completer.ts'
import type { Outcome } from './outcome.ts'

type Command = ApplyRequest['command']

const conflictPauseMs = 20

/** Writes how the attempts of one life of a worker end, each once, and counts it. */
export class Endings {
  readonly #env: Env
  readonly #completer: Completer
  readonly #forget: (attempt: Attempt) => void

  /** `stop` is the end of that life; `forget` is told of every attempt that is over. */
  constructor(env: Env, stop: AbortSignal, forget: (attempt: Attempt) => void) {
    this.#env = env
    this.#completer = new Completer(env, stop)
    this.#forget = forget
  }

  /** Without an outcome the attempt was told to stop and did not. */
  async finish(attempt: Attempt, outcome: Outcome | null): Promise<void> {
    const { ending, result } = outcome ?? { ending: { kind: 'cancelled' } as const, result: null }
    await this.#end(attempt, { type: 'finish', token: attempt.token, ending }, result)
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

  /** Whoever comes second finds the attempt ending. */
  async #end(attempt: Attempt, command: Command, result: string | null = null): Promise<void> {
    if (attempt.phase === 'ending' || attempt.phase === 'over') return
    attempt.phase = 'ending'
    try {
      if (await this.#isCompleted(attempt, command, result)) return this.#forget(attempt)
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

  async #isCompleted(attempt: Attempt, command: Command, result: string | null): Promise<boolean> {
    if (command.type !== 'finish' || command.ending.kind !== 'completed') return false
    const { facts } = command.ending
    const completion = { job: attempt.stored, result, context: contextOf(attempt) }
    const isDone = await this.#completer.complete(facts === undefined ? completion : { ...completion, facts })
    if (isDone) this.#count(attempt, command, { ok: true })
    return isDone
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
