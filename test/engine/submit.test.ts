import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { defineJob, JobRunId, type QueryClient } from '../../src/index.ts'
import { daySchema, onBothStores, type SetupStint, setupStint, startWorker } from '../support/stint.ts'

const report = defineJob('report', {
  params: daySchema,
  run: ({ params }) => ({ year: params.day.getUTCFullYear() }),
})

/** In the second batch one cannot be plain, in the third one has a name that is taken. */
function optionsOf(n: number) {
  if (n === 1_500) return { key: 'once' }
  return n === 2_500 ? { name: '/a/taken' } : {}
}

onBothStores('submitting', (setup, kind) => {
  it('runs a job and gives its result, with params as its schema gives them', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [report] })
    const job = await stint.submit(report, { day: '2026-11-15' })
    expect(await job.result()).toEqual({ year: 2026 })
    expect(await stint.jobs.get(job.id)).toMatchObject({ outcome: 'COMPLETED', result: { year: 2026 }, attempt: 1 })
  })

  it('takes nothing for what it has of its own that is no option', async () => {
    const { stint, store } = await setup()
    const strange = { params: '{"b":2}', type: 'other', context: { actor: 'root' }, trace: 'x', submittedBy: 'x' }
    const { id } = await stint.submit('work', { a: 1 }, strange as never)
    const [stored] = await store.find([{ id: JobRunId.parse(id).name }])
    expect(stored).toMatchObject({ params: '{"a":1}', trace: null, job: { type: 'work', submittedBy: null } })
    expect((await stint.events.list({ job: id })).items[0]).toMatchObject({ actor: null })
  })

  it('refuses params that do not fit, and names the place', async () => {
    const { stint } = await setup()
    const wrong = stint.submit(report, { day: 5 } as never)
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_params', message: /params\.day: must be a text/ })
    await expect(stint.submit(report, { day: 'x' })).rejects.toThrow(/params\.day: must be a date/)
    expect((await stint.jobs.list()).items).toEqual([])
  })

  it('fails a job for good whose params no longer fit when it runs', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [report] })
    const job = await stint.submit('report', { day: 'nonsense' })
    await expect(job.result()).rejects.toMatchObject({ code: 'job_failed', message: /params\.day: must be a date/ })
    expect(await stint.jobs.get(job.id)).toMatchObject({ attempt: 1, outcome: 'FAILED' })
  })

  it('submits many, each with its own fate', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [report] })
    const settled = await stint.submitMany([
      { job: report, params: { day: '2025-01-01' } },
      { job: report, params: { day: 'x' } },
      { job: 'report', params: { day: '2024-01-01' }, options: { name: '/a/b' } },
      { job: 'report', options: { name: '//' } },
      { job: 'report', params: 5n },
      { job: null as never },
    ])
    const told = settled.map((each) => (each.status === 'fulfilled' ? 'ok' : each.reason.code))
    expect(told).toEqual(['ok', 'invalid_params', 'ok', 'invalid_name', 'invalid_json', 'invalid_argument'])
    const results = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.result()] : []))
    expect(await Promise.all(results)).toEqual([{ year: 2025 }, { year: 2024 }])
  })

  it('keeps the order of very many, also where some of them are not plain or are refused', async () => {
    const { stint, store } = await setup()
    await stint.submit('x', null, { name: '/a/taken' })
    const items = Array.from({ length: 3_500 }, (_, n) => ({ job: 'x', params: n, options: optionsOf(n) }))
    const settled = await stint.submitMany(items)
    const told = settled.map((each) => (each.status === 'fulfilled' ? 'ok' : each.reason.code))
    expect(told.filter((each) => each !== 'ok')).toEqual(['name_taken'])
    const made = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const jobs = await store.find(made.map(({ name }) => ({ name })))
    const positions = jobs.map((each) => each?.job.position ?? 0)
    expect(new Set(positions).size).toBe(3_499)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  })

  it('takes defaults from the definition and lets the submission outweigh them', async () => {
    const { stint, store } = await setup()
    const job = defineJob('x', { retry: { maxAttempts: 7, baseMs: 5 }, timeoutMs: 50, priority: 3, run: () => null })
    await stint.submit(job, undefined, { name: '/a/plain' })
    await stint.submit(job, undefined, {
      name: '/a/own',
      maxAttempts: 2,
      timeoutMs: 9,
      priority: 0,
      retry: { baseMs: 6 },
    })
    const [plain, own] = await store.find([{ name: '/a/plain' }, { name: '/a/own' }])
    expect(plain?.job).toMatchObject({ timeoutMs: 50, priority: 3, retry: { maxAttempts: 7, baseMs: 5 } })
    expect(own?.job).toMatchObject({ timeoutMs: 9, priority: 0, retry: { maxAttempts: 2, baseMs: 6 } })
  })

  if (kind === 'sqlite') {
    it('refuses a transaction of the caller', async () => {
      const { stint } = await setup()
      const transaction: QueryClient = { query: () => expect.unreachable() }
      await expect(stint.submit('x', null, { transaction })).rejects.toMatchObject({ code: 'unsupported_store' })
    })
  } else inTransactions(setup)
})

