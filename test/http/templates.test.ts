import { describe, expect, it } from 'vitest'
import { newId } from '../support/fixture.ts'
import { refusal, setupHttp } from '../support/http.ts'

const daily = { path: '/reports/daily', type: 'report' }

describe('templates over HTTP', () => {
  it('are made with all that they can say, and shown with it', async () => {
    const { ask } = await setupHttp()
    const said = {
      ...{ label: 'Daily', description: 'Every day.', params: { rows: 10 }, schema: { type: 'object' } },
      ...{ retry: { maxAttempts: 2 }, timeoutMs: 1_000, expiresInMs: 2_000, deadlineInMs: 3_000, priority: 4 },
      labels: { team: 'a' },
    }
    const limits = ['db', { key: 'mail', concurrency: 2, rate: '5/s' }]
    const made = await ask('POST', '/v1/templates', { body: { ...daily, ...said, limits } })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      ...{ ...daily, ...said, status: 'CREATED' },
      limits: [{ key: 'db' }, { key: 'mail', concurrency: 2, rate: { count: 5, perMs: 1_000 } }],
    })
    expect((await ask('GET', `/v1/templates/${made.json.id}`)).json).toEqual(made.json)
  })

  it('are listed by path, page by page', async () => {
    const { ask, key } = await setupHttp()
    for (const path of ['/a/one', '/a/two', '/b/one']) await ask('POST', '/v1/templates', { body: { path, type: 'x' } })
    const paths = async (query: string, asked = {}) => {
      const { json } = await ask('GET', `/v1/templates?${query}`, asked)
      return json.items.map(({ path }: { path: string }) => path)
    }
    expect(await paths('path=/a')).toEqual(['/a/two', '/a/one'])
    const first = await ask('GET', '/v1/templates?limit=2')
    expect(await paths(`limit=2&cursor=${first.json.cursor}`)).toEqual(['/a/one'])
    const scoped = { key: await key('read', '/a') }
    expect(await paths('', scoped)).toEqual(['/a/two', '/a/one'])
    expect(await paths('path=one', scoped)).toEqual(['/a/one'])
    expect(await paths('path=/b', scoped)).toEqual([])
  })

  it('live from their first use until they are archived', async () => {
    const { ask } = await setupHttp()
    const { json } = await ask('POST', '/v1/templates', { body: { ...daily, params: { rows: 1, day: 'today' } } })
    const at = `/v1/templates/${json.id}`
    const changed = await ask('PATCH', at, { body: { params: { rows: 2, day: 'today' }, label: 'Daily' } })
    expect([changed.json.label, changed.json.status]).toEqual(['Daily', 'CREATED'])
    const job = await ask('POST', `${at}/jobs`, { body: { name: '/reports/j', params: { day: 'monday' } } })
    expect(job.json).toMatchObject({ type: 'report', templateId: json.id, params: { rows: 2, day: 'monday' } })
    expect((await ask('POST', `${at}/activate`)).json.status).toBe('ACTIVE')
    expect((await ask('PATCH', at, { body: { label: null } })).json.label).toBeNull()
    expect((await ask('POST', `${at}/archive`)).json.status).toBe('ARCHIVED')
    expect(refusal(await ask('POST', `${at}/jobs`, { body: {} }))).toEqual([409, 'template_archived', undefined])
    expect(refusal(await ask('PATCH', at, { body: { label: 'x' } }))).toEqual([409, 'template_archived', undefined])
    expect((await ask('GET', '/v1/templates')).json.items).toEqual([])
    expect((await ask('GET', '/v1/templates?all=true')).json.items).toHaveLength(1)
  })

  it('share no path, and hold their jobs to their schema', async () => {
    const { ask } = await setupHttp()
    const schema = { type: 'object', required: ['day'] }
    const { json } = await ask('POST', '/v1/templates', { body: { ...daily, schema } })
    expect(refusal(await ask('POST', '/v1/templates', { body: daily }))).toEqual([409, 'path_taken', undefined])
    const job = await ask('POST', `/v1/templates/${json.id}/jobs`, { body: { params: { rows: 1 } } })
    expect([job.status, job.json.code]).toEqual([400, 'invalid_params'])
  })

  it('are not made of what breaks a rule', async () => {
    const { ask } = await setupHttp()
    const wrong = [
      [{}, 'path'],
      [{ path: '/a/b' }, 'type'],
      [{ ...daily, type: 'no type' }, 'type'],
      [{ ...daily, nothing: 1 }, 'nothing'],
      [{ ...daily, params: [] }, 'params'],
      [{ ...daily, timeoutMs: 0 }, 'timeoutMs'],
      [{ ...daily, retry: { maxAttempts: 'many' } }, 'retry.maxAttempts'],
      [{ ...daily, limits: [{ key: 'x', rate: 'often' }] }, 'rate'],
      [{ ...daily, schema: { type: 7 } }, 'schema.type'],
    ] as const
    for (const [body, field] of wrong) {
      const told = refusal(await ask('POST', '/v1/templates', { body }))
      expect([body, ...told]).toEqual([body, 400, 'invalid_argument', field])
    }
  })

  it('refuse paths and ids that are none, and do not know those of others', async () => {
    const { ask, key } = await setupHttp()
    const badPath = await ask('POST', '/v1/templates', { body: { ...daily, path: '/a//b' } })
    expect([badPath.status, badPath.json.code]).toEqual([400, 'invalid_name'])
    expect(refusal(await ask('GET', '/v1/templates/reports'))).toEqual([400, 'invalid_argument', 'template'])
    expect(refusal(await ask('GET', '/v1/templates?all=yes'))).toEqual([400, 'invalid_argument', 'all'])
    expect(refusal(await ask('GET', '/v1/templates?cursor=x'))).toEqual([400, 'invalid_argument', 'cursor'])
    const { json } = await ask('POST', '/v1/templates', { body: daily })
    const other = await key('admin', '/other')
    for (const id of [newId(), json.id]) {
      const calls = [
        ['GET', ''],
        ['PATCH', ''],
        ['POST', '/activate'],
        ['POST', '/archive'],
        ['POST', '/jobs'],
      ] as const
      for (const [method, rest] of calls) {
        const asked = { key: other, ...(method === 'GET' ? {} : { body: {} }) }
        const { status, json: problem } = await ask(method, `/v1/templates/${id}${rest}`, asked)
        expect([method, rest, status, problem.detail]).toEqual([method, rest, 404, `There is no template "${id}".`])
      }
    }
  })
})
