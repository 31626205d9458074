import { expect, it, onTestFinished } from 'vitest'
import { demoJobs, index, render, welcome } from '../../src/cli/demo/jobs.ts'
import { populate } from '../../src/cli/demo/populate.ts'
import { commandJob } from '../../src/http/command-job.ts'
import { type AnyJob, createStint, defineJob, defineShardedJob, type JobContext, type Stint } from '../../src/index.ts'
import { transfer } from '../../src/store/transfer/transfer.ts'
import { newId, newPostgres, newSqlite } from '../support/fixture.ts'
import { temporaryDirectory, until } from '../support/stint.ts'
import { strangeTexts } from '../support/zoo.ts'

/** The jobs of the demo take their time, to be looked at: here they do not. */
const quick = [
  defineJob(render.type, { run: () => null }),
  defineShardedJob(index.type, {
    plan: ({ params }: JobContext<{ files: number }>) => Array.from({ length: params.files }, () => ({ counted: 0 })),
    slice: ({ state: { counted } }) => ({
      state: { counted: counted + 1 },
      done: counted >= 9,
      progress: [counted + 1, 10],
    }),
    reduce: (tasks) => tasks.reduce((sum, { state }) => sum + state.counted, 0),
  }),
]
const jobs = [
  ...demoJobs.filter(({ type }) => quick.every((each) => each.type !== type)),
  ...(quick as AnyJob[]),
  commandJob(),
]

async function open(place: { readonly url: string; readonly schema?: string }): Promise<Stint> {
  const stint = await createStint(place)
  onTestFinished(() => stint.close())
  return stint
}

/** A store with some of everything, at rest: jobs that are over, wait, are due later, are split, stand at a gate. */
async function someOfEverything(url: string): Promise<void> {
  const stint = await createStint({ url, archiveDirectory: temporaryDirectory() })
  const worker = stint.worker({ jobs, artifactsDirectory: temporaryDirectory(), upkeepMs: 50 })
  await worker.start()
  await populate(stint)
  await stint.submitMany(
    strangeTexts.flatMap((text, i) => {
      return ['strange', 'odd'].map((branch) => ({
        job: 'greet',
        params: { who: text, [text]: i },
        options: { name: `/${branch}/job-${i}`, labels: { text } },
      }))
    }),
  )
  await stint.submit('index', { files: 300 }, { name: '/words/index', priority: -5 })
  await stint.store.control('webhook.create', {
    ...{
      id: newId(),
      url: 'https://example.com/hook',
      scope: null,
      secret: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0',
    },
  })
  await stint.pause('/paused')
  await stint.submit('greet', null, { name: '/paused/job', key: 'one' })
  await stint.events.append({ type: 'parcel.arrived', id: 'first', job: '/demo/parcels/order-7' })
  await until(
    () => stint.jobs.get('/demo/trouble/flaky'),
    (job) => (job?.attempt ?? 0) > 0 && job?.state !== 'running',
  )
  await until(
    () => stint.jobs.list({ branch: '/strange', status: null }),
    ({ items }) => items.length === strangeTexts.length,
  )
  await until(
    () => stint.shards.get('/words/index'),
    (state) => (state?.done ?? 0) > 1,
  )
  await worker.stop({ graceMs: 0 })
  await stint.jobs.cancel('/demo/later')
  // Some have left: of them there are runs, and a file of their entries of the log.
  await stint.retention.set('/strange', { jobsMs: 1, eventsMs: 1 })
  expect(await stint.events.archive()).toBeGreaterThan(strangeTexts.length)
  await stint.close()
}

