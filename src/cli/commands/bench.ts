import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stint } from '../../engine/stint.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { shapeOf } from '../shapes/fields.ts'
import { count, text } from '../values.ts'

interface Measured {
  readonly store: string
  readonly jobs: number
  readonly submittedPerSecond: number
  readonly completedPerSecond: number
  readonly latencyP50Ms: number
  readonly latencyP99Ms: number
}

const shape = shapeOf<Measured>({
  name: ({ completedPerSecond }) => String(completedPerSecond),
  none: '',
  fields: [
    { title: 'store', text: ({ store }) => store },
    { title: 'jobs', text: ({ jobs }) => jobs.toLocaleString('en') },
    { title: 'submitted', text: ({ submittedPerSecond }) => `${submittedPerSecond.toLocaleString('en')} a second` },
    { title: 'completed', text: ({ completedPerSecond }) => `${completedPerSecond.toLocaleString('en')} a second` },
    {
      title: 'latency',
      text: ({ latencyP50Ms, latencyP99Ms }) =>
        `${latencyP50Ms.toFixed(1)} ms in the middle, ${latencyP99Ms.toFixed(1)} ms for the slowest of a hundred`,
    },
  ],
})

export const bench = command({
  name: 'bench',
  summary: 'Measures how many durable jobs a second this machine can run.',
  details: `It uses a database of its own and removes it afterwards: a temporary file, or with --postgres a new schema. This tells you
about your disk and your database. To compare Stint with others, see the project's own benchmarks.`,
  needs: 'nothing',
  prints: true,
  options: {
    jobs: { short: 'n', value: count(100, 1_000_000), about: 'How many. Default 20000.' },
    postgres: { value: text('url'), about: 'A PostgreSQL database in place of a file: postgres://…' },
    directory: { value: text('directory'), about: 'Where the file is, to measure another disk.' },
  },
  examples: [
    ['stint bench', 'SQLite, here.'],
    ['stint bench --postgres postgres://localhost/app -n 100000', 'Your database.'],
  ],
  run: async (call) => {
    const { jobs = 20_000, postgres, directory = tmpdir() } = call.options
    if (postgres !== undefined && !/^postgres(ql)?:\/\//.test(postgres))
      throw new Failure('usage', '--postgres wants postgres://…')
    const { createStint } = await import('../../engine/create-stint.ts')
    const place = postgres === undefined ? sqlitePlace(directory) : await postgresPlace(postgres)
    try {
      const stint = await createStint(place.options)
      try {
        call.print.one(await measure(stint, jobs, call.interrupted), shape)
      } finally {
        await stint.close()
      }
    } finally {
      await place.remove()
    }
  },
})

function sqlitePlace(directory: string) {
  const made = mkdtempSync(join(directory, 'stint-bench-'))
  return {
    options: { url: `sqlite:${join(made, 'bench.db')}` },
    remove: () => Promise.resolve(rmSync(made, { recursive: true, force: true })),
  }
}

async function postgresPlace(url: string) {
  const schema = `stint_bench_${process.pid}_${Date.now()}`
  const { dropSchema } = await import('../../store/postgres/drop-schema.ts')
  return { options: { url, schema }, remove: () => dropSchema(url, schema) }
}

const batchSize = 500
const latencyJobs = 200

async function measure(stint: Stint, jobs: number, signal: AbortSignal): Promise<Measured> {
  const { defineJob } = await import('../../engine/define-job.ts')
  let done = 0
  const all = Promise.withResolvers<void>()
  const nothing = defineJob('bench', {
    run: () => {
      done += 1
      if (done === jobs) all.resolve()
      return null
    },
  })
  signal.addEventListener('abort', () => all.reject(new Failure('interrupted', 'Interrupted.')))
  const began = performance.now()
  for (let made = 0; made < jobs; made += batchSize) {
    const items = Array.from({ length: Math.min(batchSize, jobs - made) }, () => ({ job: nothing }))
    await stint.submitMany(items)
    signal.throwIfAborted()
  }
  const submitted = performance.now()
  const worker = stint.worker({ jobs: [nothing], concurrency: 100 })
  await worker.start()
  await all.promise
  const completed = performance.now()
  const latencies: number[] = []
  for (let i = 0; i < latencyJobs; i++) {
    const at = performance.now()
    await (await stint.submit(nothing)).result()
    latencies.push(performance.now() - at)
  }
  await worker.stop()
  latencies.sort((a, b) => a - b)
  const perSecond = (ms: number) => Math.round((jobs * 1_000) / ms)
  return {
    store: stint.store.kind,
    jobs,
    submittedPerSecond: perSecond(submitted - began),
    completedPerSecond: perSecond(completed - submitted),
    latencyP50Ms: latencies[Math.floor(latencyJobs * 0.5)] ?? 0,
    latencyP99Ms: latencies[Math.floor(latencyJobs * 0.99)] ?? 0,
  }
}
