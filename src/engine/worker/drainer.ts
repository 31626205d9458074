import type { StoredJob } from '../../store/store.ts'
import type { Env } from '../env.ts'
import { Signal } from '../hub.ts'
import { archiveEvents } from '../upkeep/archive-events.ts'
import { carryOutFollowUps } from '../upkeep/carry-out-follow-ups.ts'
import { elapseOverdue } from '../upkeep/elapse-overdue.ts'
import { fillDueSlots } from '../upkeep/fill-due-slots.ts'
import { fireSchedules } from '../upkeep/fire-schedules.ts'
import { pruneOldJobs } from '../upkeep/prune-old-jobs.ts'
import { Attempt, aborted } from './attempt.ts'
import { Endings } from './endings.ts'
import { type Execute, executor } from './execute.ts'
import type { Surroundings } from './make-context.ts'
import { Reporter } from './reporter.ts'
import { type WorkerOptions, type WorkerSettings, workerSettings } from './worker-settings.ts'

const claimMax = 100

/** Runs what is ready until nothing is, for tests: no loops, no leases, no waiting. */
export class Drainer {
  readonly #env: Env
  readonly #settings: WorkerSettings
  readonly #execute: Execute
  readonly #reporter: Reporter
  readonly #endings: Endings

  constructor(env: Env, options: WorkerOptions, surroundings: Surroundings) {
    this.#env = env
    this.#settings = workerSettings(options)
    this.#execute = executor(env, this.#settings, surroundings)
    const never = new AbortController().signal
    this.#reporter = new Reporter(env, never)
    this.#endings = new Endings(env, never, (attempt) => attempt.end())
  }

  async drain(): Promise<void> {
    const { store, clock, hub, newId } = this.#env
    const { types, paths, fairness } = this.#settings
    const turns = fairness === 'namespace' ? { after: null } : null
    const workerId = newId()
    const ready = new Signal()
    const leave = hub.onReady(ready, types)
    const running = new Set<Promise<void>>()
    await store.register({ id: workerId, name: 'drain', leaseMs: this.#settings.leaseMs })
    for (;;) {
      await fireSchedules(this.#env)
      await fillDueSlots(this.#env)
      await elapseOverdue(this.#env)
      await carryOutFollowUps(this.#env)
      const token = newId()
      const jobs = await store.claim({ workerId, token, types, paths, fairness: turns, limit: claimMax })
      for (const stored of jobs) {
        const run = this.#run(stored, token).finally(() => running.delete(run))
        running.add(run)
      }
      if (jobs.length > 0) continue
      if (running.size === 0) break
      // A handler may wait for a job that it submitted, so what becomes ready meanwhile runs beside it.
      const over = new AbortController()
      await Promise.race([...running, ready.wait(clock, Number.MAX_SAFE_INTEGER, over.signal)])
      over.abort()
    }
    leave()
    await store.retire(workerId)
    await pruneOldJobs(this.#env)
    await archiveEvents(this.#env)
  }

  async #run(stored: StoredJob, token: string): Promise<void> {
    const attempt = new Attempt(stored, token, this.#env.clock.monotonic())
    attempt.phase = 'running'
    const outcome = await this.#execute(attempt, this.#reporter)
    const written = aborted(attempt.whenOver)
    this.#endings.finish(attempt, outcome)
    await written
  }

  /** The next instant up to a time at which a schedule is due, or a job that this process knows of. */
  async nextDue(until: number): Promise<number | null> {
    const { hub, clock } = this.#env
    await fireSchedules(this.#env)
    await fillDueSlots(this.#env)
    const next = hub.nextDue(clock.monotonic())
    const instant = next === null ? null : clock.now() + next - clock.monotonic()
    return instant !== null && instant < until ? instant : null
  }
}
