import { describe, expect, it } from 'vitest'
import { operationType } from '../../src/http/operations/operation-job.ts'
import { defineJob } from '../../src/index.ts'
import { systemPath } from '../../src/store/system-path.ts'
import { type HttpFixture, refusal, setupHttp } from '../support/http.ts'
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

  it('cancel everything but what is over, what Stint does for itself, and themselves', async () => {
    const http = await setupHttp()
    const { ask, stint } = http
    const later = { name: systemPath('operations', 'later'), scheduledFor: new Date('2100-01-01') }
    const ours = await stint.submit(operationType, {}, later)
    await ask('POST', '/v1/jobs/batch', { body: { jobs: names(450) } })
    await stint.jobs.cancel('/a/j449')
    const begun = await ask('POST', '/v1/operations', { body: { action: 'cancel', filter: {} } })
    expect(await ended(http, begun.json.id)).toMatchObject({ status: 'DONE', counts: { done: 449, refused: 0 } })
    expect((await ask('GET', '/v1/jobs?branch=/a&status=QUEUED')).json.items).toEqual([])
    expect((await stint.jobs.get(ours))?.status).toBe('QUEUED')
    const named = { action: 'cancel', filter: { branch: systemPath('operations') } }
    await ended(http, (await ask('POST', '/v1/operations', { body: named })).json.id)
    expect((await stint.jobs.get(ours))?.status).toBe('CANCELLED')
  })

  it('run again what was cancelled, or what a search finds, where that is asked for', async () => {
    const http = await setupHttp()
    const { ask, stint } = http
    const run = () => Promise.reject(new Error('no paper'))
    await startWorker(stint, { jobs: [defineJob('print', { retry: { maxAttempts: 1 }, run })] })
    await stint.submit('x', {}, { name: '/a/cancelled' })
    await stint.jobs.cancel('/a/cancelled')
    for (const n of [1, 2]) {
      const job = await stint.submit('print', { n }, { name: `/a/print${n}`, maxAttempts: 1 })
      await job.result().catch(() => {})
    }
    const doneFor = async (filter: object) => {
      const begun = await ask('POST', '/v1/operations', { body: { action: 'retry', filter } })
      return (await ended(http, begun.json.id)).counts.done
    }
    expect(await doneFor({ status: 'CANCELLED' })).toBe(1)
    expect(await doneFor({ error: 'no ink' })).toBe(0)
    expect(await doneFor({ error: 'no paper', since: '2100-01-01T00:00:00Z' })).toBe(0)
    expect(await doneFor({ error: 'No Paper', params: { n: '2' } })).toBe(1)
  })

  it('do nothing that whoever asks for them may not do one by one', async () => {
    const http = await setupHttp()
    const { ask, stint } = http
    for (const [type, name] of [
      ['command', '/a/command'],
      [operationType, systemPath('operations', 'old')],
    ] as const) {
      await stint.submit(type, {}, { name, scheduledFor: new Date('2100-01-01') })
      await stint.jobs.cancel(name)
      const body = { action: 'retry', filter: { branch: name, status: 'CANCELLED' } }
      const begun = await ask('POST', '/v1/operations', { body })
      expect(await ended(http, begun.json.id)).toMatchObject({ counts: { done: 0, refused: 1 } })
    }
  })

  it('are not begun for what is no branch and no instant', async () => {
    const { ask } = await setupHttp()
    const begun = async (filter: object) =>
      refusal(await ask('POST', '/v1/operations', { body: { action: 'cancel', filter } }))
    expect(await begun({ branch: '/a//b' })).toEqual([400, 'invalid_name', 'filter.branch'])
    expect(await begun({ since: 'yesterday' })).toEqual([400, 'invalid_argument', 'filter.since'])
    expect(await begun({ state: 'final' })).toEqual([400, 'invalid_argument', 'filter.state'])
    expect((await ask('GET', '/v1/operations')).json.items).toEqual([])
  })

  it('are begun once, also when whoever began them died before it could say so', async () => {
    const { ask, raw } = await setupHttp()
    const sent = { body: { action: 'cancel', filter: {} }, headers: { 'idempotency-key': 'once' } }
    const first = await ask('POST', '/v1/operations', sent)
    await raw('DELETE FROM answers')
    const again = await ask('POST', '/v1/operations', sent)
    expect([again.json.id, again.headers.get('idempotency-replayed')]).toEqual([first.json.id, null])
    expect((await ask('GET', '/v1/operations')).json.items).toHaveLength(1)
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
