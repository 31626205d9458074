import { describe, expect, it } from 'vitest'
import { operationType } from '../../src/http/operations/operation-job.ts'
import { systemPath } from '../../src/store/system-path.ts'
import { setupHttp } from '../support/http.ts'

const job = { type: 'x', name: '/~stint/webhooks/mine' }

describe('what Stint keeps for itself', () => {
  it.each([
    ['a job', '/v1/jobs', job],
    ['a job of a type of its own', '/v1/jobs', { type: operationType }],
    ['a job for its failure', '/v1/jobs', { type: 'x', onFailure: job }],
    ['a template', '/v1/templates', { type: 'x', path: '/~stint/t' }],
    ['a schedule', '/v1/schedules', { type: 'x', path: '/~stint/s', cron: '* * * * *' }],
    ['a group', '/v1/groups', { path: '/~stint/g', mode: 'parallel' }],
    ['a job that follows a group', '/v1/groups', { path: '/a/g', mode: 'parallel', finish: job }],
    ['a slot', '/v1/slots', { path: '/~stint/slot' }],
  ])('cannot be made over HTTP: %s', async (_, path, body) => {
    const { ask } = await setupHttp()
    const { status, json } = await ask('POST', path, { body })
    expect([status, json.code]).toEqual([403, 'forbidden'])
  })

  it('cannot be changed', async () => {
    const { ask, stint } = await setupHttp()
    const later = { name: systemPath('operations', 'one'), scheduledFor: new Date('2100-01-01') }
    const { id } = await stint.submit(operationType, {}, later)
    const edited = await ask('PATCH', `/v1/jobs/${id}`, { body: { params: {} } })
    expect([edited.status, edited.json.code]).toEqual([403, 'forbidden'])
    expect((await ask('GET', `/v1/jobs/${id}`)).status).toBe(200)
  })
})

describe('jobs of the type command', () => {
  it.each([
    ['submitted', '/v1/jobs', { type: 'command', params: { command: 'id' } }],
    ['made of a template', '/v1/templates', { type: 'command', path: '/a/t' }],
    ['made by a schedule', '/v1/schedules', { type: 'command', path: '/a/s', cron: '* * * * *' }],
    ['run after a failure', '/v1/jobs', { type: 'x', onFailure: 'command' }],
    ['run after a group', '/v1/groups', { mode: 'parallel', finish: 'command' }],
  ])('are %s only where the operator allows it', async (_, path, body) => {
    const { ask } = await setupHttp()
    expect((await ask('POST', path, { body })).json).toMatchObject({ code: 'forbidden', field: 'type' })
    const open = await setupHttp({ commands: true })
    expect((await open.ask('POST', path, { body })).status).toBe(201)
  })

  it('are not what others make of those that the operator made', async () => {
    const { ask, stint } = await setupHttp()
    const echo = { command: 'echo', args: ['hello'] }
    const later = { name: '/a/later', scheduledFor: new Date('2100-01-01') }
    const { id } = await stint.submit('command', echo, later)
    await stint.templates.create({ path: '/a/t', job: 'command', params: echo })
    await stint.schedules.create({ path: '/a/s', template: '/a/t', cron: '0 0 1 1 *' })
    await stint.schedules.create({ path: '/a/s2', job: 'command', params: echo, cron: '0 0 1 1 *' })
    const params = { command: 'id' }
    const cron = '* * * * *'
    const tries: readonly (readonly [string, string, object])[] = [
      ['PATCH', `/v1/jobs/${id}`, { params }],
      ['POST', '/v1/jobs', { template: '/a/t', params }],
      ['POST', '/v1/templates/%2Fa%2Ft/jobs', { params }],
      ['PATCH', '/v1/templates/%2Fa%2Ft', { params }],
      ['PATCH', '/v1/schedules/%2Fa%2Fs', { params }],
      ['PATCH', '/v1/schedules/%2Fa%2Fs2', { params }],
      ['POST', '/v1/schedules', { path: '/a/s3', template: '/a/t', params, cron }],
    ]
    for (const [method, path, body] of tries) {
      const reply = await ask(method, path, { body })
      expect([method, path, reply.status, reply.json.field]).toEqual([method, path, 403, 'type'])
    }
    const batch = await ask('POST', '/v1/jobs/batch', { body: { jobs: [{ template: '/a/t', params }, { type: 'x' }] } })
    expect(batch.json.results).toEqual([
      { problem: expect.objectContaining({ code: 'forbidden' }) },
      { job: expect.objectContaining({ type: 'x' }) },
    ])
    // What the operator made runs as it was made, whoever says when.
    expect((await ask('POST', '/v1/schedules/%2Fa%2Fs/trigger', { body: {} })).status).toBe(200)
  })
})
