import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { counters, histograms } from '../../src/engine/metrics.ts'
import { serverMetrics } from '../../src/http/metrics/metrics.ts'
import { newId } from '../support/fixture.ts'
import { setupHttp } from '../support/http.ts'
import { onBothStores, until } from '../support/stint.ts'

describe('/metrics', () => {
  it('tells what was counted and how deep the queue is, as OpenMetrics', async () => {
    const { ask } = await setupHttp()
    await ask('POST', '/v1/jobs', { body: { type: 'render', name: '/a/x' } })
    const { status, text, headers } = await ask('GET', '/metrics')
    expect([status, headers.get('content-type')]).toEqual([
      ...[200, 'application/openmetrics-text; version=1.0.0; charset=utf-8'],
    ])
    expect(text).toContain('stint_jobs_submitted_total{type="render"} 1\n')
    expect(text).toContain('stint_queue_jobs{type="render",namespace="a",state="ready"} 1\n')
    expect(text).toContain('stint_http_requests_total{call="submitJob",status="201"} 1\n')
    expect(text).toMatch(/\nstint_queue_oldest_seconds\{type="render",namespace="a"\} [0-9.]+\n/)
    expect(text.endsWith('# EOF\n')).toBe(true)
  })

  it('counts what workers elsewhere do, and how long it took', async () => {
    const { ask } = await setupHttp()
    await ask('POST', '/v1/jobs', { body: { type: 'render', name: '/a/x' } })
    const { json } = await ask('POST', '/v1/work/claim', { body: { types: ['render'] } })
    const [{ job, token }] = json.jobs
    const end = { body: { jobId: job.id, token, result: 1 } }
    // The second is the same end once more, and counts for nothing.
    for (const _ of [1, 2]) expect((await ask('POST', '/v1/work/complete', end)).status).toBe(204)
    const { text } = await ask('GET', '/metrics')
    expect(text).toContain('stint_jobs_claimed_total{type="render"} 1\n')
    expect(text).toContain('stint_attempts_ended_total{type="render",how="completed"} 1\n')
    expect(text).toContain('stint_run_seconds_bucket{type="render",le="+Inf"} 1\n')
    expect(text).toContain('stint_run_seconds_count{type="render"} 1\n')
    expect(text).toMatch(/\nstint_http_seconds_bucket\{call="claimJobs",le="7200"\} 1\n/)
    expect(text).toMatch(/\nstint_lease_left_seconds [0-9.]+\n/)
  })

  it('tells how far webhooks are behind the log', async () => {
    const { ask, store } = await setupHttp({ webhooks: false })
    const lag = async () => Number(/webhooks"\} (\S+)/.exec((await ask('GET', '/metrics')).text)?.[1])
    const hook = { id: newId(), url: 'https://receiver.example', secret: `whsec_${'A'.repeat(32)}` }
    await store.control('webhook.create', { ...hook, scope: null })
    const { cursor } = await store.events({ after: null, limit: 1_000 })
    const [made] = await store.control('webhook.active', {})
    await store.control('webhook.advance', { webhooks: [hook.id], from: made?.cursor ?? '', to: cursor ?? '' })
    expect(await lag()).toBe(0)
    await ask('POST', '/v1/jobs', { body: { type: 'render' } })
    await until(lag, (seconds) => seconds > 0)
  })

  it('says of each what it is, once', async () => {
    const { ask } = await setupHttp()
    const { text } = await ask('GET', '/metrics')
    const named = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
    expect(named).toEqual([counters, histograms, serverMetrics].flatMap((group) => Object.keys(group)))
  })

  it('is for those who see everything', async () => {
    const { ask, key } = await setupHttp({ requireKeys: true })
    expect((await ask('GET', '/metrics')).status).toBe(401)
    expect((await ask('GET', '/metrics', { key: await key('admin', '/a') })).status).toBe(403)
    expect((await ask('GET', '/metrics', { key: await key('read') })).status).toBe(200)
  })
})

onBothStores('/metrics', (setup, kind) => {
  it('names whose transaction holds back the log', async () => {
    const { place, stint, ask } = await setupHttp({}, setup)
    const text = async () => (await ask('GET', '/metrics')).text
    if (kind === 'sqlite') return expect(await text()).toContain('stint_event_held_back_seconds{by=""} 0\n')
    const client = new pg.Client({ connectionString: place.url, application_name: 'forgotten' })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin; select pg_current_xact_id()')
    await stint.submit('x')
    await until(text, (now) => /stint_event_held_back_seconds\{by="pid \d+, forgotten"\} [0-9.]+\n/.test(now))
  })
})
