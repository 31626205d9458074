import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { newId } from '../support/fixture.ts'
import { type Reply, refusal, setupHttp } from '../support/http.ts'
import { startWorker } from '../support/stint.ts'

const namesIn = ({ json }: Reply) => json.items.map(({ name }: { name: string }) => name)

describe('groups over HTTP', () => {
  it('are made and sealed at once with their jobs, and awaited', async () => {
    const { stint, ask } = await setupHttp()
    await startWorker(stint, { jobs: [defineJob('x', { run: () => null }), defineJob('then', { run: () => null })] })
    const body = {
      ...{ path: '/a/g', mode: 'parallel', width: 2, label: 'Both', finish: { type: 'then', name: '/a/then' } },
      jobs: [
        { type: 'x', name: '/a/one' },
        { type: 'x', name: '/a/two' },
      ],
    }
    const made = await ask('POST', '/v1/groups', { body })
    expect([made.status, made.json.sealed, made.json.finish.name]).toEqual([201, true, '/a/then'])
    const over = await ask('GET', `/v1/groups/${made.json.id}?waitMs=60000`)
    expect(over.json).toMatchObject({ status: 'COMPLETED', counts: { total: 2, completed: 2 } })
    expect((await ask('GET', '/v1/groups?path=/a')).json.items).toEqual([])
    expect((await ask('GET', '/v1/groups?path=/a&all=true')).json.items).toEqual([over.json])
  })

  it('take members until they are sealed', async () => {
    const { ask } = await setupHttp()
    const { json } = await ask('POST', '/v1/groups', {
      body: { path: '/a/g', mode: 'sequential', onFailure: 'continue' },
    })
    expect(json).toMatchObject({ status: 'CREATED', sealed: false, mode: 'sequential', onFailure: 'continue' })
    const at = `/v1/groups/${json.id}`
    const jobs = [
      { type: 'x', name: '/a/one' },
      { type: 'x', name: '/a/two' },
      { type: 'x', name: '/a//' },
    ]
    const added = await ask('POST', `${at}/jobs`, { body: { jobs } })
    const [one, two, bad] = added.json.results
    expect([one.job.groupId, two.job.name, bad.problem.code]).toEqual([json.id, '/a/two', 'invalid_name'])
    expect(namesIn(await ask('GET', `${at}/members`))).toEqual(['/a/one', '/a/two'])
    await ask('POST', `${at}/reorder`, { body: { jobs: [two.job.id, one.job.id] } })
    const first = await ask('GET', `${at}/members?limit=1`)
    expect(namesIn(first)).toEqual(['/a/two'])
    expect(namesIn(await ask('GET', `${at}/members?limit=1&cursor=${first.json.cursor}`))).toEqual(['/a/one'])
    expect((await ask('POST', `${at}/seal`)).json).toMatchObject({ sealed: true, status: 'QUEUED' })
    const late = await ask('POST', `${at}/jobs`, { body: { jobs: [{ type: 'x' }] } })
    expect(late.json.results[0].problem.code).toBe('group_sealed')
    expect((await ask('GET', `${at}?waitMs=0`)).json.status).toBe('QUEUED')
    const cancelled = await ask('POST', `${at}/cancel`, { body: { reason: 'not today' } })
    expect(cancelled.json).toMatchObject({ status: 'CANCELLED', counts: { cancelled: 2 } })
    const reordered = await ask('POST', `${at}/reorder`, { body: { jobs: [two.job.id] } })
    expect(refusal(reordered)).toEqual([409, 'illegal_transition', undefined])
  })

  it('are cancelled with the rest of their jobs when one is refused', async () => {
    const { ask } = await setupHttp()
    const jobs = [{ type: 'x', name: '/a/one' }, { type: 'no type' }]
    const made = await ask('POST', '/v1/groups', { body: { path: '/a/g', mode: 'parallel', jobs } })
    expect(refusal(made)).toEqual([400, 'invalid_argument', 'type'])
    expect((await ask('GET', '/v1/jobs?name=/a/one')).json.items[0].status).toBe('CANCELLED')
  })

  it('refuse what breaks a rule, and do not know those of others', async () => {
    const { ask, key } = await setupHttp()
    const { json } = await ask('POST', '/v1/groups', { body: { path: '/a/g', mode: 'parallel' } })
    const wrong = [
      [{}, 'mode'],
      [{ mode: 'both' }, 'mode'],
      [{ mode: 'parallel', width: 0 }, 'width'],
      [{ mode: 'sequential', width: 2 }, 'width'],
      [{ mode: 'parallel', onFailure: 'stop' }, 'onFailure'],
      [{ mode: 'parallel', jobs: [] }, 'jobs'],
      [{ mode: 'parallel', jobs: [{ type: 'x', group: json.id }] }, 'jobs[0].group'],
      [{ mode: 'parallel', finish: {} }, 'finish'],
    ] as const
    for (const [body, field] of wrong) {
      const told = refusal(await ask('POST', '/v1/groups', { body }))
      expect([body, ...told]).toEqual([body, 400, 'invalid_argument', field])
    }
    const again = await ask('POST', '/v1/groups', { body: { path: '/a/g', mode: 'parallel' } })
    expect(refusal(again)).toEqual([409, 'path_taken', undefined])
    expect(refusal(await ask('GET', '/v1/groups/g'))).toEqual([400, 'invalid_argument', 'group'])
    expect(refusal(await ask('GET', `/v1/groups/${json.id}?waitMs=-1`))).toEqual([400, 'invalid_argument', 'waitMs'])
    const other = await key('admin', '/other')
    for (const id of [newId(), json.id]) {
      const calls = [
        ['GET', ''],
        ['GET', '?waitMs=0'],
        ['GET', '/members'],
        ['POST', '/jobs', { jobs: [{ type: 'x' }] }],
        ['POST', '/seal'],
        ['POST', '/cancel', {}],
        ['POST', '/reorder', { jobs: [] }],
      ] as const
      for (const [method, rest, body] of calls) {
        const { status, json: problem } = await ask(method, `/v1/groups/${id}${rest}`, { key: other, body })
        expect([method, rest, status, problem.detail]).toEqual([method, rest, 404, `There is no group "${id}".`])
      }
    }
  })
})
