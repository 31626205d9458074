/** `npm run bench:http`: submitting over HTTP, beside a bare route for the same body, and beside the library. */
import type { StoreKind } from './harness/contestants.ts'
import { type Loaded, load } from './harness/http-load.ts'
import { readOptions } from './harness/options.ts'
import { Places } from './harness/places.ts'
import { CommandProcess } from './harness/process.ts'
import { conditionsOf } from './report/conditions.ts'
import { publish } from './report/documents.ts'
import { type HttpRound, httpResult } from './report/http.ts'
import { percentile } from './report/statistics.ts'
import { rounded } from './report/table.ts'
import { type HttpCommands, newJobOf } from './scenarios/http.ts'

const options = readOptions({ jobs: 20_000, rounds: 5 }, { jobs: 2_000, rounds: 2 })
const { jobs } = options
const connections = 50
const batchSize = 1_000
const batches = Math.max(1, Math.round(jobs / batchSize))
const one = JSON.stringify(newJobOf(1))
const batch = JSON.stringify({ jobs: Array.from({ length: batchSize }, (_, n) => newJobOf(n)) })

type Child = CommandProcess<HttpCommands>

const places = await Places.start()
const bare = await start('bare', '')
try {
  const results = []
  for (const store of ['postgres', 'sqlite'] as const) {
    if (store.includes(options.only)) results.push(httpResult(store, await roundsOn(store)))
  }
  const workload = `${rounded(jobs)} jobs with about 100 bytes of params, ${connections} connections; batches of ${rounded(batchSize)}`
  publish('http', { conditions: conditionsOf(places.versions, options.rounds, workload), results }, options)
} finally {
  bare.kill()
  await places.stop()
}

/** All that is compared is measured in turns, on one database that grows with each of them. */
async function roundsOn(store: StoreKind): Promise<readonly HttpRound[]> {
  const place = await places.fresh(store)
  const stint = await start(store, place.url)
  try {
    const rounds: HttpRound[] = []
    // The first is to warm up.
    for (let i = 0; i <= options.rounds; i++) {
      const round = await measure(stint)
      if (i > 0) rounds.push(round)
    }
    await stint.end()
    return rounds
  } finally {
    stint.kill()
    await place.remove()
  }
}

async function measure(stint: Child): Promise<HttpRound> {
  const single = { path: '/v1/jobs', body: one, connections, requests: jobs }
  const bareLoaded = await load({ ...single, port: await bare.call('port') })
  const port = await stint.call('port')
  const loaded = await load({ ...single, port })
  const libraryMs = await stint.call('submit', batches, batchSize)
  const batched = await load({ port, path: '/v1/jobs/batch', body: batch, connections: 1, requests: batches })
  return {
    barePerS: perSecond(bareLoaded, jobs),
    postPerS: perSecond(loaded, jobs),
    postP50Ms: percentile(loaded.latenciesMs, 50) ?? 0,
    postP99Ms: percentile(loaded.latenciesMs, 99) ?? 0,
    libraryPerS: ((batches * batchSize) / libraryMs) * 1_000,
    batchPerS: perSecond(batched, batches * batchSize),
  }
}

function perSecond({ ms }: Loaded, count: number): number {
  return (count / ms) * 1_000
}

async function start(kind: string, url: string): Promise<Child> {
  return await CommandProcess.fork<HttpCommands>('../scenarios/http.ts', [kind, url], kind)
}
