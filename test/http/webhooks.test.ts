import { describe, expect, it } from 'vitest'
import { failuresMax } from '../../src/core/webhook/webhook.ts'
import type { WebhookOptions } from '../../src/http/webhooks/webhooks.ts'
import { defineJob } from '../../src/index.ts'
import { type HttpFixture, type Reply, setupHttp } from '../support/http.ts'
import { quickWebhooks, startReceiver, verified } from '../support/receiver.ts'
import { startWorker, until } from '../support/stint.ts'

const double = defineJob('double', { run: ({ params }: { params: unknown }) => (params as { n: number }).n * 2 })
const wrong = defineJob('wrong', {
  retry: { maxAttempts: 1 },
  run: () => {
    throw new Error('oh no')
  },
})

const quick = { webhooks: quickWebhooks }

/** A webhook, and a worker whose jobs it is told of. */
async function setup(
  url: string,
  fields: object = {},
  webhooks: WebhookOptions = {},
): Promise<HttpFixture & { hook: Reply['json'] }> {
  const fixture = await setupHttp({ webhooks: { ...quickWebhooks, ...webhooks } })
  await startWorker(fixture.stint, { jobs: [double, wrong] })
  const { status, json } = await fixture.ask('POST', '/v1/webhooks', { body: { url, ...fields } })
  expect(status).toBe(201)
  return { ...fixture, hook: json }
}

async function deliveries({ ask, hook }: Awaited<ReturnType<typeof setup>>): Promise<Reply['json'][]> {
  return (await ask('GET', `/v1/webhooks/${hook.id}/deliveries`)).json.items
}

async function ended(fixture: Awaited<ReturnType<typeof setup>>, count = 1): Promise<Reply['json'][]> {
  return await until(
    () => deliveries(fixture),
    (items) => items.filter(({ status }) => status !== 'PENDING').length >= count,
  )
}

