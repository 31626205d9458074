/** `npm run bench`: Stint, its peers and the limit, one after the other in every round. */
import { contestants } from './harness/contestants.ts'
import { readOptions } from './harness/options.ts'
import { Places } from './harness/places.ts'
import { measure, rounds, type Size } from './harness/round.ts'
import { conditionsOf } from './report/conditions.ts'
import { publish } from './report/documents.ts'
import { resultOf } from './report/peers.ts'
import { ratiosOf } from './report/ratios.ts'
import { rounded } from './report/table.ts'

const options = readOptions({ jobs: 60_000, rounds: 3 }, { jobs: 10_000, rounds: 1 })
const size: Size = options.quick
  ? { jobs: options.jobs, warmUp: 10_000, latencies: 25, polledLatencies: 2 }
  : { jobs: options.jobs, warmUp: 30_000, latencies: 200, polledLatencies: 10 }

const places = await Places.start()
try {
  const wanted = contestants.filter(({ system }) => system.includes(options.only))
  const present = wanted.filter(({ store }) => places.has(store))
  const skipped = wanted
    .filter(({ store }) => !places.has(store))
    .map(({ system }) => `${system} was skipped: there is no redis-server on this machine`)
  for (const line of skipped) process.stderr.write(`${line}\n`)

  const found = await rounds(present, options.rounds, (contestant) => measure(contestant, places, size))
  const results = [...found].map(([contestant, measured]) => resultOf(contestant, measured))
  const workload = `${rounded(size.jobs)} no-op jobs with about 100 bytes of params, one worker process`
  const conditions = conditionsOf(places.versions, options.rounds, workload)
  publish('peers', { conditions, results, ratios: ratiosOf(results), skipped }, options)
} finally {
  await places.stop()
}
