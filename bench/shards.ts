/** `npm run bench:shards`: sharded jobs and jobs that need values of others, beside plain jobs in the same run. */
import { stintOnPostgres, stintOnSqlite } from './harness/contestants.ts'
import { readOptions } from './harness/options.ts'
import { Places } from './harness/places.ts'
import { CommandProcess } from './harness/process.ts'
import { rounds } from './harness/round.ts'
import { conditionsOf } from './report/conditions.ts'
import { publish } from './report/documents.ts'
import { shardsResult } from './report/shards.ts'
import { rounded } from './report/table.ts'
import type { ScenarioCommands, ScenarioName } from './scenarios/child.ts'
import { besideSliceMs, besideTasks, defaultWidth, wideWidth } from './scenarios/shards.ts'
import { concurrency, type Figures, type Size } from './scenarios/stage.ts'

const options = readOptions({ jobs: 10_000, rounds: 3 }, { jobs: 500, rounds: 1 })
const { jobs } = options
const size: Size = {
  jobs,
  shards: 100,
  slices: Math.max(10, Math.round(jobs / (options.quick ? 25 : 10))),
  steps: Math.max(2, Math.round(jobs / (options.quick ? 25 : 10))),
  samples: options.quick ? 15 : 100,
}
/** The same things in small, so that the code is warm. */
const warmUp: Size = options.quick
  ? { jobs: 100, shards: 10, slices: 5, steps: 5, samples: 3 }
  : { jobs: 1_000, shards: 100, slices: 10, steps: 50, samples: 20 }

/** What is compared stands close together: whatever else the machine does meanwhile concerns both sides. */
const scenarios: readonly ScenarioName[] = [
  ...(['fan-out', 'fan-in', 'plain jobs', 'shards', 'shards, default width'] as const),
  ...(['chain', 'pick-up', 'pick-up beside slices', 'pick-up beside slices that end at once', 'slices'] as const),
]

const stores = [stintOnPostgres, stintOnSqlite]
const places = await Places.start()
try {
  const cases = stores
    .flatMap((contestant) => scenarios.map((variant) => ({ ...contestant, variant })))
    .filter(({ store, variant }) => `${variant} on ${store}`.includes(options.only))
  const found = await rounds(cases, options.rounds, measure)
  const results = stores.flatMap(({ store }) => {
    const own = [...found].filter(([contestant]) => contestant.store === store).flatMap(([, figures]) => figures)
    return own.length === 0 ? [] : [shardsResult(store, own)]
  })
  const workload = `${rounded(jobs)} jobs or shards, one worker process, concurrency ${concurrency}`
  const conditions = conditionsOf(places.versions, options.rounds, workload)
  const sizes = {
    slices: `${rounded(size.shards)} shards × ${rounded(size.slices)} slices`,
    beside: `${besideTasks} tasks whose slices take ${besideSliceMs} ms`,
    chain: `a chain of ${rounded(size.steps)} jobs`,
  }
  publish('shards', { conditions, sizes, widths: [wideWidth, defaultWidth], results }, options)
} finally {
  await places.stop()
}

interface Case {
  readonly store: (typeof stores)[number]['store']
  readonly variant: ScenarioName
}

/** A fresh database and a fresh process, everything once in small, and then as it is wanted. */
async function measure({ store, variant }: Case): Promise<Figures> {
  const place = await places.fresh(store)
  const child = await CommandProcess.fork<ScenarioCommands>(
    '../scenarios/child.ts',
    [variant, place.url],
    `${variant} on ${store}`,
  )
  try {
    await child.call('prepare', warmUp)
    await child.call('measure')
    await child.call('prepare', size)
    await place.analyze()
    const figures = await child.call('measure')
    const wrong = await child.call('verify')
    if (wrong.length > 0) throw new Error(`verify() found ${wrong.length} differences, the first: ${wrong[0]}`)
    await child.end()
    return figures
  } finally {
    child.kill()
    await place.remove()
  }
}