function inTransactions(setup: SetupStint): void {
  async function begun(config: pg.ClientConfig = {}): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: inject('postgresUrl'), ...config })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin')
    return client
  }

  it('makes the job when the transaction of the caller commits, and not before', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [report], pollMs: 20 })
    const client = await begun()
    const job = await stint.submit(report, { day: '2026-01-01' }, { transaction: client, name: '/a/b' })
    expect(await stint.jobs.get('/a/b')).toBeNull()
    await client.query('commit')
    expect(await job.result()).toEqual({ year: 2026 })
  })

  it('makes nothing when the transaction of the caller rolls back', async () => {
    const { stint } = await setup()
    const client = await begun()
    await stint.submit(report, { day: '2026-01-01' }, { transaction: client, name: '/a/b' })
    await client.query('rollback')
    expect(await stint.jobs.get('/a/b')).toBeNull()
    expect((await stint.events.list()).items).toEqual([])
    await stint.submit(report, { day: '2026-01-01' }, { name: '/a/b' })
  })

  it('takes anything that runs a query, also when it gives numbers as text', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [report], pollMs: 20 })
    const client = await begun({ types: { getTypeParser: () => (text: string) => text } as never })
    const transaction: QueryClient = { query: (text, values) => client.query(text, values) }
    const options = { transaction, labels: { team: '"red" \\ {blue}' }, onFailure: 'x', expiresAt: new Date(4e12) }
    const job = await stint.submit(report, { day: '2026-01-01' }, { ...options, name: '/a/b' })
    expect(job).toMatchObject({ status: 'QUEUED', priority: 0, labels: options.labels, expiresAt: new Date(4e12) })
    const second = stint.submit(report, { day: '2026-01-01' }, { transaction, name: '/a/b' })
    await expect(second).rejects.toMatchObject({ code: 'name_taken' })
    await client.query('commit')
    expect(await job.result()).toEqual({ year: 2026 })
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('makes members of a group, whose numbers may come as text, too', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [report], pollMs: 20 })
    const group = await stint.groups.create({ mode: 'sequential' })
    const client = await begun({ types: { getTypeParser: () => (text: string) => text } as never })
    const transaction: QueryClient = { query: (text, values) => client.query(text, values) }
    for (const name of ['/a/b', '/a/c']) {
      await stint.submit(report, { day: '2026-01-01' }, { transaction, name, group: group.id })
    }
    await client.query('commit')
    const sealed = await stint.groups.seal(group)
    expect(await sealed.result()).toMatchObject({ status: 'COMPLETED', counts: { total: 2, completed: 2 } })
    expect(await stint.verify()).toEqual({ differences: [] })
  })
}

describe('a Stint that is closed', () => {
  it('refuses to submit at once', async () => {
    const { stint } = await setupStint()
    await stint.close()
    await expect(stint.submit('x')).rejects.toMatchObject({ code: 'store_closed' })
    await stint.close()
  })
})
