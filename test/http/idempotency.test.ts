import { describe, expect, it } from 'vitest'
import type { Access } from '../../src/http/access/access.ts'
import { onceOf } from '../../src/http/idempotency.ts'
import type { Store } from '../../src/store/store.ts'
import { setupHttp } from '../support/http.ts'
import { onBothStores } from '../support/stint.ts'

const once = (key: string) => ({ headers: { 'idempotency-key': key } })

onBothStores('Idempotency-Key', (setup) => {
  it('does the same request once, and gives the same answer again', async () => {
    const { ask, stint } = await setupHttp({}, setup)
    const sent = { body: { type: 'x', params: { n: 1 } }, ...once('one') }
    const first = await ask('POST', '/v1/jobs', sent)
    const again = await ask('POST', '/v1/jobs', sent)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await stint.jobs.list()).items).toHaveLength(1)
  })

  it('does it once when a hundred send it at the same time', async () => {
    const { ask, stint } = await setupHttp({}, setup)
    const sent = { body: { type: 'x' }, ...once('race') }
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask('POST', '/v1/jobs', sent)))
    const codes = new Set(replies.map(({ status, json }) => (status === 201 ? json.id : json.code)))
    expect((await stint.jobs.list()).items).toHaveLength(1)
    codes.delete('idempotency_in_progress')
    expect([...codes]).toHaveLength(1)
  })

  it('makes the same jobs when whoever did it died before it could say so', async () => {
    const { ask, store, stint } = await setupHttp({}, setup)
    const sent = { body: { jobs: [{ type: 'x' }, { type: 'x' }] }, ...once('crash') }
    const first = await ask('POST', '/v1/jobs/batch', sent)
    // What a crash after the submit leaves: jobs, and no answer.
    await forgetAnswers(store)
    const again = await ask('POST', '/v1/jobs/batch', sent)
    expect(again.headers.get('idempotency-replayed')).toBeNull()
    expect(ids(again)).toEqual(ids(first))
    expect((await stint.jobs.list()).items).toHaveLength(2)
  })
})

it('gives an answer that is too large to be kept, and the same jobs again', async () => {
  const { ask, stint } = await setupHttp()
  await stint.templates.create({ path: '/a/t', job: 'x', params: { text: 'x'.repeat(1_000_000) } })
  const sent = { body: { jobs: new Array(18).fill({ template: '/a/t' }) }, ...once('large') }
  const first = await ask('POST', '/v1/jobs/batch', sent)
  expect([first.status, ids(first)]).toEqual([200, expect.objectContaining({ length: 18 })])
  expect(ids(await ask('POST', '/v1/jobs/batch', sent))).toEqual(ids(first))
  expect((await stint.jobs.list()).items).toHaveLength(18)
})

it('runs a job again once, also when whoever did it died before it could say so', async () => {
  const { ask, stint, raw } = await setupHttp()
  const { id } = await stint.submit('x', {}, { name: '/a/x' })
  await stint.jobs.cancel(id)
  const path = `/v1/jobs/${id}/retry`
  const first = await ask('POST', path, once('again'))
  await raw('DELETE FROM answers')
  const again = await ask('POST', path, once('again'))
  expect([again.status, again.json.id]).toEqual([201, first.json.id])
  expect((await stint.jobs.list()).items).toHaveLength(2)
})

const ids = ({ json }: { json: { results: { job: { id: string } }[] } }) => json.results.map(({ job }) => job.id)

describe('Idempotency-Key', () => {
  it('is refused for another request', async () => {
    const { ask } = await setupHttp()
    await ask('POST', '/v1/jobs', { body: { type: 'x' }, ...once('k') })
    const { status, json } = await ask('POST', '/v1/jobs', { body: { type: 'y' }, ...once('k') })
    expect([status, json.code]).toEqual([422, 'idempotency_mismatch'])
  })

  it('belongs to whoever sent it and to where it was sent', async () => {
    const { ask, key, stint } = await setupHttp()
    const [one, two] = [await key('submit', '/a'), await key('submit', '/b')]
    const sent = { body: { type: 'x' }, ...once('k') }
    const names = [one, two].map(async (each) => (await ask('POST', '/v1/jobs', { ...sent, key: each })).json.name)
    expect(new Set(await Promise.all(names))).toHaveProperty('size', 2)
    expect((await stint.jobs.list()).items).toHaveLength(2)
  })

  it('repeats what was refused, but not what may go well the next time', async () => {
    const { ask } = await setupHttp()
    const bad = { body: { type: 'x', name: '/a//b' }, ...once('bad') }
    const first = await ask('POST', '/v1/jobs', bad)
    expect([first.status, (await ask('POST', '/v1/jobs', bad)).text]).toEqual([400, first.text])
  })

  it.each(['', ' ', 'a b', 'x'.repeat(256)])('must be visible characters: %o', async (key) => {
    const { ask } = await setupHttp()
    const { status, json } = await ask('POST', '/v1/jobs', { body: { type: 'x' }, ...once(`"${key}"`) })
    expect([status, json.field]).toEqual([400, 'Idempotency-Key'])
  })
})

async function forgetAnswers(store: Store): Promise<void> {
  const request = new Request('http://x/v1/jobs/batch', { method: 'POST', headers: { 'idempotency-key': 'crash' } })
  const made = onceOf(request, { id: 'local' } as Access, undefined)
  await store.control('answer.forget', { id: made?.id ?? '' })
}
