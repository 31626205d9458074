/** `npm run bench:growth`: what becomes of Stint when its database has grown, or something holds it up. */
import pg from 'pg'
import { type Contestant, graphileWorkerFastest, stintOnPostgres, stintOnSqlite } from './harness/contestants.ts'
import { readOptions } from './harness/options.ts'
import { type Place, Places } from './harness/places.ts'
import type { SystemProcess } from './harness/process.ts'
import { drainPerS, startWarm } from './harness/rates.ts'
import { rounds } from './harness/round.ts'
import { conditionsOf } from './report/conditions.ts'
import { publish } from './report/documents.ts'
import type { HistoryResult, WaitingResult } from './report/growth.ts'
import { median, percentile } from './report/statistics.ts'
import { rounded } from './report/table.ts'

const options = readOptions({ jobs: 30_000, rounds: 3 }, { jobs: 2_000, rounds: 1 })
const { jobs } = options
const sizes = options.quick ? [0, 5_000, 20_000] : [0, 100_000, 1_000_000]
const waitingJobs = options.quick ? 5_000 : 100_000
const fillAtOnce = 50_000
const warmUp = 10_000
const picked = 50

const places = await Places.start()
try {
  const history: HistoryResult[] = []
  for (const contestant of [stintOnPostgres, stintOnSqlite]) history.push(...(await growHistory(contestant)))
  const waiting = await compareBurdens()
  const workload = `drains of ${rounded(jobs)} no-op jobs, one worker process`
  publish('growth', { conditions: conditionsOf(places.versions, options.rounds, workload), history, waiting }, options)
} finally {
  await places.stop()
}

/** One database that grows: at each size a few drains, and single jobs for an idle worker. */
async function growHistory(contestant: Contestant): Promise<readonly HistoryResult[]> {
  const place = await places.fresh(contestant.store)
  const worker = await startWarm(contestant, place, warmUp)
  try {
    const results: HistoryResult[] = []
    let finished = 0
    for (const size of sizes) {
      process.stderr.write(`${contestant.store}: ${rounded(size)} finished jobs\n`)
      while (finished < size) finished += await fill(worker, Math.min(fillAtOnce, size - finished))
      const drains: number[] = []
      for (let round = 0; round < options.rounds; round++) {
        drains.push(await drainPerS(worker, place, jobs))
        if (round < options.rounds - 1) await worker.call('stop')
      }
      const latencies = await worker.call('latencies', picked, 10)
      await worker.call('stop')
      finished += options.rounds * jobs
      const latencyP50Ms = percentile(latencies, 50) ?? 0
      results.push({ store: contestant.store, finished: size, drainPerS: median(drains), latencyP50Ms })
    }
    await verified(worker)
    await worker.end()
    return results
  } finally {
    worker.kill()
    await place.remove()
  }
}

async function fill(worker: SystemProcess, count: number): Promise<number> {
  await worker.call('submit', { count })
  await worker.call('drain', count)
  await worker.call('stop')
  return count
}

async function verified(worker: SystemProcess): Promise<void> {
  const wrong = await worker.call('verify')
  if (wrong.length > 0) throw new Error(`verify() found ${wrong.length} differences, the first: ${wrong[0]}`)
}

/** Does something to a database that should not matter, and tells how to undo it. */
type Burden = (worker: SystemProcess, place: Place) => Promise<() => Promise<void>>

/** Drains in fresh databases, with and without a burden, in turns. */
async function compareBurdens(): Promise<readonly WaitingResult[]> {
  const delayed = `${rounded(waitingJobs)} delayed jobs`
  const limited = `${rounded(waitingJobs)} jobs at a full limit`
  const cases = [
    { ...stintOnPostgres, variant: 'nothing', apply: none },
    { ...stintOnPostgres, variant: delayed, apply: delayedJobs },
    { ...stintOnPostgres, variant: limited, apply: limitedJobs },
    { ...stintOnPostgres, variant: 'a transaction held open', apply: heldTransaction },
    { ...graphileWorkerFastest, variant: 'nothing', apply: none },
    { ...graphileWorkerFastest, variant: 'a transaction held open', apply: heldTransaction },
    { ...stintOnSqlite, variant: 'nothing', apply: none },
    { ...stintOnSqlite, variant: delayed, apply: delayedJobs },
    { ...stintOnSqlite, variant: limited, apply: limitedJobs },
  ]
  const found = await rounds(cases, options.rounds, (each) => burdenedDrain(each, each.apply))
  return [...found].map(([{ system, store, variant }, drains]) => {
    return { system, store, burden: variant, drainPerS: median(drains) }
  })
}

async function burdenedDrain(contestant: Contestant, apply: Burden): Promise<number> {
  const place = await places.fresh(contestant.store)
  const worker = await startWarm(contestant, place, warmUp)
  try {
    const lift = await apply(worker, place)
    const perS = await drainPerS(worker, place, jobs)
    await lift()
    await worker.end()
    return perS
  } finally {
    worker.kill()
    await place.remove()
  }
}

async function none(): Promise<() => Promise<void>> {
  return await Promise.resolve(() => Promise.resolve())
}

async function delayedJobs(worker: SystemProcess): Promise<() => Promise<void>> {
  await worker.call('submit', { count: waitingJobs, scheduledFor: Date.now() + 86_400_000 })
  return () => Promise.resolve()
}

/** The first drain meets each of them once and puts it aside; it is not measured. */
async function limitedJobs(worker: SystemProcess, place: Place): Promise<() => Promise<void>> {
  await worker.call('submit', { count: waitingJobs, limited: true })
  await drainPerS(worker, place, warmUp)
  await worker.call('stop')
  return () => Promise.resolve()
}

/** One that has read and written, and does not end: nothing that dies after it can be cleared away. */
async function heldTransaction(_: SystemProcess, { url }: Place): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin isolation level repeatable read')
  await client.query('select pg_current_xact_id(), count(*) from pg_class')
  return () => client.end()
}
