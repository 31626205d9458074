/** `npm run bench:lists`: what it takes to read lists, the tree and depths among few jobs and among very many. */
import type { JobsQuery, Stint } from '../src/index.ts'
import { createStint } from './harness/built-stint.ts'
import { fill } from './harness/bulk.ts'
import type { StoreKind } from './harness/contestants.ts'
import { readOptions } from './harness/options.ts'
import { Places } from './harness/places.ts'
import { percentile } from './report/statistics.ts'
import { milliseconds, rounded, table } from './report/table.ts'

const options = readOptions({ jobs: 1_000_000, rounds: 60 }, { jobs: 100_000, rounds: 20 })
const sizes = [10_000, options.jobs] as const
const warmUp = 5

const list = (query: JobsQuery) => (stint: Stint) => stint.jobs.list(query)

const cursorAt = (key: number) => Buffer.from(`k${key}`).toString('base64url')

/** In the middle of all jobs: a page that somebody has turned to. */
const middle = (query: JobsQuery) => async (stint: Stint) => {
  const [newest] = (await stint.jobs.list({ limit: 1 })).items
  return await stint.jobs.list({ ...query, cursor: cursorAt(Math.round((newest?.position ?? 0) / 200)) })
}

const few = { name: 'team', value: 'few' }

const reads: Readonly<Record<string, (stint: Stint) => Promise<unknown>>> = {
  'all jobs': list({}),
  'all jobs, in the middle': middle({}),
  queued: list({ status: 'QUEUED' }),
  running: list({ status: 'RUNNING' }),
  cancelled: list({ status: 'CANCELLED' }),
  finished: list({ status: null }),
  completed: list({ outcome: 'COMPLETED' }),
  failed: list({ outcome: 'FAILED' }),
  'failed, in the middle': middle({ outcome: 'FAILED' }),
  skipped: list({ outcome: 'SKIPPED' }),
  'a key': list({ key: 'the key' }),
  'a small branch': list({ branch: '/rare' }),
  'a branch of 1 %': list({ branch: '/load/g7' }),
  'a large branch': list({ branch: '/load' }),
  'failed in a branch of 1 %': list({ outcome: 'FAILED', branch: '/load/g1' }),
  'failed in a large branch': list({ outcome: 'FAILED', branch: '/load' }),
  'a label of half': list({ label: { name: 'team', value: 'many' } }),
  'a label of few': list({ label: few }),
  'a type of nearly all': list({ type: 'usual' }),
  'a type of few': list({ type: 'unusual' }),
  'a label of few, finished, of a type': list({ label: few, status: null, type: 'usual' }),
  'roots of the tree': (stint) => stint.tree(),
  '100 branches of the tree': (stint) => stint.tree({ path: '/load' }),
  '100 leaves of the tree': (stint) => stint.tree({ path: '/load/g7' }),
  depths: (stint) => stint.depths(),
}

const places = await Places.start()
try {
  for (const store of ['sqlite', 'postgres'] as const) {
    const stints = [await filled(store, sizes[0]), await filled(store, sizes[1])] as const
    const rows: (readonly string[])[] = []
    for (const [name, read] of Object.entries(reads)) {
      if (name.includes(options.only)) rows.push(row(name, ...(await timesOf(stints, read))))
    }
    for (const stint of stints) await stint.close()
    const of = (size: number) => ['p50', 'p95'].map((percent) => `${rounded(size)}: ${percent} ms`)
    const head = ['read', ...of(sizes[0]), ...of(sizes[1]), 'p50 ratio', 'p95 ratio']
    process.stdout.write(`\n${store}\n\n${table(head, rows)}\n`)
  }
} finally {
  await places.stop()
}

function row(name: string, few: readonly number[], many: readonly number[]): readonly string[] {
  const of = (percent: number) => [percentile(few, percent) ?? 0, percentile(many, percent) ?? 0] as const
  const figures = [of(50)[0], of(95)[0], of(50)[1], of(95)[1]].map(milliseconds)
  return [name, ...figures, ...[of(50), of(95)].map(([small, large]) => `${(large / small).toFixed(1)} ×`)]
}

async function filled(store: StoreKind, count: number): Promise<Stint> {
  process.stderr.write(`${store}: ${rounded(count)} jobs\n`)
  const place = await places.fresh(store)
  await (await createStint({ url: place.url })).close()
  await fill(store, place.url, count)
  await place.analyze()
  return await createStint({ url: place.url })
}

/** In turns: whatever else the machine does meanwhile concerns both. */
async function timesOf([few, many]: readonly [Stint, Stint], read: (stint: Stint) => Promise<unknown>) {
  const times: readonly [number[], number[]] = [[], []]
  for (let i = -warmUp; i < options.rounds; i++) {
    for (const [n, stint] of [few, many].entries()) {
      const from = performance.now()
      await read(stint)
      if (i >= 0) times[n]?.push(performance.now() - from)
    }
  }
  return times
}
