import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { type HttpFixture, setupHttp } from '../support/http.ts'
import { startWorker, until } from '../support/stint.ts'

async function ended({ ask }: HttpFixture, id: string, key?: string) {
  const asked = key === undefined ? {} : { key }
  const reply = await until(
    () => ask('GET', `/v1/operations/${id}`, asked),
    ({ json }) => !['QUEUED', 'RUNNING'].includes(json.status),
  )
  return reply.json
}

const names = (count: number, path = '/a') =>
  Array.from({ length: count }, (_, i) => ({ type: 'x', name: `${path}/j${i}` }))

describe('operations on many jobs', () => {
  it('cancel a branch, and nothing else', async () => {
    const http = await setupHttp()
    await http.ask('POST', '/v1/jobs/batch', { body: { jobs: [...names(250), { type: 'x', name: '/b/j' }] } })
    const body = { action: 'cancel', filter: { branch: '/a' }, reason: 'not needed' }
    const begun = await http.ask('POST', '/v1/operations', { body })
    expect([begun.status, begun.json.action, begun.json.requestedBy]).toEqual([202, 'cancel', 'local'])
    expect(await ended(http, begun.json.id)).toMatchObject({ status: 'DONE', counts: { done: 250, refused: 0 } })
    const left = await http.ask('GET', '/v1/jobs?status=QUEUED')
    expect(left.json.items.map(({ name }: { name: string }) => name)).toEqual(['/b/j'])
  })

  it('run again what failed, once', async () => {
    const http = await setupHttp()
    const { stint, ask } = http
    let isBroken = true
    const run = () => {
      if (isBroken) throw new Error('not yet')
      return 'fine'
    }
    await startWorker(stint, { jobs: [defineJob('x', { run })] })
    const made = await stint.submitMany(
      names(3).map(({ type, name }) => ({ job: type, options: { name, maxAttempts: 1 } })),
    )
    for (const each of made) {
      if (each.status === 'fulfilled') await each.value.result().catch(() => {})
    }
    isBroken = false
    const body = { action: 'retry', filter: { branch: '/a', outcome: 'FAILED' } }
    const first = await ask('POST', '/v1/operations', { body })
    expect(await ended(http, first.json.id)).toMatchObject({ status: 'DONE', counts: { done: 3 } })
    for (const { name } of names(3)) expect(await stint.jobs.result(name)).toBe('fine')
    const second = await ask('POST', '/v1/operations', { body })
    expect(await ended(http, second.json.id)).toMatchObject({ counts: { done: 0, refused: 3 } })
  })

  it('reach as far as the key of who asked, and are seen by nobody else', async () => {
    const http = await setupHttp()
    const { ask, key } = http
    await ask('POST', '/v1/jobs/batch', { body: { jobs: [...names(2, '/a'), ...names(2, '/b')] } })
    const [own, other] = [await key('submit', '/a'), await key('admin', '/b')]
    const begun = await ask('POST', '/v1/operations', { body: { action: 'cancel', filter: {} }, key: own })
    expect(await ended(http, begun.json.id, own)).toMatchObject({ counts: { done: 2, refused: 0 } })
    expect((await ask('GET', '/v1/jobs?branch=/b&status=QUEUED')).json.items).toHaveLength(2)
    const [foreign, unknown] = await Promise.all(
      [begun.json.id, '01a1e5c7-59f0-76cf-a582-029c88117841'].map((id) =>
        ask('GET', `/v1/operations/${id}`, { key: other }),
      ),
    )
    expect([foreign?.status, foreign?.json.code]).toEqual([404, 'not_found'])
    expect(unknown?.status).toBe(404)
    expect((await ask('GET', '/v1/operations', { key: other })).json.items).toEqual([])
    expect((await ask('GET', '/v1/operations', { key: own })).json.items).toHaveLength(1)
  })
})
