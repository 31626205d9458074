import { describe, expect, it } from 'vitest'
import { connect, type JobsQuery } from '../../src/client/index.ts'
import { defineJob } from '../../src/index.ts'
import { setupHttp } from '../support/http.ts'
import { startWorker } from '../support/stint.ts'

const double = defineJob('double', { run: ({ params }: { params: unknown }) => (params as { n: number }).n * 2 })

describe('jobs over HTTP', () => {
  it('are submitted, run, and read with their result', async () => {
    const { stint, ask } = await setupHttp()
    await startWorker(stint, { jobs: [double] })
    const made = await ask('POST', '/v1/jobs', { body: { type: 'double', name: '/a/x', params: { n: 21 } } })
    expect([made.status, made.json.name, made.json.status, made.json.result]).toEqual([201, '/a/x', 'QUEUED', null])
    const ended = await ask('GET', `/v1/jobs/${made.json.id}?waitMs=60000`)
    expect([ended.status, ended.json.outcome, ended.json.result]).toEqual([200, 'COMPLETED', 42])
    const runs = await ask('GET', `/v1/jobs/${made.json.id}/runs`)
    expect(runs.json.items).toEqual([expect.objectContaining({ attempt: 1, status: 'COMPLETED' })])
  })

  it('say who submitted them', async () => {
    const { stint, ask, key } = await setupHttp()
    const made = await ask('POST', '/v1/jobs', { body: { type: 'x' }, key: await key('submit', '/a') })
    expect(made.json.name).toMatch(/^\/a\/x-/)
    const [event] = (await stint.events.list({ job: made.json.id })).items
    expect(event?.actor).toBe('key submit of /a')
  })

  it('are submitted by batch, each with its own fate', async () => {
    const { ask } = await setupHttp()
    const body = {
      jobs: [{ type: 'x', name: '/a/1x' }, { type: 'x', name: '/a//b' }, { type: 'x', name: '/a/1x' }, { typ: 'x' }],
    }
    const { status, json } = await ask('POST', '/v1/jobs/batch', { body })
    expect(status).toBe(200)
    expect(json.results.map((r: { problem?: { code: string } }) => r.problem?.code ?? 'made')).toEqual([
      ...['made', 'invalid_name', 'name_taken', 'invalid_argument'],
    ])
  })

  it('are read by their ids, as far as they are there and may be seen', async () => {
    const { stint, ask, key } = await setupHttp()
    const [one, two, far] = [
      await stint.submit('x', null, { name: '/a/one' }),
      await stint.submit('x', null, { name: '/a/two' }),
      await stint.submit('x', null, { name: '/b/far' }),
    ]
    const missing = '01890000-0000-7000-8000-000000000000'
    const ids = [two.id, missing, far.id, one.id].join(',')
    const { json } = await ask('GET', `/v1/jobs?ids=${ids}`, { key: await key('read', '/a') })
    expect(json.items.map(({ name }: { name: string }) => name)).toEqual(['/a/two', '/a/one'])
    expect((await ask('GET', `/v1/jobs?ids=nonsense`)).status).toBe(400)
  })

  it('are found by what stands in them, page by page', async () => {
    const { stint, client } = await setupSearch()
    const names = async (query: JobsQuery) => (await client.jobs.list(query)).items.map(({ name }) => name)
    expect(await names({ text: 'ORDER-1' })).toEqual(['/shop/order-1'])
    expect(await names({ params: { 'customer.id': '7' } })).toEqual(['/shop/order-7'])
    expect(await names({ params: { 'customer.id': '7', kind: 'none' } })).toEqual([])
    expect(await names({ since: new Date(Date.now() + 60_000) })).toEqual([])
    await stint.jobs.cancel('/shop/order-3', { reason: 'out of stock' })
    expect(await names({ error: 'OUT OF' })).toEqual(['/shop/order-3'])
    const first = await client.jobs.list({ text: 'order', limit: 6 })
    const second = await client.jobs.list({ text: 'order', limit: 6, cursor: first.cursor })
    expect([first.items.length, second.items.length]).toEqual([6, 2])
    expect(new Set([...first.items, ...second.items].map(({ name }) => name)).size).toBe(8)
  })

  it('take values to come in their params', async () => {
    const { stint, ask } = await setupHttp()
    const rows = await ask('POST', '/v1/jobs', { body: { type: 'rows', name: '/a/rows' } })
    const sum = await ask('POST', '/v1/jobs', {
      body: { type: 'sum', name: '/a/sum', params: { of: [null, 2] }, needs: { '/of/0': rows.json.id } },
    })
    expect([sum.status, sum.json.reason]).toEqual([201, 'waits for 1 slot'])
    await startWorker(stint, {
      jobs: [
        defineJob('rows', { run: () => 40 }),
        defineJob('sum', { run: (ctx) => (ctx.params as { of: number[] }).of.reduce((a, b) => a + b) }),
      ],
    })
    expect((await ask('GET', `/v1/jobs/${sum.json.id}?waitMs=60000`)).json.result).toBe(42)
  })

  it.each([
    ['/nowhere/0', 'must lead to a place in the params'],
    ['rows', 'must be a JSON pointer, such as /rows'],
  ])('refuse a value to come for the place %s', async (pointer, rule) => {
    const { ask } = await setupHttp()
    const rows = await ask('POST', '/v1/jobs', { body: { type: 'rows' } })
    const { status, json } = await ask('POST', '/v1/jobs', {
      body: { type: 'sum', params: { a: 1 }, needs: { [pointer]: rows.json.id } },
    })
    expect([status, json.field, json.rule]).toEqual([400, 'needs', rule])
  })

  it('are listed by filters, page by page', async () => {
    const { ask } = await setupHttp()
    const jobs = [1, 2, 3].map((n) => ({ type: n === 2 ? 'odd' : 'x', name: `/a/j${n}`, labels: { n: String(n) } }))
    await ask('POST', '/v1/jobs/batch', { body: { jobs: [...jobs, { type: 'x', name: '/b/j' }] } })
    const names = async (query: string) => {
      const { json } = await ask('GET', `/v1/jobs?${query}`)
      return json.items.map(({ name }: { name: string }) => name)
    }
    expect(await names('branch=/a')).toEqual(['/a/j3', '/a/j2', '/a/j1'])
    expect(await names('branch=/a&type=x&status=QUEUED')).toEqual(['/a/j3', '/a/j1'])
    expect(await names('label=n%3D2')).toEqual(['/a/j2'])
    expect(await names('name=/a/j1')).toEqual(['/a/j1'])
    await ask('POST', '/v1/jobs', { body: { type: 'x', name: 'short' } })
    expect(await names('name=short')).toEqual(['/default/short'])
    const first = await ask('GET', '/v1/jobs?branch=/a&limit=2')
    expect(await names(`branch=/a&limit=2&cursor=${first.json.cursor}`)).toEqual(['/a/j1'])
  })

  it('are edited, moved, cancelled and run again', async () => {
    const { ask } = await setupHttp()
    const [first, second] = await Promise.all(
      ['one', 'two'].map((name) => ask('POST', '/v1/jobs', { body: { type: 'x', name: `/a/${name}` } })),
    )
    const edited = await ask('PATCH', `/v1/jobs/${first?.json.id}`, { body: { params: { n: 1 }, priority: 3 } })
    expect([edited.json.params, edited.json.priority]).toEqual([{ n: 1 }, 3])
    await ask('POST', `/v1/jobs/${second?.json.id}/move`, { body: { to: { before: first?.json.id } } })
    const queue = await ask('GET', '/v1/queue')
    expect(queue.json.items.map(({ name }: { name: string }) => name)).toEqual(['/a/two', '/a/one'])
    const cancelled = await ask('POST', `/v1/jobs/${second?.json.id}/cancel`, { body: { reason: 'not today' } })
    expect(cancelled.json.status).toBe('CANCELLED')
    const again = await ask('POST', `/v1/jobs/${second?.json.id}/retry`)
    expect([again.status, again.json.retryOf]).toEqual([201, second?.json.id])
  })
})

/** Jobs among which some are looked for. */
async function setupSearch() {
  const http = await setupHttp()
  const orders = [...Array(8).keys()].map((i) => ({
    job: 'order',
    params: { customer: { id: i } },
    options: { name: `/shop/order-${i}` },
  }))
  await http.stint.submitMany(orders)
  return { ...http, client: connect({ url: http.server.url }) }
}
