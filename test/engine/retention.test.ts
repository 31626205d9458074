import { expect, it, onTestFinished } from 'vitest'
import { defineJob, defineShardedJob } from '../../src/index.ts'
import { createTestStint } from '../../src/testing/index.ts'
import { codeOf } from '../support/requests.ts'
import { day } from '../support/retention.ts'
import { counted, onBothStores, startWorker, until } from '../support/stint.ts'

const greet = defineJob('greet', {
  run: (ctx) => {
    ctx.log('hello')
    return ctx.params
  },
})

async function kitOf() {
  const kit = await createTestStint({ jobs: [greet] })
  onTestFinished(() => kit.close())
  return kit
}

it('keeps jobs for 30 days, and their runs for ever', async () => {
  const { stint, advance } = await kitOf()
  const job = await stint.submit(greet, { b: 1, a: 2 }, { name: '/r/greet', labels: { x: 'y' } })
  await advance(0)
  const runs = await stint.runs.list({ job: job.id })
  const events = await stint.events.list({ job: job.id })
  expect(runs.items).toMatchObject([{ status: 'COMPLETED', params: { b: 1, a: 2 } }])
  await advance(30 * day - 1)
  expect(await stint.jobs.get(job.id)).not.toBeNull()
  await advance(1)
  expect(await stint.jobs.get(job.id)).toBeNull()
  expect(await stint.jobs.list()).toEqual({ items: [], cursor: null })
  expect(counted(stint, 'stint_jobs_pruned')).toBe(1)

  for (const reference of [job.id, job.id.split(':').at(-1) ?? '', '/r/greet', { id: job.id }]) {
    expect(await stint.runs.list({ job: reference })).toEqual(runs)
    expect((await stint.runs.log({ job: reference, attempt: 1 })).items).toMatchObject([{ line: 'hello' }])
    expect(await stint.events.list({ job: reference })).toEqual(events)
  }
  const foreign = job.id.replace(':r:', ':other:')
  expect((await stint.runs.list({ job: foreign })).items).toEqual([])
  expect(await codeOf(stint.runs.log({ job: foreign, attempt: 1 }))).toBe('not_found')
  expect((await stint.events.list()).items).toEqual(events.items)
  expect(await stint.verify()).toEqual({ differences: [] })
  await advance(3_000 * day)
  expect(await stint.runs.list({ job: job.id })).toEqual(runs)
})

it('is set, shown and removed by path', async () => {
  const { stint, advance } = await kitOf()
  expect(await stint.retention.set('r', { jobsMs: 1_000 })).toMatchObject({
    path: '/default/r',
    policy: { jobsMs: 1_000 },
  })
  await stint.retention.set('/default/r/kept', { jobsMs: null })
  expect(await stint.retention.get('r/x')).toEqual({ jobsMs: 1_000, runsMs: null, eventsMs: null })
  expect((await stint.retention.list({ path: '/default/r' })).items).toHaveLength(2)
  const [short, kept] = [
    await stint.submit(greet, null, { name: 'r/a' }),
    await stint.submit(greet, null, { name: 'r/kept/a' }),
  ]
  await advance(1_000)
  await advance(100 * day)
  expect([await stint.jobs.get(short.id), (await stint.jobs.get(kept.id))?.outcome]).toEqual([null, 'COMPLETED'])
  expect(await stint.retention.remove('r/kept')).toBe(true)
  await advance(0)
  expect(await stint.jobs.get(kept.id)).toBeNull()
  expect(await codeOf(stint.retention.set('r', { jobsMs: -1 }))).toBe('invalid_argument')
})

it('tells who waits for a result that it is not kept any more', async () => {
  const { stint, advance } = await kitOf()
  const job = await stint.submit(greet, 1)
  await advance(0)
  await advance(31 * day)
  await expect(job.result()).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('pruned') })
})

it('takes along what tasks began with: they cannot be run again, and the job says so', async () => {
  const sliced: number[] = []
  const sum = defineShardedJob('sum', {
    plan: () => [1, 2],
    slice: ({ state, index }) => {
      sliced.push(index)
      return { state: state * 10, done: true }
    },
  })
  const { stint, advance, close } = await createTestStint({ jobs: [sum] })
  onTestFinished(close)
  const first = await stint.submit(sum)
  await advance(0)
  await advance(20 * day)
  const second = await stint.shards.retry(first.id, { indexes: [0] })
  await advance(0)
  await advance(11 * day)
  expect(await stint.jobs.get(first.id)).toBeNull()
  sliced.length = 0
  const third = await stint.shards.retry(second.id, { indexes: [0, 1] })
  await advance(0)
  expect(await stint.jobs.get(third.id)).toMatchObject({
    outcome: 'FAILED',
    attempt: 1,
    error: expect.stringMatching(/^What task 1 of job .* began with was pruned/),
  })
  await stint.shards.retry(second.id, { indexes: [0] })
  await advance(0)
  expect(sliced).toEqual([0])
})

onBothStores('a worker', (setup) => {
  it('lets old jobs go by itself', async () => {
    const { stint, open } = await setup()
    await startWorker(stint, { jobs: [greet] })
    const jobs = await Promise.all([1, 2, 3].map((i) => stint.submit(greet, i, { name: `/r/job-${i}` })))
    await Promise.all(jobs.map((job) => job.result()))
    // Whoever looked at them while they ran looks at them again only after minutes, unless there is a new rule.
    await stint.retention.set('/r', { jobsMs: 0 })
    const other = await open()
    await startWorker(other, { jobs: [] })
    await until(
      () => other.jobs.list({ branch: '/r' }),
      ({ items }) => items.length === 0,
    )
    expect((await stint.runs.list({ job: jobs[0]?.id ?? '' })).items).toMatchObject([
      { status: 'COMPLETED', params: 1 },
    ])
    expect(await stint.verify()).toEqual({ differences: [] })
  })
})
