/** `npm run bench:resources`: memory with 10,000 jobs in flight, what is written for a job, how late the event loop is. */
import { statSync } from 'node:fs'
import { type Contestant, contestants, stintOnPostgres, stintOnSqlite } from './harness/contestants.ts'
import { readOptions } from './harness/options.ts'
import { type Place, Places, query } from './harness/places.ts'
import { startSystem } from './harness/process.ts'
import { drainPerS } from './harness/rates.ts'
import { rounds } from './harness/round.ts'
import { conditionsOf } from './report/conditions.ts'
import { publish } from './report/documents.ts'
import type { MemoryResult, WrittenResult } from './report/resources.ts'
import { median } from './report/statistics.ts'
import { rounded } from './report/table.ts'

const options = readOptions({ jobs: 30_000, rounds: 3 }, { jobs: 4_000, rounds: 1 })
const { jobs } = options
const inFlight = 10_000
const warmUp = 1_000

const places = await Places.start()
try {
  const together = [stintOnPostgres, stintOnSqlite].map((contestant) => ({
    ...contestant,
    settings: { ...contestant.settings, concurrency: inFlight },
  }))
  const memory = await rounds(together, options.rounds, measureMemory)
  const wanted = contestants.filter(({ store, priorities = 1 }) => store !== 'redis' && priorities === 1)
  const written = await rounds(wanted, options.rounds, measureWrites)
  const workload = `${rounded(jobs)} no-op jobs with about 100 bytes of params, one worker process`
  publish(
    'resources',
    {
      conditions: conditionsOf(places.versions, options.rounds, workload),
      memory: [...memory].map(([{ system, store }, found]) => ({ system, store, inFlight, ...medians(found) })),
      written: [...written].map(([{ system, store }, found]) => ({ system, store, ...medians(found) })),
    },
    options,
  )
} finally {
  await places.stop()
}

/** In a process that does nothing but work: what submitting takes is not part of it. */
async function measureMemory(contestant: Contestant): Promise<Omit<MemoryResult, 'system' | 'store' | 'inFlight'>> {
  const place = await places.fresh(contestant.store)
  const submitter = await startSystem(contestant, place.url)
  await submitter.call('submit', { count: inFlight })
  await submitter.end()
  const worker = await startSystem(contestant, place.url)
  try {
    const found = await worker.call('inFlight', inFlight)
    await worker.end()
    return found
  } finally {
    worker.kill()
    await place.remove()
  }
}

async function measureWrites(contestant: Contestant): Promise<Omit<WrittenResult, 'system' | 'store'>> {
  const place = await places.fresh(contestant.store)
  const worker = await startSystem(contestant, place.url)
  const written = () => (contestant.store === 'postgres' ? walPosition(place) : worker.call('writtenBytes'))
  try {
    const storedBefore = await storedBytes(place)
    await drainPerS(worker, place, warmUp)
    await worker.call('stop')
    const begun = await written()
    await worker.call('submit', { count: jobs })
    const submitted = await written()
    const { loopDelayP99Ms, loopDelayMaxMs } = await worker.call('drain', jobs)
    const drained = await written()
    await worker.end()
    return {
      submitBytes: (submitted - begun) / jobs,
      drainBytes: (drained - submitted) / jobs,
      storedBytes: ((await storedBytes(place)) - storedBefore) / (jobs + warmUp),
      loopDelayP99Ms,
      loopDelayMaxMs,
    }
  } finally {
    worker.kill()
    await place.remove()
  }
}

async function walPosition({ url }: Place): Promise<number> {
  const [row] = await query(url, `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`)
  return Number(row?.['bytes'])
}

async function storedBytes({ url }: Place): Promise<number> {
  if (url.startsWith('sqlite:')) return statSync(url.slice('sqlite:'.length)).size
  const [row] = await query(url, 'select pg_database_size(current_database()) as bytes')
  return Number(row?.['bytes'])
}

/** The median of each number. */
function medians<T extends { readonly [K in keyof T]: number }>(found: readonly T[]): T {
  const [first] = found
  const names = Object.keys(first ?? {}) as (keyof T)[]
  return Object.fromEntries(names.map((name) => [name, median(found.map((each) => each[name]))])) as T
}
