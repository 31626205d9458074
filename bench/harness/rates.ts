import type { Contestant } from './contestants.ts'
import type { Place } from './places.ts'
import { type SystemProcess, startSystem } from './process.ts'

/** Submits and drains jobs, and tells how many a second were drained. */
export async function drainPerS(process: SystemProcess, place: Place, jobs: number): Promise<number> {
  await process.call('submit', { count: jobs })
  await place.analyze()
  const { ms } = await process.call('drain', jobs)
  return (jobs / ms) * 1_000
}

/** A process that has run so many jobs already. */
export async function startWarm(contestant: Contestant, place: Place, warmUp: number): Promise<SystemProcess> {
  const process = await startSystem(contestant, place.url)
  await drainPerS(process, place, warmUp)
  await process.call('stop')
  return process
}
