import { expect, it, onTestFinished } from 'vitest'
import { defineJob, type StandardSchema } from '../../src/index.ts'
import { createTestStint } from '../../src/testing/index.ts'
import { codeOf } from '../support/requests.ts'
import { onBothStores, startWorker, until } from '../support/stint.ts'

const hour = 3_600_000

const report = defineJob('report', { run: (ctx) => ctx.params as { to: string } })

async function kitOf() {
  const kit = await createTestStint({ jobs: [report], now: new Date('2026-03-07T12:00:00Z') })
  onTestFinished(() => kit.close())
  return kit
}

onBothStores('a schedule', (setup) => {
  it('runs its jobs by itself, and tells what it is in words', async () => {
    const { stint } = await setup()
    const schedule = await stint.schedules.create({
      path: '/s/tick',
      job: report,
      intervalMs: 200,
      params: { to: 'ann' },
    })
    expect(schedule).toMatchObject({
      status: 'ENABLED',
      enabled: true,
      type: 'report',
      timezone: 'UTC',
      templateId: null,
    })
    expect(schedule.description).toMatch(/200/)
    await startWorker(stint, { jobs: [report] })
    const done = await until(
      () => stint.jobs.list({ branch: '/s/tick', outcome: 'COMPLETED' }),
      ({ items }) => items.length >= 3,
    )
    expect(done.items[0]).toMatchObject({ scheduleId: schedule.id, result: { to: 'ann' } })
    expect((await stint.schedules.disable('/s/tick')).nextTriggerAt).toBeNull()
    const instants = done.items.map(({ scheduledFor }) => scheduledFor.getTime())
    expect(instants.every((at) => at % 200 === 0)).toBe(true)
    expect(new Set(instants).size).toBe(instants.length)
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('is told to other processes by what they find in the store', async () => {
    const { stint, open } = await setup()
    await startWorker(await open(), { jobs: [report] })
    await stint.schedules.create({ path: '/s/tick', job: 'report', intervalMs: 100 })
    await until(
      () => stint.jobs.list({ branch: '/s/tick', outcome: 'COMPLETED' }),
      ({ items }) => items.length >= 2,
    )
    expect((await stint.schedules.get('/s/tick'))?.lastTriggeredAt).toBeInstanceOf(Date)
  })
})

it('fires by local time, over a change of the clocks', async () => {
  const { stint, advance } = await kitOf()
  await stint.schedules.create({ path: '/s/nightly', job: report, cron: '30 2 * * *', timezone: 'America/New_York' })
  await advance(48 * hour)
  const { items } = await stint.jobs.list({ branch: '/s/nightly' })
  expect(items.map(({ scheduledFor }) => scheduledFor.toISOString())).toEqual([
    '2026-03-09T06:30:00.000Z',
    '2026-03-08T07:00:00.000Z',
  ])
  expect(items.map(({ outcome }) => outcome)).toEqual(['COMPLETED', 'COMPLETED'])
})

it('is listed, changed, triggered and filled back with dates', async () => {
  const { stint, drain } = await kitOf()
  const spec = { job: report, cron: '0 * * * *', startAt: '2026-01-01T00:00:00Z', catchUp: 'none' } as const
  const { id } = await stint.schedules.create({ path: '/s/hourly', ...spec, enabled: false, params: { to: 'all' } })
  expect(await stint.schedules.update(id, { label: 'Hourly', endAt: new Date('2027-01-01') })).toMatchObject({
    label: 'Hourly',
    startAt: new Date('2026-01-01'),
    endAt: new Date('2027-01-01'),
    catchUp: { mode: 'none' },
    overrides: { params: { to: 'all' } },
  })
  const endless = await stint.schedules.update(id, { endAt: null })
  expect([endless.endAt, endless.startAt]).toEqual([null, new Date('2026-01-01')])
  expect((await stint.schedules.list()).items.map(({ path }) => path)).toEqual(['/s/hourly'])
  const fired = await stint.schedules.trigger('/s/hourly')
  expect(fired).toMatchObject({ at: new Date('2026-03-07T12:00:00Z'), outcome: 'created' })
  const range = { from: '2026-03-01T00:00:00Z', to: new Date('2026-03-06T23:59:00Z') }
  const plan = await stint.schedules.backfill(id, { ...range, dryRun: true })
  expect([plan.length, plan[0]]).toEqual([144, { at: new Date('2026-03-01'), action: 'run', jobId: null, error: null }])
  await stint.schedules.backfill(id, range)
  await drain()
  expect((await stint.jobs.list({ branch: '/s/hourly', outcome: 'COMPLETED', limit: 500 })).items).toHaveLength(145)
  expect((await stint.schedules.delete(id)).status).toBe('DELETED')
  expect((await stint.schedules.list()).items).toEqual([])
  expect((await stint.schedules.list({ all: true })).items).toHaveLength(1)
  expect(await codeOf(stint.schedules.backfill(id, { from: 'yesterday', to: 0 }))).toBe('invalid_argument')
})

it('makes jobs of a template that knows the schema of its definition', async () => {
  const { stint, advance } = await kitOf()
  const schema: StandardSchema<{ to: string }> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value: value as { to: string } }),
      jsonSchema: { input: () => ({ type: 'object', required: ['to'] }) },
    },
  }
  const mail = defineJob('report', { params: schema, run: (ctx) => ctx.params })
  const template = await stint.templates.create({ path: '/s/mail', job: mail, limits: ['smtp'], description: 'Mail' })
  expect(template).toMatchObject({ schema: { type: 'object', required: ['to'] }, status: 'CREATED', type: 'report' })
  expect(await codeOf(stint.templates.submit('/s/mail'))).toBe('invalid_params')
  const job = await stint.templates.submit('/s/mail', { to: 'ann' })
  expect(job.name).toMatch(/^\/s\/mail\/./)
  const typed = await stint.submit(mail, { to: 'bob' }, { template: template.id })
  await stint.schedules.create({ path: '/s/weekly', template: '/s/mail', cron: '0 9 * * 1', params: { to: 'all' } })
  await advance(7 * 24 * hour)
  const { items } = await stint.jobs.list({ type: 'report' })
  expect(items.map(({ templateId, outcome }) => [templateId, outcome])).toEqual(
    items.map(() => [template.id, 'COMPLETED']),
  )
  expect(items).toHaveLength(3)
  expect(await typed.result()).toEqual({ to: 'bob' })
  expect((await stint.templates.get('/s/mail'))?.status).toBe('ACTIVE')
  expect(await stint.templates.update('/s/mail', { priority: 3 })).toMatchObject({
    priority: 3,
    limits: [{ key: 'smtp' }],
  })
  expect((await stint.templates.list({ path: '/s' })).items).toHaveLength(1)
  await stint.templates.archive('/s/mail')
  await advance(7 * 24 * hour)
  expect(await stint.schedules.get('/s/weekly')).toMatchObject({
    status: 'DISABLED',
    blocked: 'the template is archived',
  })
  expect(await codeOf(stint.schedules.enable('/s/weekly'))).toBe('template_archived')
})

