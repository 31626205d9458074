import { Wake } from '../clock.ts'
import { type Env, jittered } from '../env.ts'
import { archiveEvents } from './archive-events.ts'
import { carryOutFollowUps } from './carry-out-follow-ups.ts'
import { elapseOverdue } from './elapse-overdue.ts'
import { fillDueSlots } from './fill-due-slots.ts'
import { fireSchedules } from './fire-schedules.ts'
import { pruneOldJobs } from './prune-old-jobs.ts'
import { rescueLostJobs } from './rescue-lost-jobs.ts'

export interface UpkeepSettings {
  readonly upkeepMs: number
  readonly leaseMs: number
}

/** How long the first run of one service keeps the next from starting, at the most. */
const staggerMs = 50

interface Service {
  readonly name: string
  readonly everyMs: number
  /** May give in how many milliseconds it wants to run again at the latest. */
  readonly run: (env: Env) => Promise<unknown>
}

/**
 * What must happen though nobody asks for it. It runs in every process that works, without a leader: each write is guarded,
 * so two that do the same at once do it once. A service that fails is tried again at its next turn, for ever.
 */
export class Upkeep {
  readonly #env: Env
  readonly #services: readonly Service[]
  readonly #stopping = new AbortController()
  #loops: Promise<unknown> = Promise.resolve()

  constructor(env: Env, { upkeepMs, leaseMs }: UpkeepSettings) {
    this.#env = env
    this.#services = [
      { name: 'rescue', everyMs: Math.max(upkeepMs, leaseMs / 5), run: rescueLostJobs },
      { name: 'elapse', everyMs: upkeepMs, run: elapseOverdue },
      { name: 'schedules', everyMs: upkeepMs, run: fireSchedules },
      { name: 'slots', everyMs: upkeepMs, run: fillDueSlots },
      { name: 'follow up', everyMs: upkeepMs, run: carryOutFollowUps },
      { name: 'prune', everyMs: 60 * upkeepMs, run: pruneOldJobs },
      { name: 'archive', everyMs: 60 * upkeepMs, run: archiveEvents },
    ]
  }

  /**
   * One service after the other at first: together they would take the connections that jobs are about to need. One that has much to
   * do after an outage holds up the others for a moment and no longer.
   */
  start(): void {
    this.#loops = this.#startFrom(0)
  }

  async #startFrom(index: number): Promise<void> {
    const service = this.#services[index]
    if (service === undefined || this.#stopping.signal.aborted) return
    const over = new Wake()
    const first = this.#run(service).finally(() => over.wake())
    await this.#env.clock.sleep(staggerMs, over)
    await Promise.all([first.then((waitMs) => this.#loop(service, waitMs)), this.#startFrom(index + 1)])
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#env.hub.upkeep.tell()
    await this.#loops
  }

  async #loop(service: Service, firstMs: number): Promise<void> {
    const { hub, clock } = this.#env
    const { signal } = this.#stopping
    for (let ms = firstMs; !signal.aborted; ms = await this.#run(service)) {
      if (service.name === 'follow up') await hub.upkeep.wait(clock, ms, signal)
      else await clock.sleep(ms, signal)
      if (signal.aborted) return
    }
  }

  /** Tells after how many milliseconds it is to run again. */
  async #run({ name, everyMs, run }: Service): Promise<number> {
    const wanted = await run(this.#env).catch(() => this.#env.metrics.add('stint_upkeep_errors', { service: name }))
    return Math.min(jittered(this.#env, everyMs), typeof wanted === 'number' ? wanted : everyMs)
  }
}
