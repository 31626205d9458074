/** `npm run bench:workers`: 1, 2, 4 and 8 worker processes on one backlog. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Contestant, graphileWorkerFastest, stintOnPostgres, stintOnSqlite } from './harness/contestants.ts'
import { readOptions } from './harness/options.ts'
import { Places } from './harness/places.ts'
import type { SystemProcess } from './harness/process.ts'
import { startWarm } from './harness/rates.ts'
import { rounds } from './harness/round.ts'
import { conditionsOf } from './report/conditions.ts'
import { publish } from './report/documents.ts'
import { median } from './report/statistics.ts'
import { rounded } from './report/table.ts'

const options = readOptions({ jobs: 50_000, rounds: 3 }, { jobs: 4_000, rounds: 1 })
const counts = [1, 2, 4, 8]
const warmUp = 500
const lookEveryMs = 5

// Eight processes must not want more connections than a server gives by default.
const graphileWorker = { ...graphileWorkerFastest, settings: { ...graphileWorkerFastest.settings, poolSize: 10 } }

const places = await Places.start()
try {
  const wanted = [stintOnPostgres, graphileWorker, stintOnSqlite].flatMap((contestant) =>
    counts.map((workers) => ({ ...contestant, workers, variant: `${workers} processes` })),
  )
  const found = await rounds(wanted, options.rounds, (each) => drainTogether(each, each.workers))
  const results = [...found].map(([{ system, store, workers }, drains]) => {
    return { system, store, workers, drainPerS: median(drains) }
  })
  const workload = `${rounded(options.jobs)} no-op jobs, drained by several worker processes at once`
  publish('workers', { conditions: conditionsOf(places.versions, options.rounds, workload), results }, options)
} finally {
  await places.stop()
}

/** All processes are there and warm when the clock starts. */
async function drainTogether(contestant: Contestant, count: number): Promise<number> {
  const place = await places.fresh(contestant.store)
  const workers: SystemProcess[] = []
  try {
    for (let i = 0; i < count; i++) workers.push(await startWarm(contestant, place, warmUp))
    await workers[0]?.call('submit', { count: options.jobs })
    await place.analyze()
    const begun = performance.now()
    await Promise.all(workers.map((worker) => worker.call('work')))
    while ((await handledBy(workers)) < options.jobs) await sleep(lookEveryMs)
    await Promise.all(workers.map((worker) => worker.call('untilRecorded')))
    const ms = performance.now() - begun
    const wrong = (await workers[0]?.call('verify')) ?? []
    if (wrong.length > 0) throw new Error(`verify() found ${wrong.length} differences, the first: ${wrong[0]}`)
    await Promise.all(workers.map((worker) => worker.end()))
    return (options.jobs / ms) * 1_000
  } finally {
    for (const worker of workers) worker.kill()
    await place.remove()
  }
}

async function handledBy(workers: readonly SystemProcess[]): Promise<number> {
  const handled = await Promise.all(workers.map((worker) => worker.call('handled')))
  return handled.reduce((sum, each) => sum + each, 0)
}
