import { describe, expect, it } from 'vitest'
import { counters } from '../../src/engine/metrics.ts'
import { serverMetrics } from '../../src/http/metrics/metrics.ts'
import { setupHttp } from '../support/http.ts'

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

  it('says of each what it is, once', async () => {
    const { ask } = await setupHttp()
    const { text } = await ask('GET', '/metrics')
    const named = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
    expect(named).toEqual([...new Set([...Object.keys(counters), ...Object.keys(serverMetrics)])])
  })

  it('is for those who see everything', async () => {
    const { ask, key } = await setupHttp({ requireKeys: true })
    expect((await ask('GET', '/metrics')).status).toBe(401)
    expect((await ask('GET', '/metrics', { key: await key('admin', '/a') })).status).toBe(403)
    expect((await ask('GET', '/metrics', { key: await key('read') })).status).toBe(200)
  })
})
