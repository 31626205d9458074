import { StintError } from '../../core/errors.ts'
import { beatLoop } from '../../store/beat-loop.ts'
import type { Env } from '../env.ts'
import { Upkeep } from '../upkeep/upkeep.ts'
import { type Execute, executor } from './execute.ts'
import { Incarnation } from './incarnation.ts'
import type { Surroundings } from './make-context.ts'
import { patiently } from './patience.ts'
import { type WorkerOptions, type WorkerSettings, workerSettings } from './worker-settings.ts'

export interface StopOptions {
  /** How long running jobs may go on before they are stopped and given back, in milliseconds. Default 30,000. */
  readonly graceMs?: number
}

/**
 * Runs jobs until it is stopped. When it loses its lease, because the process was suspended or the database away for too
 * long, it drops what it held and begins a new life under a new id.
 */
export class Worker {
  readonly #env: Env
  readonly #settings: WorkerSettings
  readonly #execute: Execute
  readonly #upkeep: Upkeep
  readonly #stopping = new AbortController()
  #life: Incarnation | null = null
  #loop: Promise<void> | null = null
  #stopped: Promise<void> | null = null
  #graceMs = 30_000

  constructor(env: Env, options: WorkerOptions, surroundings: Surroundings) {
    this.#env = env
    this.#settings = workerSettings(options)
    this.#execute = executor(env, this.#settings, surroundings)
    this.#upkeep = new Upkeep(env, this.#settings)
  }

  /** The id of this life of the worker; null before it has started and after it has stopped. */
  get id(): string | null {
    return this.#life?.id ?? null
  }

  /** How many attempts it holds: those that run, and those that wait here for a free slot. */
  get heldCount(): number {
    return this.#life?.heldCount ?? 0
  }

  /** Starts to work. Resolves when the worker is known to the store. */
  async start(): Promise<void> {
    if (this.#loop !== null) {
      throw new StintError('illegal_transition', 'The worker was started before; make another one.', {})
    }
    const first = Promise.withResolvers<void>()
    this.#loop = this.#run(first.resolve)
    this.#upkeep.start()
    await Promise.race([first.promise, this.#loop])
  }

  /** Stops gracefully: nothing that it gives back is charged. Resolves when it holds nothing any more. */
  stop({ graceMs = 30_000 }: StopOptions = {}): Promise<void> {
    this.#graceMs = graceMs
    this.#stopping.abort()
    this.#stopped ??= Promise.all([this.#loop, this.#upkeep.stop()]).then(() => {})
    return this.#stopped
  }

  async #run(onStarted: () => void): Promise<void> {
    while (!this.#stopping.signal.aborted) await this.#live(onStarted)
    this.#life = null
  }

  /** One life: registered, working, and then either stopped or lost. */
  async #live(onStarted: () => void): Promise<void> {
    const env = this.#env
    const life = new Incarnation(env, this.#settings, this.#execute)
    const over = new AbortController()
    if (!(await this.#register(life.id))) return
    this.#life = life
    const { firstBeat, isLost } = this.#keepAlive(life.id, over.signal)
    // A handler that blocks this thread from the first moment on must not keep the heart from being started.
    await Promise.race([firstBeat, isLost, this.#whenStopping()])
    life.start()
    onStarted()
    const ending = await Promise.race([isLost.then(() => 'lost' as const), this.#whenStopping()])
    const isStopped =
      ending === 'stopping' &&
      (await Promise.race([life.stop(this.#graceMs).then(() => true), isLost.then(() => false)]))
    over.abort()
    // A life that was lost is not forgotten here: others find it with all that it held, of which they know then that it was
    // lost together, and a claim of it that is still on its way finds that it must take nothing.
    if (!isStopped) return this.#lose(life)
    await env.store.retire(life.id).catch(() => env.metrics.add('stint_store_errors', { doing: 'retire' }))
  }

  /** False when it stops before it is known, or was found lost before it heard that it is: the next life has another id. */
  async #register(id: string): Promise<boolean> {
    const { leaseMs, name, types, paths } = this.#settings
    const register = async () => {
      try {
        await this.#env.store.register({ id, name, leaseMs, types, paths })
        return true
      } catch (error) {
        if (error instanceof StintError && error.code === 'id_taken') return false
        throw error
      }
    }
    const stop = this.#stopping.signal
    return await patiently({ env: this.#env, doing: 'register', stop }, register).catch(() => false)
  }

  #lose(life: Incarnation): void {
    this.#env.metrics.add('stint_leases_lost')
    life.lose()
  }

  /** Renews the lease, from a thread where the store has one. Tells when that has begun, and when the lease is lost. */
  #keepAlive(workerId: string, stop: AbortSignal): { firstBeat: Promise<void>; isLost: Promise<void> } {
    const { store, clock, random } = this.#env
    const { leaseMs } = this.#settings
    const [firstBeat, isLost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const onBeat = (alive: boolean) => (alive ? firstBeat : isLost).resolve()
    if (store.heartbeat === undefined) {
      const pace = { now: () => clock.monotonic(), sleep: clock.sleep.bind(clock), random }
      const renew = () => store.renew({ workerId, leaseMs })
      void beatLoop({ leaseMs, renew, onBeat }, stop, pace)
    } else {
      const end = store.heartbeat({ workerId, leaseMs }, onBeat)
      stop.addEventListener('abort', end, { once: true })
    }
    return { firstBeat: firstBeat.promise, isLost: isLost.promise }
  }

  #whenStopping(): Promise<'stopping'> {
    const { signal } = this.#stopping
    if (signal.aborted) return Promise.resolve('stopping')
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopping'), { once: true }))
  }
}
