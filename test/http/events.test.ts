import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { setupHttp } from '../support/http.ts'
import { startWorker, until } from '../support/stint.ts'

const outcomes = (json: { results: readonly { outcome?: string; problem?: { code: string } }[] }) => {
  return json.results.map(({ outcome, problem }) => outcome ?? problem?.code)
}

describe('events over HTTP', () => {
  it('are recorded once, alone or together, each with its own fate', async () => {
    const { ask } = await setupHttp()
    const post = (body: unknown) => ask('POST', '/v1/events', { body })
    const paid = { type: 'paid', id: '1', source: 'bank', occurredAt: '2026-01-01T00:00:00Z', attributes: { sum: 3 } }
    expect(outcomes((await post(paid)).json)).toEqual(['recorded'])
    const { json } = await post([
      paid,
      { ...paid, id: '2' },
      { id: '3' },
      { type: 'job.created' },
      { type: 'x', job: '/no/such' },
    ])
    expect(outcomes(json)).toEqual(['duplicate', 'recorded', 'invalid_argument', 'reserved_event_type', 'not_found'])
    const alone = await post({ type: 'job.created' })
    expect([alone.status, alone.json.code]).toEqual([400, 'reserved_event_type'])
    const list = await ask('GET', '/v1/events?type=pa*')
    expect(list.json.items).toMatchObject([
      { eventType: 'paid', eventId: '1', occurredAt: '2026-01-01T00:00:00.000Z', attributes: { sum: 3 } },
      { eventId: '2' },
    ])
    const rest = await ask('GET', `/v1/events?cursor=${list.json.cursor}`)
    expect(rest.json).toEqual({ items: [], cursor: list.json.cursor })
  })

  it('are read from their end, and a key sees only its own there, too', async () => {
    const { ask, key: keyOf } = await setupHttp()
    await ask('POST', '/v1/events', {
      body: ['a', 'b', 'a'].map((namespace, i) => ({ type: 'tick', id: String(i), namespace })),
    })
    const idsOf = ({ json }: Awaited<ReturnType<typeof ask>>) =>
      json.items.map(({ eventId }: { eventId: string }) => eventId)
    const first = await ask('GET', '/v1/events?newestFirst=true&type=tick&limit=2')
    expect(idsOf(first)).toEqual(['2', '1'])
    const second = await ask('GET', `/v1/events?newestFirst=true&type=tick&limit=2&cursor=${first.json.cursor}`)
    expect(idsOf(second)).toEqual(['0'])
    const key = await keyOf('read', '/a')
    expect(idsOf(await ask('GET', '/v1/events?newestFirst=true&limit=1', { key }))).toEqual(['2'])
    expect((await ask('GET', '/v1/events?newestFirst=true&record=/a/x')).status).toBe(400)
  })

  it('complete the job that awaits them, and stand in its history', async () => {
    const { ask, stint } = await setupHttp()
    await startWorker(stint, { jobs: [defineJob('order', { run: (ctx) => ctx.later() })] })
    const awaits = { events: [{ eventType: 'paid', match: { bank: 'a' } }] }
    const { id } = (await ask('POST', '/v1/jobs', { body: { type: 'order', name: '/a/order', awaits } })).json
    await until(
      async () => (await stint.jobs.get(id))?.status,
      (status) => status === 'RUNNING',
    )
    const event = {
      specversion: '1.0',
      type: 'paid',
      id: '1',
      source: '/bank',
      jobid: id,
      data: { bank: 'a' },
      subject: 's',
    }
    const headers = { 'content-type': 'application/cloudevents+json' }
    expect(outcomes((await ask('POST', '/v1/events', { body: event, headers })).json)).toEqual(['recorded'])
    expect((await ask('GET', `/v1/jobs/${id}?waitMs=60000`)).json.outcome).toBe('COMPLETED')
    const history = (await ask('GET', `/v1/jobs/${id}/events`)).json.items
    expect(history.map(({ eventType }: { eventType: string }) => eventType)).toContain('paid')
    expect(history.find(({ source }: { source: string }) => source === '/bank')).toMatchObject({
      attributes: { bank: 'a', subject: 's' },
    })
    expect(JSON.stringify(history)).not.toContain('token')
    expect((await ask('GET', '/v1/jobs/default/none/events')).status).toBe(404)
  })

  it('are taken as CloudEvents by batch and in binary mode', async () => {
    const { ask } = await setupHttp()
    const event = { specversion: '1.0', type: 'tick', source: '/clock', time: '2026-01-01T00:00:00Z' }
    const batch = await ask('POST', '/v1/events', {
      body: [
        { ...event, id: '1', data: 7 },
        { ...event, id: '2', specversion: '0.3' },
      ],
      headers: { 'content-type': 'application/cloudevents-batch+json' },
    })
    expect(outcomes(batch.json)).toEqual(['recorded', 'invalid_argument'])
    const binary = await ask('POST', '/v1/events', {
      body: { n: 1 },
      headers: { 'ce-specversion': '1.0', 'ce-type': 'tick', 'ce-source': '/clock', 'ce-id': '3', 'ce-room': 'a%20b' },
    })
    expect(outcomes(binary.json)).toEqual(['recorded'])
    const broken = await ask('POST', '/v1/events', { body: {}, headers: { 'ce-specversion': '1.0', 'ce-id': '%ff' } })
    expect([broken.status, broken.json.field]).toEqual([400, 'ce-id'])
    const { items } = (await ask('GET', '/v1/events?type=tick')).json
    expect(items.map(({ attributes }: { attributes: object }) => attributes)).toEqual([
      { data: 7 },
      { room: 'a b', n: 1 },
    ])
  })
})
