import { describe, expect, it } from 'vitest'
import { newId } from '../support/fixture.ts'
import { refusal, setupHttp } from '../support/http.ts'

const nightly = { path: '/reports/nightly', type: 'report', cron: '0 3 * * *' }

describe('schedules over HTTP', () => {
  it('are made with all that they can say, and shown with it', async () => {
    const { ask } = await setupHttp()
    const when = {
      ...{ timezone: 'Europe/Berlin', gap: 'skip', fold: 'both', excludedDates: ['2030-12-24'] },
      ...{ startAt: '2030-01-01T00:00:00.000Z', endAt: '2031-01-01T00:00:00.000Z' },
    }
    const how = { overlap: 'skip', catchUp: { mode: 'all', windowMs: 1_000, max: 2 }, jitterMs: 5, label: 'At night' }
    const overrides = { params: { rows: 1 }, priority: 2, labels: { a: 'b' }, timeoutMs: null, retry: { baseMs: 1 } }
    const made = await ask('POST', '/v1/schedules', { body: { ...nightly, ...when, ...how, ...overrides } })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ ...nightly, ...when, ...how, overrides, status: 'ENABLED', enabled: true })
    expect(made.json.nextTriggerAt).toBe('2030-01-01T02:00:00.000Z')
    expect((await ask('GET', `/v1/schedules/${made.json.id}`)).json).toEqual(made.json)
  })

  it('are made of templates, or of types', async () => {
    const { ask } = await setupHttp()
    const template = await ask('POST', '/v1/templates', { body: { path: '/reports/t', type: 'report' } })
    const { type: _, ...rest } = nightly
    const made = await ask('POST', '/v1/schedules', { body: { ...rest, template: template.json.id, enabled: false } })
    expect(made.json).toMatchObject({ templateId: template.json.id, type: null, status: 'CREATED', enabled: false })
    const at = `/v1/schedules/${made.json.id}`
    const changed = await ask('PATCH', at, { body: { template: null, type: 'other', catchUp: 'none' } })
    expect(changed.json).toMatchObject({ templateId: null, type: 'other', catchUp: { mode: 'none' } })
    await ask('POST', `/v1/templates/${template.json.id}/archive`)
    const again = await ask('PATCH', at, { body: { type: null, template: template.json.id } })
    expect(refusal(again)).toEqual([409, 'template_archived', undefined])
  })

  it('are enabled, disabled and deleted', async () => {
    const { ask } = await setupHttp()
    const { json } = await ask('POST', '/v1/schedules', { body: { ...nightly, enabled: false } })
    const at = `/v1/schedules/${json.id}`
    expect((await ask('POST', `${at}/enable`)).json.status).toBe('ENABLED')
    expect((await ask('POST', `${at}/disable`)).json).toMatchObject({ status: 'DISABLED', nextTriggerAt: null })
    expect((await ask('GET', '/v1/schedules?path=/reports')).json.items).toHaveLength(1)
    const deleted = await ask('DELETE', at)
    expect([deleted.status, deleted.json.status]).toEqual([200, 'DELETED'])
    expect((await ask('GET', '/v1/schedules')).json.items).toEqual([])
    expect((await ask('GET', '/v1/schedules?all=true')).json.items).toHaveLength(1)
    expect(refusal(await ask('POST', `${at}/enable`))).toEqual([409, 'illegal_transition', undefined])
    expect((await ask('POST', `${at}/trigger`, { body: {} })).status).toBe(404)
  })

  it('fire when they are told to', async () => {
    const { ask, key } = await setupHttp()
    const { json } = await ask('POST', '/v1/schedules', { body: nightly })
    const asked = { key: await key('submit', '/reports'), body: { overlap: 'skip' } }
    const first = await ask('POST', `/v1/schedules/${json.id}/trigger`, asked)
    expect(first.json).toMatchObject({ outcome: 'created', error: null })
    expect((await ask('GET', `/v1/jobs/${first.json.jobId}`)).json).toMatchObject({ scheduleId: json.id })
    expect((await ask('POST', `/v1/schedules/${json.id}/trigger`, asked)).json.outcome).toBe('skipped')
  })

  it('fire for a time that has passed, or tell what they would do', async () => {
    const { ask } = await setupHttp()
    const { json } = await ask('POST', '/v1/schedules', { body: nightly })
    const at = `/v1/schedules/${json.id}/backfill`
    const range = { from: '2025-01-01T00:00:00Z', to: '2025-01-03T00:00:00+01:00' }
    const dry = await ask('POST', at, { body: { ...range, dryRun: true } })
    const instants = ['2025-01-01T03:00:00.000Z', '2025-01-02T03:00:00.000Z']
    expect(dry.json.items).toEqual(instants.map((each) => ({ at: each, action: 'run', jobId: null, error: null })))
    const done = await ask('POST', at, { body: range })
    expect(done.json.items.map(({ jobId }: { jobId: string }) => typeof jobId)).toEqual(['string', 'string'])
    const again = await ask('POST', at, { body: { ...range, reprocess: 'none' } })
    expect(again.json.items.map(({ action }: { action: string }) => action)).toEqual(['keep', 'keep'])
  })

  it('tell when they fire, also before they are there', async () => {
    const { ask } = await setupHttp()
    const hourly = { intervalMs: 3_600_000, anchor: '2099-01-01T00:17:00Z', startAt: '2099-01-01T00:00:00Z' }
    const preview = await ask('POST', '/v1/schedules/preview', { body: { ...hourly, count: 2 } })
    expect(preview.json.fires).toEqual(['2099-01-01T00:17:00.000Z', '2099-01-01T01:17:00.000Z'])
    const made = await ask('POST', '/v1/schedules', { body: { path: '/a/s', type: 'x', ...hourly, enabled: false } })
    expect(made.json.anchor).toBe('2099-01-01T00:17:00.000Z')
    const fires = await ask('GET', `/v1/schedules/${made.json.id}/fires?count=2`)
    expect(fires.json).toEqual(preview.json)
    expect((await ask('GET', `/v1/schedules/${made.json.id}/fires`)).json.fires).toHaveLength(10)
    const range = 'from=2099-02-01T00:00:00Z&until=2099-02-01T02:00:00Z'
    const two = await ask('GET', `/v1/schedules/${made.json.id}/fires?${range}`)
    expect(two.json.fires).toEqual(['2099-02-01T00:17:00.000Z', '2099-02-01T01:17:00.000Z'])
  })

  it('tell what a change of clocks does to them', async () => {
    const { ask } = await setupHttp()
    const body = { cron: '30 2 * * *', timezone: 'Europe/Berlin', from: '2027-03-27T12:00:00Z', count: 2 }
    const { json } = await ask('POST', '/v1/schedules/preview', { body })
    expect(json).toEqual({
      description: 'At 02:30 every day, Europe/Berlin time',
      fires: ['2027-03-28T01:00:00.000Z', '2027-03-29T00:30:00.000Z'],
      changes: [
        {
          ...{ at: '2027-03-28T01:00:00.000Z', beforeMs: 3_600_000, afterMs: 7_200_000 },
          ...{ effect: 'shifted', localTime: '2027-03-28T02:30:00' },
        },
      ],
    })
  })

  it('are not made of what breaks a rule', async () => {
    const { ask } = await setupHttp()
    const wrong = [
      [{ path: undefined }, 'invalid_argument', 'path'],
      [{ cron: 'at night' }, 'invalid_schedule', 'cron'],
      [{ intervalMs: 1_000 }, 'invalid_schedule', 'timing'],
      [{ timezone: 'Mars' }, 'invalid_schedule', 'timezone'],
      [{ startAt: '2030-01-01' }, 'invalid_argument', 'startAt'],
      [{ type: undefined }, 'invalid_argument', 'template'],
      [{ overlap: 'never' }, 'invalid_argument', 'overlap'],
      [{ catchUp: { mode: 'none', max: 1 } }, 'invalid_argument', 'catchUp.max'],
      [{ jitterMs: -1 }, 'invalid_argument', 'jitterMs'],
      [{ job: 'report' }, 'invalid_argument', 'job'],
    ] as const
    for (const [part, ...told] of wrong) {
      const reply = await ask('POST', '/v1/schedules', { body: { ...nightly, ...part } })
      expect([part, ...refusal(reply)]).toEqual([part, 400, ...told])
    }
    const { type: _, ...rest } = nightly
    expect((await ask('POST', '/v1/schedules', { body: { ...rest, template: '/no/template' } })).status).toBe(404)
  })

  it('refuse what is wrong, and do not know those of others', async () => {
    const { ask, key } = await setupHttp()
    const { json } = await ask('POST', '/v1/schedules', { body: nightly })
    expect(refusal(await ask('POST', '/v1/schedules', { body: nightly }))).toEqual([409, 'path_taken', undefined])
    const at = `/v1/schedules/${json.id}`
    expect(refusal(await ask('PATCH', at, { body: { path: '/a/b' } }))).toEqual([400, 'invalid_argument', 'path'])
    expect(refusal(await ask('GET', `${at}/fires?count=0`))).toEqual([400, 'invalid_argument', 'count'])
    const backfill = await ask('POST', `${at}/backfill`, { body: { from: '2025-01-01T00:00:00Z' } })
    expect(refusal(backfill)).toEqual([400, 'invalid_argument', 'to'])
    expect(refusal(await ask('POST', '/v1/schedules/preview', { body: { cron: '* *' } }))).toEqual([
      ...[400, 'invalid_schedule', 'cron'],
    ])
    const other = await key('admin', '/other')
    const range = { from: '2025-01-01T00:00:00Z', to: '2025-01-02T00:00:00Z' }
    for (const id of [newId(), json.id]) {
      const calls = [
        ['GET', ''],
        ['GET', '/fires'],
        ['PATCH', '', {}],
        ['DELETE', ''],
        ['POST', '/enable'],
        ['POST', '/disable'],
        ['POST', '/trigger', {}],
        ['POST', '/backfill', range],
      ] as const
      for (const [method, rest, body] of calls) {
        const { status, json: problem } = await ask(method, `/v1/schedules/${id}${rest}`, { key: other, body })
        expect([method, rest, status, problem.detail]).toEqual([method, rest, 404, `There is no schedule "${id}".`])
      }
    }
  })
})
