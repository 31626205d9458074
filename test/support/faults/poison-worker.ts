import { expect, onTestFinished } from 'vitest'
import type { RunningProgram } from '../processes/run-program.ts'
import { chargedOf, expectSound, outcomesOf, untilAllEnded } from './expectations.ts'
import { submitWork } from './kill-workers.ts'
import type { Place } from './place.ts'

export const poisons = ['exit', 'kill', 'throw'] as const

export interface Poisoning {
  readonly kind: (typeof poisons)[number]
  readonly others: number
  readonly maxAttempts: number
}

/** A job that takes its process with it, among others that do not, in a worker that is started again whenever it ends. */
export async function poisonWorker(place: Place, { kind, others, maxAttempts }: Poisoning): Promise<void> {
  const retry = { maxAttempts, baseMs: 10, capMs: 100 }
  const poison = await place.stint.submit('poison', { kind }, { retry })
  await submitWork(place, others, 50)
  // A lease that ended because the machine is busy would be charged to whoever was alone at that moment.
  const supervisor = new Supervisor(() => place.start('work-with-stint', { leaseMs: 4_000 }))
  await expect(poison.result()).rejects.toMatchObject({ code: 'job_failed' })
  const all = await untilAllEnded(place)
  await supervisor.stop()
  await expectSound(place, all)
  expect(outcomesOf(all)).toEqual({ COMPLETED: others, FAILED: 1 })
  expect((await place.stint.jobs.get(poison.id))?.charged).toBe(maxAttempts)
  expect(chargedOf(all)).toBe(maxAttempts)
  // Each of its attempts was a process of its own, and no innocent one was the end of another.
  expect(supervisor.started).toBe((await place.stint.runs.list({ job: poison.id })).items.length + 1)
}

/** Starts a program again whenever it ends. */
class Supervisor {
  started = 0
  readonly #start: () => RunningProgram
  readonly #loop: Promise<void>
  #running: RunningProgram | null = null
  #isStopped = false

  constructor(start: () => RunningProgram) {
    this.#start = start
    this.#loop = this.#run()
    onTestFinished(() => this.stop())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running?.kill()
    await this.#loop
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#running = this.#start()
      this.started += 1
      await this.#running.ended()
    }
  }
}