it('has what the definition of its jobs says, also when it is made without it', async () => {
  const { stint } = await kitOf()
  const careful = defineJob('careful', { retry: { maxAttempts: 9 }, priority: 3, run: () => null })
  await stint.templates.create({ path: '/s/careful', job: careful, priority: 5 })
  await stint.schedules.create({ path: '/s/often', job: careful, intervalMs: hour })
  await stint.templates.submit('/s/careful', {}, { name: '/s/a' })
  await stint.submit(careful, undefined, { template: '/s/careful', name: '/s/b' })
  await stint.schedules.trigger('/s/often')
  const jobs = await Promise.all(['/s/a', '/s/b'].map((name) => stint.store.find([{ name }])))
  expect(jobs.flat().map((stored) => [stored?.job.priority, stored?.job.retry.maxAttempts])).toEqual([
    [5, 9],
    [5, 9],
  ])
  expect((await stint.jobs.list({ branch: '/s/often' })).items[0]?.priority).toBe(3)
})

it('has defaults of the paths over its jobs', async () => {
  const { stint, drain } = await kitOf()
  await stint.defaults.set('/s', { priority: 4, timeoutMs: 1_000, limits: [{ key: 'cpu', concurrency: 1 }] })
  await stint.schedules.create({ path: '/s/x', job: report, intervalMs: hour })
  await stint.schedules.trigger('/s/x')
  const [job] = (await stint.jobs.list({ branch: '/s' })).items
  expect(job).toMatchObject({ priority: 4 })
  expect((await stint.limits.get('cpu'))?.concurrency).toBe(1)
  await drain()
  expect((await stint.defaults.list()).items).toMatchObject([{ path: '/s', settings: { priority: 4 } }])
  expect(await stint.defaults.remove('/s')).toBe(true)
  expect((await stint.submit(report, { to: 'x' }, { name: '/s/plain' })).priority).toBe(0)
})
