import { describe, expect, it } from 'vitest'
import { type Client, connect } from '../../src/client/index.ts'
import type { ServerOptions } from '../../src/http/server.ts'
import { defineJob, type JobContext } from '../../src/index.ts'
import { type HttpFixture, setupHttp } from '../support/http.ts'
import { quickWebhooks } from '../support/receiver.ts'
import { startWorker, until } from '../support/stint.ts'

const double = defineJob('double', { run: (ctx: JobContext<{ n: number }>) => ctx.params.n * 2 })
const broken = defineJob('broken', {
  retry: { maxAttempts: 1 },
  run: () => {
    throw new Error('no luck')
  },
})

async function setup(options: Partial<ServerOptions> = {}): Promise<HttpFixture & { client: Client }> {
  const http = await setupHttp(options)
  return { ...http, client: connect({ url: http.server.url }) }
}

describe('the client', () => {
  it('submits, waits and reads as the library does', async () => {
    const { client, stint } = await setup()
    await startWorker(stint, { jobs: [double, broken] })
    const job = await client.submit(double, { n: 21 }, { name: '/a/x', labels: { a: 'b' } })
    expect(job.createdAt).toBeInstanceOf(Date)
    const result: number = await job.result()
    expect(result).toBe(42)
    const [here, there] = [await stint.jobs.get('/a/x'), await client.jobs.get('/a/x')]
    expect(there).toEqual(here)
    expect(await client.runs.list({ job })).toEqual(await stint.runs.list({ job }))
    expect((await client.jobs.list({ label: { name: 'a', value: 'b' } })).items).toEqual([there])
  })

  it('rejects with the errors of the library', async () => {
    const { client, stint } = await setup()
    await startWorker(stint, { jobs: [broken] })
    const job = await client.submit(broken, undefined, { name: '/a/broken' })
    await expect(job.result()).rejects.toMatchObject({ name: 'StintError', code: 'job_failed' })
    await expect(client.submit('x', null, { name: '/a//b' })).rejects.toMatchObject({ code: 'invalid_name' })
    await expect(client.jobs.retry('/a/none')).rejects.toMatchObject({ code: 'not_found' })
    expect(await client.jobs.get('/a/none')).toBeNull()
    const [one, two] = await client.submitMany([
      { job: 'x', options: { name: '/a/1y' } },
      { job: 'x', options: { name: '' } },
    ])
    expect([one?.status, two?.status]).toEqual(['fulfilled', 'rejected'])
  })

  it('submits any number of jobs, also none', async () => {
    const { client, stint } = await setup()
    expect(await client.submitMany([])).toEqual([])
    const made = await client.submitMany(Array.from({ length: 10_001 }, (_, n) => ({ job: 'x', params: n })))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10_001)
    const [newest] = (await stint.jobs.list({ limit: 1 })).items
    expect(newest?.params).toBe(10_000)
  })

  it('hands values to come from one job to the next', async () => {
    const { client, stint } = await setup()
    await startWorker(stint, { jobs: [double] })
    const first = await client.submit(double, { n: 5 })
    const second = await client.submit(double, { n: first.output }, { after: [first] })
    expect(await second.result()).toBe(20)
  })

  it('sends again what got no answer, and it is done once', async () => {
    const { server, stint } = await setup()
    let calls = 0
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      calls += 1
      if (calls === 1) throw new TypeError('the answer was lost')
      return response
    }
    const client = connect({ url: server.url, fetch: losing })
    await client.submit('x', null, { name: '/a/once' })
    expect(calls).toBe(2)
    expect((await stint.jobs.list()).items).toHaveLength(1)
  })

  it('says when nobody is there', async () => {
    const client = connect({ url: 'http://127.0.0.1:9', retries: 0 })
    await expect(client.jobs.list()).rejects.toMatchObject({ code: 'unreachable', retryable: true })
  })

  it('makes templates, schedules, groups and slots as the library does', async () => {
    const { client, stint } = await setup()
    await startWorker(stint, { jobs: [double] })
    const template = await client.templates.create({ path: '/a/t', type: 'double', params: { n: 4 } })
    expect(await client.templates.get('/a/t')).toEqual(template)
    expect(await (await client.templates.submit('/a/t', { n: 5 })).result()).toBe(10)
    const schedule = await client.schedules.create({ path: '/a/s', template: template.id, cron: '0 0 1 1 *' })
    expect(schedule).toEqual(await stint.schedules.get('/a/s'))
    expect((await client.schedules.trigger(schedule.id)).outcome).toBe('created')
    expect((await client.schedules.disable('/a/s')).status).toBe('DISABLED')
    const group = await client.groups.run({ mode: 'parallel', path: '/a/g', jobs: [{ job: double, params: { n: 1 } }] })
    expect(group).toMatchObject({ path: '/a/g', sealed: true })
    expect((await client.groups.members(group.id)).items).toHaveLength(1)
    const slot = await client.slots.create<number>('/a/slot')
    const waiting = await client.submit(double, { n: slot }, { name: '/a/waiting' })
    expect(await client.slots.fill(slot, 8)).toMatchObject({ status: 'FILLED', value: 8 })
    expect(await waiting.result()).toBe(16)
  })

  it('holds, opens and looks at what jobs wait for', async () => {
    const { client, stint } = await setup()
    await client.limits.set('gpu', { concurrency: 2 })
    await client.pause('/a', { reason: 'not now' })
    expect((await client.pauses.list()).items).toEqual([
      expect.objectContaining({ path: '/a', reason: 'not now', since: expect.any(Date) }),
    ])
    const job = await client.submit('double', { n: 1 }, { name: '/a/x', limits: ['gpu'] })
    expect((await client.limits.list()).items).toEqual((await stint.limits.list()).items)
    await client.resume('/a')
    expect((await client.tree({ path: '/a' })).items).toEqual((await stint.tree({ path: '/a' })).items)
    expect((await client.depths()).items).toEqual((await stint.depths()).items)
    expect(await client.jobs.notes(job)).toEqual({ progress: null, checkpoint: null })
    expect((await client.jobs.cancel(job)).status).toBe('CANCELLED')
    await client.defaults.set('/a', { priority: 3 })
    await client.retention.set('/a', { jobsMs: 1_000 })
    expect((await client.retention.get('/a/b')).jobsMs).toBe(1_000)
    const { key, id } = await client.keys.create({ label: 'reader', role: 'read', path: '/a' })
    expect(key).toMatch(/^stint_/)
    expect((await client.keys.revoke(id)).revokedAt).toBeInstanceOf(Date)
  })

  it('sends events, answers from outside, and hears what happens', async () => {
    const { client, stint } = await setup()
    const later = defineJob('later', { run: (ctx) => ctx.later() })
    const heard = (async () => {
      for await (const entry of client.events.stream({ type: 'job.run.completed' })) return entry
      return null
    })()
    await startWorker(stint, { jobs: [later] })
    const job = await client.submit(later, undefined, { name: '/a/later', key: 'k' })
    await until(
      () => client.jobs.get(job),
      (view) => view?.status === 'RUNNING' && view.reason !== null,
    )
    expect(await client.events.append({ type: 'paid', id: '1', job })).toEqual({ outcome: 'recorded' })
    expect(await client.events.append({ type: 'paid', id: '1', job })).toEqual({ outcome: 'duplicate' })
    await client.complete({ namespace: 'a', type: 'later', key: 'k' }, { paid: true })
    expect(await job.result()).toEqual({ paid: true })
    expect(await heard).toMatchObject({ eventType: 'job.run.completed', occurredAt: expect.any(Date) })
    const { items } = await client.events.list({ job })
    expect(items.map(({ eventType }) => eventType)).toContain('paid')
  })

  it('tells when schedules fire, whom webhooks tell, and how the server is', async () => {
    const { client, server, key } = await setup({ webhooks: quickWebhooks })
    const night = { cron: '30 2 * * *', timezone: 'Europe/Berlin' }
    const schedule = await client.schedules.create({ path: '/a/s', type: 'double', ...night })
    const range = { from: '2027-03-27T12:00:00Z', until: new Date('2027-03-29T12:00:00Z') }
    const outlook = await client.schedules.outlook(schedule.id, range)
    expect(outlook.fires).toEqual([new Date('2027-03-28T01:00:00Z'), new Date('2027-03-29T00:30:00Z')])
    expect(outlook.changes[0]).toMatchObject({ at: new Date('2027-03-28T01:00:00Z'), effect: 'shifted' })
    expect(await client.schedules.previewTiming(night, range)).toEqual(outlook)
    const { id, secret } = await client.webhooks.create({ url: 'http://127.0.0.1:9/hook', path: '/a' })
    expect(secret).toMatch(/^whsec_/)
    expect((await client.webhooks.rotate(id)).secret).not.toBe(secret)
    expect((await client.webhooks.update(id, { status: 'DISABLED' })).status).toBe('DISABLED')
    expect((await client.webhooks.list()).items).toEqual([await client.webhooks.get(id)])
    expect((await client.webhooks.deliveries(id)).items).toEqual([])
    await client.webhooks.delete(id)
    expect(await client.server()).toMatchObject({ store: 'sqlite', settings: { requireKeys: false, commands: false } })
    expect((await client.server()).process?.answered).toBeGreaterThan(5)
    const scoped = connect({ url: server.url, key: await key('admin', '/a') })
    expect(await scoped.server()).toMatchObject({ store: 'sqlite', settings: null, process: null, counters: null })
  })

  it('knows who it is, reads many jobs at once, and does the same to many', async () => {
    const { client, server, key } = await setup()
    expect(await client.access()).toEqual({ actor: 'local', role: 'admin', path: null })
    const reader = connect({ url: server.url, key: await key('read', '/a') })
    expect(await reader.access()).toMatchObject({ role: 'read', path: '/a' })
    const [one, two] = [
      await client.submit('none', null, { name: '/a/one' }),
      await client.submit('none', null, { name: '/a/two' }),
    ]
    expect((await reader.jobs.getMany([two.id, one.id])).map(({ name }) => name)).toEqual(['/a/two', '/a/one'])
    const { id } = await client.operations.begin({ action: 'cancel', filter: { branch: '/a' } })
    const operation = await until(
      () => client.operations.get(id),
      ({ status }) => status === 'DONE',
    )
    expect(operation.counts.done).toBe(2)
    expect((await client.operations.list()).items.map((each) => each.id)).toEqual([id])
  })

  it('has the verbs of the library, but for those that make no sense elsewhere', async () => {
    const { client, stint } = await setup()
    const elsewhere = {
      itself: ['close', 'worker', 'drainer', 'within', 'resolve', 'idOf', 'metrics', 'durations', 'verify'],
      // A name or an id is all that a caller elsewhere needs; old entries of the log lie in files of the server.
      parts: ['jobs.uuidOf', 'events.archive', 'events.archived', 'events.readSegment', 'pauses.add', 'pauses.remove'],
    }
    const verbsOf = (of: object): readonly string[] => {
      const own = Object.keys(of).filter((name) => typeof Reflect.get(of, name) === 'function')
      const proto = Object.getPrototypeOf(of)
      if (proto === Object.prototype) return own
      const inherited = Object.entries(Object.getOwnPropertyDescriptors(proto))
      return [...own, ...inherited.flatMap(([name, { value }]) => (name !== 'constructor' && value ? [name] : []))]
    }
    const missing = verbsOf(stint).filter((verb) => !verbsOf(client).includes(verb))
    expect(missing.filter((verb) => !elsewhere.itself.includes(verb))).toEqual([])
    const parts = Object.entries(stint).filter(([name]) => name !== 'work' && name !== 'tail')
    const lacking = parts.flatMap(([name, part]) => {
      const has = Reflect.get(client, name) as object
      return verbsOf(part).flatMap((verb) => (verb in has ? [] : [`${name}.${verb}`]))
    })
    expect(parts.length).toBeGreaterThan(12)
    expect(lacking.sort()).toEqual(elsewhere.parts.toSorted())
  })

  it('waits for groups, delays, previews, and says what was not there as the library does', async () => {
    const { client, stint } = await setup()
    const jobs = [1, 2].map((n) => ({ job: double, params: { n } }))
    await startWorker(stint, { jobs: [double] })
    const group = await client.groups.run({ path: '/a/g', mode: 'parallel', jobs })
    expect(await client.groups.result(group.id)).toMatchObject({ status: 'COMPLETED', counts: { completed: 2 } })
    const empty = await client.groups.create({ path: '/a/open', mode: 'parallel' })
    await expect(client.groups.result(empty.id, { timeoutMs: 1 })).rejects.toMatchObject({ code: 'wait_timeout' })
    const slot = await client.slots.delay('/a/later', new Date('2100-01-01'))
    expect(await client.slots.get(slot)).toMatchObject({ status: 'OPEN', dueAt: new Date('2100-01-01') })
    await client.schedules.create({ path: '/a/s', type: 'x', cron: '0 9 * * *', timezone: 'UTC' })
    expect(await client.schedules.preview('/a/s', { count: 3 })).toHaveLength(3)
    const events = [{ type: 'a.b', id: '1' }, { type: 'a.b', id: '1' }, { type: 'job.created' }]
    const outcomes = (await client.events.appendMany(events)).map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['recorded', 'duplicate', 'refused'])
    expect(await client.resume('/a/nothing')).toBe(false)
    expect(await client.limits.remove('nothing')).toBe(false)
    expect(await client.limits.get('nothing')).toBeNull()
    const job = await client.submit('x')
    expect(await client.shards.get(job)).toBeNull()
    const operation = await client.operations.begin({ action: 'cancel', filter: { type: 'x' } })
    await until(
      () => client.operations.get(operation.id),
      ({ status }) => status === 'DONE',
    )
    await expect(job.result()).rejects.toMatchObject({ code: 'job_cancelled' })
    const webhook = { url: 'https://localhost/x' }
    await expect(client.webhooks.create(webhook)).rejects.toMatchObject({ details: { field: 'url' } })
  })
})
