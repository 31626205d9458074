/**
 * A process in which one system is measured. The parent says what to do next; times are taken here, so that no message on
 * its way is part of them.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Contestant } from './contestants.ts'
import { serve } from './serve.ts'
import { type Handler, type Job, type Open, params, type System } from './system.ts'

export interface Submissions {
  readonly count: number
  /** Priorities from 0 to 99 by chance instead of 0. */
  /** Of how many priorities each has one by chance. Default 1: all have the same. */
  readonly priorities?: number
  readonly scheduledFor?: number
  /** Behind a limit that lets nothing start. */
  readonly limited?: boolean
}

export interface Drained {
  readonly ms: number
  /** How long a timer of the process came too late meanwhile. */
  readonly loopDelayP99Ms: number
  readonly loopDelayMaxMs: number
}

const noop: Handler = () => Promise.resolve()

export function commandsOf(system: System) {
  let handler = noop
  let handled = 0
  let onHandled = () => {}
  let isWorking = false
  /** When the handler of a marked job began, by the clock that all processes share. */
  const startedAt = new Map<number, bigint>()

  const run: Handler = async (given) => {
    await handler(given)
    handled += 1
    onHandled()
  }

  async function work(): Promise<void> {
    if (isWorking) return
    isWorking = true
    await system.start(run)
  }

  const untilHandled = (count: number) =>
    new Promise<void>((resolve) => {
      onHandled = () => {
        if (handled >= count) resolve()
      }
      onHandled()
    })

  async function untilRecorded(): Promise<void> {
    while ((await system.unrecorded()) > 0) await nextTurn()
  }

  const commands = {
    async submit(submissions: Submissions): Promise<number> {
      const jobs = jobsOf(submissions)
      const begun = performance.now()
      await system.submitMany(jobs)
      return performance.now() - begun
    },

    /** From the start of the worker until the last of so many jobs is recorded as done. */
    async drain(count: number): Promise<Drained> {
      handled = 0
      const delay = monitorEventLoopDelay({ resolution: loopResolutionMs })
      delay.enable()
      // It measures from one tick of its timer to the next: the first must have been.
      await sleep(5 * loopResolutionMs)
      const begun = performance.now()
      await work()
      await untilHandled(count)
      await untilRecorded()
      const ms = performance.now() - begun
      // A loop that was never free until now has yet to notice how late it is.
      await sleep(5 * loopResolutionMs)
      delay.disable()
      return { ms, loopDelayP99Ms: late(delay.percentile(99)), loopDelayMaxMs: late(delay.max) }
    },

    /** The same for many processes at once: the parent adds up how far each is. */
    async work(): Promise<void> {
      handled = 0
      await work()
    },
    handled: () => handled,
    untilRecorded,

    async stop(): Promise<void> {
      isWorking = false
      await system.stop()
    },

    /** How long after the call to submit the handler begins, for an idle worker in the same process. */
    async latencies(count: number, pauseMaxMs: number): Promise<readonly number[]> {
      await work()
      const found: number[] = []
      for (let i = 0; i < count; i++) {
        await pause(pauseMaxMs)
        const begins = Promise.withResolvers<number>()
        handler = () => Promise.resolve(begins.resolve(performance.now()))
        const submitted = performance.now()
        await system.submit(params(i))
        found.push((await begins.promise) - submitted)
      }
      handler = noop
      return found
    },

    /** How long one durable submission takes, for a process that is as idle between them as a worker is. */
    async commits(count: number, pauseMaxMs: number): Promise<readonly number[]> {
      const found: number[] = []
      for (let i = 0; i < count; i++) {
        await pause(pauseMaxMs)
        const begun = performance.now()
        await system.submit(params(i))
        found.push(performance.now() - begun)
      }
      return found
    },

    /** Makes the handler note when it begins, for jobs that another process submits. */
    async noteStarts(): Promise<void> {
      handler = ({ n }) => Promise.resolve(void startedAt.set(n, process.hrtime.bigint()))
      await work()
    },
    async submitMarked(n: number): Promise<string> {
      const submitted = process.hrtime.bigint()
      await system.submit(params(n))
      return String(submitted)
    },
    async startOf(n: number): Promise<string> {
      for (;;) {
        const at = startedAt.get(n)
        if (at !== undefined) return String(at)
        await sleep(1)
      }
    },

    /** Resident memory when so many handlers run at the same time, and before. */
    async inFlight(count: number): Promise<{ readonly beforeBytes: number; readonly bytes: number }> {
      const beforeBytes = process.memoryUsage.rss()
      const gate = Promise.withResolvers<void>()
      const full = Promise.withResolvers<void>()
      let running = 0
      handled = 0
      handler = () => {
        running += 1
        if (running === count) full.resolve()
        return gate.promise
      }
      await work()
      await full.promise
      const bytes = process.memoryUsage.rss()
      gate.resolve()
      await untilHandled(count)
      await untilRecorded()
      handler = noop
      return { beforeBytes, bytes }
    },

    /** Bytes that this process has had the system write to files; only Linux tells. */
    writtenBytes: () => process.resourceUsage().fsWrite * 512,

    verify: async () => (await system.verify?.()) ?? [],

    async close(): Promise<void> {
      if (isWorking) await commands.stop()
      await system.close()
    },
  }
  return commands
}

export type Commands = ReturnType<typeof commandsOf>

/** The timer of the monitor itself is due so often; what it measures includes that. */
const loopResolutionMs = 1

function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - loopResolutionMs)
}

function jobsOf({ count, priorities = 1, scheduledFor, limited = false }: Submissions): readonly Job[] {
  return Array.from({ length: count }, (_, n) => ({
    params: params(n),
    ...(priorities > 1 ? { priority: Math.floor(Math.random() * priorities) } : {}),
    ...(scheduledFor === undefined ? {} : { scheduledFor: new Date(scheduledFor) }),
    ...(limited ? { limited } : {}),
  }))
}

/** Long enough that the worker is idle again; by chance, so that no timer of its own is met always at the same moment. */
async function pause(maxMs: number): Promise<void> {
  await sleep(5 + Math.random() * maxMs)
}

if (import.meta.main) {
  const [given, url] = process.argv.slice(2)
  const contestant = JSON.parse(given ?? '') as Contestant
  const { open } = (await import(new URL(contestant.module, import.meta.url).href)) as { open: Open }
  serve(commandsOf(await open(url ?? '', contestant.settings)))
}