describe('a webhook', () => {
  it('is told how runs ended, in messages that somebody else can verify', async () => {
    const receiver = await startReceiver()
    const fixture = await setup(receiver.url)
    const job = await fixture.stint.submit(double, { n: 21 }, { name: '/a/x' })
    await fixture.stint.submit(wrong, null, { name: '/a/y' })
    const messages = await receiver.count(2)
    for (const message of messages) expect(verified(fixture.hook.secret, message)).toEqual(message.json)
    const byType = new Map(messages.map(({ json }) => [json.type, json.data]))
    expect(byType.get('job.run.completed')).toMatchObject({
      runId: `${job.id}-run-1`,
      job: { id: job.id, name: '/a/x', type: 'double', outcome: 'COMPLETED', attempt: 1, error: null, result: 42 },
      event: { namespace: 'a', source: null, attributes: { attempt: 1 } },
      omitted: [],
    })
    expect(byType.get('job.run.failed').job).toMatchObject({
      ...{ name: '/a/y', outcome: 'FAILED', error: 'oh no', isFinal: true, result: null },
    })
    const [first] = await ended(fixture, 2)
    expect(first).toMatchObject({ status: 'DELIVERED', attempts: 1, responseStatus: 200, error: null })
    // No secret, and no token of an attempt, is shown to anybody.
    const shown = await fixture.ask('GET', `/v1/webhooks/${fixture.hook.id}`)
    expect([shown.text.includes('whsec'), messages.some(({ body }) => body.includes('"token"'))]).toEqual([
      false,
      false,
    ])
  })

  it('is told of the types that it names, of its branch alone, and never of what Stint does for itself', async () => {
    const receiver = await startReceiver()
    const fixture = await setup(receiver.url, { path: '/a/b', types: ['*'] })
    for (const name of ['/a/bc', '/other/b', '/a/b/c']) await fixture.stint.submit(double, { n: 1 }, { name })
    await receiver.count(3)
    await fixture.stint.events.append({ type: 'parcel.arrived', job: '/a/b/c' })
    await fixture.stint.events.append({ type: 'parcel.arrived', namespace: 'a' })
    await fixture.stint.submit(double, { n: 1 }, { name: '/a/b/last' })
    await receiver.count(7)
    await ended(fixture, 7)
    const told = receiver.received.map(({ json }) => `${json.type} ${json.data.job?.name}`)
    expect(new Set(told)).toEqual(
      new Set([
        ...['created', 'run.started', 'run.completed'].flatMap((type) => {
          return ['/a/b/c', '/a/b/last'].map((name) => `job.${type} ${name}`)
        }),
        'parcel.arrived /a/b/c',
      ]),
    )
    expect(told).toHaveLength(7)
    expect(receiver.received.filter(({ body }) => body.includes('"token"'))).toEqual([])
  })

  it('leaves out what is too large to be told', async () => {
    const receiver = await startReceiver()
    const { stint } = await setup(receiver.url)
    await startWorker(stint, { jobs: [defineJob('large', { run: () => 'x'.repeat(100_000) })] })
    await stint.submit('large', null, { name: '/a/x' })
    const [message] = await receiver.count(1)
    expect(message?.json.data).toMatchObject({ job: { outcome: 'COMPLETED', result: null }, omitted: ['job.result'] })
  })

  it('gets a message again until it takes it, always the same one', async () => {
    const receiver = await startReceiver((response, nth) => {
      response.statusCode = nth < 3 ? 500 : 204
      response.end('down\0 for\nrepair')
    })
    const fixture = await setup(receiver.url)
    await fixture.stint.submit(double, { n: 1 })
    const [delivery] = await ended(fixture)
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 3, responseStatus: 204 })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([delivery.messageId]),
    )
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    const details = await fixture.ask('GET', `/v1/webhooks/${fixture.hook.id}/deliveries/${delivery.id}`)
    expect(details.json.body).toBe(receiver.received[0]?.body)
    expect(details.json.log).toMatchObject([
      { attempt: 1, responseStatus: 500, detail: expect.stringMatching(/^HTTP 500: down for repair \(\d+ ms\)$/) },
      { attempt: 2, responseStatus: 500 },
      { attempt: 3, responseStatus: 204 },
    ])
  })

  it('that never answers is tried as often as any other', async () => {
    const receiver = await startReceiver(() => {})
    const retry = { ...quickWebhooks.retry, maxAttempts: 2 }
    const fixture = await setup(receiver.url, {}, { deadlineMs: 30, retry })
    await fixture.stint.submit(double, { n: 1 })
    const [delivery] = await ended(fixture)
    expect(delivery).toMatchObject({ status: 'FAILED', attempts: 2, responseStatus: null })
    expect(delivery.error).toBe('There was no answer within 30 ms.')
    expect((await fixture.ask('GET', `/v1/webhooks/${fixture.hook.id}`)).json.failures).toBe(1)
  })

  it('is left alone for as long as it asks, and nothing is charged for that', async () => {
    const receiver = await startReceiver((response, nth) => {
      response.writeHead([429, 503][nth - 1] ?? 200, { 'retry-after': nth === 1 ? '0' : new Date(0).toUTCString() })
      response.end()
    })
    const fixture = await setup(receiver.url)
    await fixture.stint.submit(double, { n: 1 })
    const [delivery] = await ended(fixture)
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 3 })
    const details = await fixture.ask('GET', `/v1/webhooks/${fixture.hook.id}/deliveries/${delivery.id}`)
    expect(details.json.log.map((each: Reply['json']) => each.responseStatus)).toEqual([429, 503, 200])
    expect((await fixture.stint.jobs.get(delivery.id))?.charged).toBe(0)
  })

  it('is asked again after an hour, however much longer it asks for', async () => {
    const retryAfter = '9'.repeat(400)
    const receiver = await startReceiver(
      (response) => void response.writeHead(429, { 'retry-after': retryAfter }).end(),
    )
    const fixture = await setup(receiver.url)
    await fixture.stint.submit(double, { n: 1 })
    const { json } = await until(
      () => fixture.ask('GET', `/v1/webhooks/${fixture.hook.id}/deliveries`),
      (reply) => reply.json.items[0]?.attempts === 1 && reply.json.items[0].nextAttemptAt !== null,
    )
    const [{ id, createdAt, nextAttemptAt }] = json.items
    expect(Date.parse(nextAttemptAt) - Date.parse(createdAt)).toBeGreaterThanOrEqual(3_600_000)
    expect((await fixture.stint.jobs.get(id))?.charged).toBe(0)
  })

  it('is disabled when it says that it is gone, and then nothing more is sent', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(410).end())
    const fixture = await setup(receiver.url)
    await fixture.stint.submit(double, { n: 1 })
    expect(await ended(fixture)).toMatchObject([{ status: 'FAILED', attempts: 1, responseStatus: 410 }])
    const { json } = await fixture.ask('GET', `/v1/webhooks/${fixture.hook.id}`)
    expect([json.status, json.reason]).toEqual(['DISABLED', 'the receiver answered 410 Gone'])
    const ping = await fixture.ask('POST', `/v1/webhooks/${fixture.hook.id}/ping`)
    expect(ping.status).toBe(202)
    const [last] = await ended(fixture, 2)
    expect(last).toMatchObject({ id: ping.json.id, status: 'FAILED', responseStatus: null })
    expect(receiver.received).toHaveLength(1)
  })

  it('is disabled after so many messages in a row that nobody took, and its owner sees why', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(302, { location: '/other' }).end())
    const fixture = await setup(receiver.url, {}, { retry: { ...quickWebhooks.retry, maxAttempts: 2 } })
    await fixture.stint.submitMany(Array.from({ length: failuresMax }, () => ({ job: double, params: { n: 1 } })))
    const { json } = await until(
      () => fixture.ask('GET', `/v1/webhooks/${fixture.hook.id}`),
      (reply) => reply.json.status === 'DISABLED',
    )
    expect(json.reason).toBe(`${failuresMax} messages in a row could not be delivered`)
    const items = await ended(fixture, failuresMax)
    expect(new Set(items.map(({ attempts, responseStatus }) => `${attempts} ${responseStatus}`))).toContain('2 302')
    // A redirect is never followed.
    expect(new Set(receiver.received.map(({ path }) => path))).toEqual(new Set(['/']))
    const { items: events } = await fixture.stint.events.list({ record: fixture.hook.id })
    expect(events.map(({ eventType }) => eventType)).toContain('webhook.disabled')
  })

  it('is sent a message once more by hand, as the same message', async () => {
    const receiver = await startReceiver((response, nth) => void response.writeHead(nth <= 12 ? 500 : 200).end())
    const fixture = await setup(receiver.url)
    await fixture.stint.submit(double, { n: 1 })
    const [failed] = await ended(fixture)
    expect(failed).toMatchObject({ status: 'FAILED', attempts: 12 })
    const path = `/v1/webhooks/${fixture.hook.id}/deliveries/${failed.id}/redeliver`
    const again = await fixture.ask('POST', path)
    expect([again.status, again.json.redeliveryOf, again.json.messageId]).toEqual([202, failed.id, failed.messageId])
    const [last] = await ended(fixture, 2)
    expect(last).toMatchObject({ id: again.json.id, status: 'DELIVERED' })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  it('has two secrets while it learns the new one', async () => {
    const receiver = await startReceiver()
    const fixture = await setup(receiver.url)
    const { json } = await fixture.ask('POST', `/v1/webhooks/${fixture.hook.id}/rotate`)
    expect(json.secret).not.toBe(fixture.hook.secret)
    await fixture.ask('POST', `/v1/webhooks/${fixture.hook.id}/ping`)
    const [message] = await receiver.count(1)
    if (message === undefined) throw new Error('There is no message.')
    for (const secret of [json.secret, fixture.hook.secret]) expect(verified(secret, message)).toBeTruthy()
    expect(() => verified(`whsec_${'A'.repeat(44)}`, message)).toThrow(/signature/)
    expect(message.json).toMatchObject({ type: 'webhook.ping', data: { webhook: fixture.hook.id } })
  })

  it('is changed, disabled, enabled and deleted', async () => {
    const receiver = await startReceiver((response) => void response.writeHead(500).end())
    const fixture = await setup(receiver.url)
    const { ask, hook, stint } = fixture
    const patch = async (body: object) => (await ask('PATCH', `/v1/webhooks/${hook.id}`, { body })).json
    expect(await patch({ label: 'Ours', types: ['job.*'] })).toMatchObject({ label: 'Ours', types: ['job.*'] })
    expect(await patch({ status: 'DISABLED' })).toMatchObject({ status: 'DISABLED', reason: 'disabled by hand' })
    await (await stint.submit(double, { n: 1 })).result()
    expect(await patch({ status: 'ACTIVE', types: ['job.run.completed'] })).toMatchObject({ status: 'ACTIVE' })
    await (await stint.submit(double, { n: 2 })).result()
    await receiver.count(1)
    expect(receiver.received[0]?.json.data.job.result).toBe(4)
    expect((await ask('DELETE', `/v1/webhooks/${hook.id}`)).status).toBe(204)
    const { items } = await until(
      () => stint.jobs.list({ branch: '/~stint/webhooks' }),
      (page) => page.items.every(({ state }) => state === 'final'),
    )
    expect(items).toHaveLength(1)
    for (const path of ['', '/deliveries', `/deliveries/${hook.id}`]) {
      expect((await ask('GET', `/v1/webhooks/${hook.id}${path}`)).status).toBe(404)
    }
    expect((await ask('GET', '/v1/webhooks')).json.items).toEqual([])
  })

  it('of somebody else is answered like one that is not there', async () => {
    const { ask, key } = await setupHttp({ requireKeys: true, ...quick })
    const { url } = await startReceiver()
    const [own, other, all] = [await key('admin', '/a'), await key('admin', '/b'), await key('admin')]
    // A server that has just looked for keys does not know those that were made since for a moment.
    await until(
      () => ask('GET', '/v1/webhooks', { key: all }),
      ({ status }) => status === 200,
    )
    const { json } = await ask('POST', '/v1/webhooks', { body: { url }, key: own })
    expect(json.path).toBe('/a')
    await ask('POST', '/v1/webhooks', { body: { url, path: '/b/c' }, key: all })
    await ask('POST', '/v1/webhooks', { body: { url }, key: all })
    const listed = async (by: string) => {
      return (await ask('GET', '/v1/webhooks', { key: by })).json.items.map(({ path }: { path: string }) => path)
    }
    expect([await listed(own), await listed(other), await listed(all)]).toEqual([
      ...[['/a'], ['/b/c'], [null, '/b/c', '/a']],
    ])
    const unknown = '00000000-0000-4000-8000-000000000000'
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['PATCH', '', { label: 'x' }],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/ping'],
      ['GET', '/deliveries'],
      ['GET', `/deliveries/${unknown}`],
      ['POST', `/deliveries/${unknown}/redeliver`],
    ]
    for (const [method, path, body] of calls) {
      const replies = []
      for (const id of [json.id, unknown]) {
        const reply = await ask(method, `/v1/webhooks/${id}${path}`, { key: other, body })
        replies.push([reply.status, reply.text.replaceAll(id, 'ID')])
      }
      expect(replies[0], `${method} ${path}`).toEqual(replies[1])
      expect(replies[0]?.[0]).toBe(404)
    }
    for (const path of [null, '/b', '/ab']) {
      const reply = await ask('POST', '/v1/webhooks', { body: { url, path }, key: own })
      expect([reply.status, reply.json.field], String(path)).toEqual([403, 'path'])
    }
    const reader = await key('read', '/a')
    expect((await ask('GET', `/v1/webhooks/${json.id}`, { key: reader })).status).toBe(200)
    expect((await ask('POST', `/v1/webhooks/${json.id}/ping`, { key: reader })).status).toBe(403)
  })
})
