import { setTimeout as sleep } from 'node:timers/promises'
import type { Contestant } from './contestants.ts'
import type { Places } from './places.ts'
import { type SystemProcess, startSystem } from './process.ts'

/** How much is measured in one round. */
export interface Size {
  readonly jobs: number
  /** Jobs that are run before anything is measured, so that the code is warm, as it is in a worker that lives for days. */
  readonly warmUp: number
  readonly latencies: number
  /** For systems that poll: there is a wait for each of them. */
  readonly polledLatencies: number
}

/** What one round of one system gave. */
export interface Round {
  readonly enqueuePerS: number
  readonly drainPerS: number
  readonly latenciesMs: readonly number[]
  /** The same, but submitted by another process; empty where that is the same thing. */
  readonly otherLatenciesMs: readonly number[]
  readonly loopDelayP99Ms: number
}

/** One round: a fresh database and a fresh process, a bulk submission, a drain, then single jobs for an idle worker. */
export async function measure(contestant: Contestant, places: Places, size: Size): Promise<Round> {
  const { store, priorities = 1, fewer = 1 } = contestant
  const [jobs, warmUp] = [Math.ceil(size.jobs / fewer), Math.ceil(size.warmUp / fewer)]
  const place = await places.fresh(store)
  const worker = await startSystem(contestant, place.url)
  try {
    await worker.call('submit', { count: warmUp, priorities })
    await worker.call('drain', warmUp)
    await worker.call('stop')
    const enqueueMs = await worker.call('submit', { count: jobs, priorities })
    await place.analyze()
    const { ms: drainMs, loopDelayP99Ms } = await worker.call('drain', jobs)
    // An idle database has nothing left to clear away.
    await place.analyze()
    const latenciesMs = await latencies(contestant, worker, size)
    const otherLatenciesMs = await latenciesFromOutside(contestant, worker, place.url, size)
    const wrong = await worker.call('verify')
    if (wrong.length > 0) throw new Error(`verify() found ${wrong.length} differences, the first: ${wrong[0]}`)
    await worker.end()
    const perS = (ms: number) => (jobs / ms) * 1_000
    return { enqueuePerS: perS(enqueueMs), drainPerS: perS(drainMs), latenciesMs, otherLatenciesMs, loopDelayP99Ms }
  } finally {
    worker.kill()
    await place.remove()
  }
}

async function latencies(contestant: Contestant, worker: SystemProcess, size: Size): Promise<readonly number[]> {
  const { latency, pollMs } = contestant
  if (latency === 'commit') return await worker.call('commits', size.latencies, idlePauseMs)
  if (pollMs !== undefined) return await worker.call('latencies', size.polledLatencies, pollMs)
  return await worker.call('latencies', size.latencies, idlePauseMs)
}

/** What is submitted by another process has no short way to the worker. */
async function latenciesFromOutside(
  contestant: Contestant,
  worker: SystemProcess,
  url: string,
  { latencies }: Size,
): Promise<readonly number[]> {
  const { latency, pollMs, priorities = 1 } = contestant
  if (latency === 'commit' || pollMs !== undefined || priorities > 1) return []
  const submitter = await startSystem(contestant, url)
  try {
    await worker.call('noteStarts')
    const found: number[] = []
    for (let n = 0; n < latencies; n++) {
      const submitted = await submitter.call('submitMarked', n)
      const started = await worker.call('startOf', n)
      found.push(Number(BigInt(started) - BigInt(submitted)) / 1e6)
      await sleep(idlePauseMs)
    }
    await submitter.end()
    return found
  } finally {
    submitter.kill()
  }
}

const idlePauseMs = 10

/** Every system in every round, each round beginning with another one, so that none has always the same before it. */
export async function rounds<Each extends Contestant, T>(
  contestants: readonly Each[],
  count: number,
  each: (contestant: Each) => Promise<T>,
): Promise<ReadonlyMap<Each, readonly T[]>> {
  const found = new Map<Each, T[]>(contestants.map((contestant) => [contestant, []]))
  for (let round = 0; round < count; round++) {
    const first = Math.floor((round * contestants.length) / count)
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      const { system, store, variant } = contestant
      const what = `${system} on ${store}${variant === undefined ? '' : `, ${variant}`}`
      process.stderr.write(`round ${round + 1} of ${count}: ${what}\n`)
      found.get(contestant)?.push(await each(contestant))
    }
  }
  return found
}