it('moves a store with all that is in it, and what waits there goes on in the other', async () => {
  const [{ place: from, raw: askFrom }, { place: to, raw: askTo }] = [newSqlite(), newPostgres()]
  await someOfEverything(from.url)
  const target = { file: from.url.slice('sqlite:'.length), url: to.url, schema: to.schema ?? '', onStep: () => {} }
  expect(await transfer({ ...target, dryRun: true })).toEqual({ jobs: 0, rows: {} })
  const { jobs: moved, rows } = await transfer({ ...target, dryRun: false })
  const [before, after] = [await open(from), await open(to)]
  expect(moved).toBe((await before.jobs.list({ limit: 1_000, tasks: true })).items.length)
  expect(rows).toMatchObject({ past_jobs: strangeTexts.length, segments: 1 })

  // New keys come after all that were ever given.
  const [given] = await askFrom('select last_pk, (select max(log_id) from events) as log_id from counters')
  const [next] = await askTo(
    'select (select last_value from pks) as last_pk, (select last_value from log_ids) as log_id',
  )
  expect(next).toEqual({ last_pk: String(given?.['last_pk']), log_id: String(given?.['log_id']) })

  // What leads to entries of the log in the source means something else in the target.
  const led = 'select job from runs where start_row is not null or end_row is not null'
  expect((await askFrom(led)).length).toBeGreaterThan(0)
  expect(await askTo(led)).toEqual([])

  // As users see it, too.
  for (const stint of [before, after]) expect((await stint.verify()).differences).toEqual([])
  const shown = async (stint: Stint) => ({
    jobs: (await stint.jobs.list({ limit: 1_000, tasks: true })).items,
    schedules: (await stint.schedules.list()).items,
    groups: (await stint.groups.list({ all: true })).items,
    templates: (await stint.templates.list()).items,
    slots: (await stint.slots.list({ all: true })).items,
    limits: (await stint.limits.list()).items,
    pauses: (await stint.pauses.list()).items,
    log: (await stint.runs.log({ job: '/demo/payments/order-7', attempt: 1 })).items,
    queue: (await stint.jobs.queue()).items,
    archived: (await stint.events.archived()).items,
    past: (await stint.runs.list({ job: '/strange/job-5' })).items,
  })
  expect(await shown(after)).toEqual(await shown(before))

  // Who was told of the log until an entry is told of what comes after it, in the words of the other store.
  const [told] = await after.store.control('webhook.active', {})
  const cursor = (await before.store.control('webhook.active', {}))[0]?.cursor
  expect(told?.cursor).toMatch(new RegExp(`^\\d+\\.${cursor}$`))
  const [first] = (await after.store.events({ after: told?.cursor ?? null, limit: 1 })).entries
  expect(first?.logId).toBe(Number(cursor) + 1)

  // A second time there is something in the way.
  await expect(transfer({ ...target, dryRun: false })).rejects.toThrow('has jobs or other things already')

  const worker = after.worker({ jobs, artifactsDirectory: temporaryDirectory(), upkeepMs: 50 })
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  await worker.start()
  await after.resume('/paused')
  await after.slots.fill('/demo/evening/doors', true)
  await after.events.append({ type: 'parcel.arrived', id: 'first', job: '/demo/parcels/order-7' })
  await after.events.append({ type: 'parcel.arrived', id: 'second', job: '/demo/parcels/order-7' })
  await after.complete({ namespace: 'demo', type: 'charge', key: 'order-7' }, 'paid')
  expect(await after.jobs.result('/demo/evening')).toBe('Hello, Ada! Hello, Grace!')
  expect(await after.jobs.result('/demo/payments/order-7')).toBe('paid')
  await after.jobs.result('/demo/parcels/order-7')
  await after.jobs.result('/paused/job')
  expect(await after.jobs.result('/words/index')).toBe(3_000)
  await after.submit(welcome, { guests: [] }, { name: '/demo/evening' })
  expect((await after.verify()).differences).toEqual([])
})

it('moves nothing while somebody works with the source, or when it is not what its log says', async () => {
  const [{ place: from, raw }, { place: to }] = [newSqlite(), newPostgres()]
  const stint = await open(from)
  await stint.submit('greet', null, { name: '/some/job' })
  const worker = stint.worker({ jobs: [] })
  await worker.start()
  const target = {
    file: from.url.slice('sqlite:'.length),
    url: to.url,
    schema: to.schema ?? '',
    onStep: () => {},
    dryRun: false,
  }
  await expect(transfer(target)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('works with the source'),
  })
  await worker.stop()
  await raw('update jobs set priority = 7')
  await expect(transfer(target)).rejects.toThrow('not what its log says; nothing was moved')
  const other = await open(to)
  expect((await other.jobs.list()).items).toEqual([])
})

it('moves nothing to where a worker has been', async () => {
  const [{ place: from }, { place: to }] = [newSqlite(), newPostgres()]
  await (await open(from)).submit('greet', null, { name: '/some/job' })
  const worker = (await open(to)).worker({ jobs: [defineJob('greet', { run: () => null })] })
  await worker.start()
  await worker.stop()
  const target = { file: from.url.slice('sqlite:'.length), url: to.url, schema: to.schema ?? '', onStep: () => {} }
  await expect(transfer({ ...target, dryRun: false })).rejects.toThrow('has jobs or other things already')
})
