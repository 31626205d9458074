import { expect, it } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { defineJob, definePipeline, defineShardedJob, TerminalError } from '../../src/index.ts'
import { refusal, setupHttp } from '../support/http.ts'
import { gate, startWorker } from '../support/stint.ts'

it('workers and the endpoints of what they run are shown over HTTP', async () => {
  const { stint, ask, key } = await setupHttp()
  const [registered, over] = [gate(), gate()]
  const serve = defineJob('serve', {
    run: async ({ endpoints }) => {
      await endpoints.register('trainer', 'http://10.0.0.7:9000')
      registered.resolve()
      await over.promise
    },
  })
  await startWorker(stint, { jobs: [serve], name: 'first', paths: ['/a'] })
  await ask('POST', '/v1/jobs', { body: { type: 'serve', name: '/a/training' } })
  await registered.promise
  const first = expect.objectContaining({ name: 'first', types: ['serve'], paths: ['/a'], lostAt: null })
  expect((await ask('GET', '/v1/workers')).json.items).toContainEqual(first)
  expect((await ask('GET', '/v1/workers', { key: await key('read', '/a') })).json.items).toEqual([first])
  expect((await ask('GET', '/v1/workers', { key: await key('read', '/b') })).json.items).toEqual([])
  const own = { key: await key('read', '/a') }
  const { json } = await ask('GET', '/v1/endpoints/trainer', own)
  expect(json).toMatchObject({ name: 'trainer', url: 'http://10.0.0.7:9000', job: '/a/training' })
  expect((await ask('GET', '/v1/endpoints', own)).json).toEqual({ items: [json], cursor: null })
  expect((await ask('GET', '/v1/endpoints?namespace=a&limit=1')).json.items).toEqual([json])
  expect((await ask('GET', '/v1/endpoints')).json.items).toEqual([])
  for (const asked of [{}, { key: await key('read', '/b') }]) {
    expect((await ask('GET', '/v1/endpoints/trainer', asked)).json.detail).toBe('There is no endpoint "trainer".')
  }
  expect((await ask('GET', '/v1/endpoints/other?namespace=a')).status).toBe(404)
  expect(refusal(await ask('GET', '/v1/endpoints?limit=0'))).toEqual([400, 'invalid_argument', 'limit'])
  expect(refusal(await ask('GET', '/v1/endpoints/x?namespace=a/b'))).toEqual([400, 'invalid_argument', 'namespace'])
  over.resolve()
})

it('sharded jobs are shown over HTTP, and what failed of them runs once more', async () => {
  const { stint, ask } = await setupHttp()
  let isBroken = true
  const slices: number[] = []
  const sum = defineShardedJob('sum', {
    plan: () => [1, 2],
    slice: ({ state }) => {
      slices.push(state)
      if (isBroken && state === 2) throw new TerminalError('broken')
      return { state: state * 10, done: true, progress: [1, 1] as const }
    },
    reduce: (tasks) => tasks.reduce((total, { state }) => total + state, 0),
  })
  await startWorker(stint, { jobs: [sum, defineJob('plain', { run: () => null })], concurrency: 1 })
  const { json } = await ask('POST', '/v1/jobs', { body: { type: 'sum', name: '/a/sum', maxAttempts: 1 } })
  const at = `/v1/jobs/${json.id}`
  expect((await ask('GET', `${at}?waitMs=60000`)).json.outcome).toBe('FAILED')
  expect((await ask('GET', `${at}/shards`)).json).toMatchObject({ total: 2, done: 1, failed: 1, status: 'ERROR' })
  const first = await ask('GET', `${at}/shards/tasks?limit=1`)
  expect(first.json.items).toEqual([expect.objectContaining({ index: 0, status: 'DONE', state: 10 })])
  const second = await ask('GET', `${at}/shards/tasks?limit=1&cursor=${first.json.cursor}`)
  expect(second.json).toMatchObject({ items: [{ index: 1, status: 'ERROR', error: 'broken' }], cursor: null })
  isBroken = false
  slices.length = 0
  const again = await ask('POST', `${at}/shards/retry`)
  expect([again.status, again.json.retryOf]).toEqual([201, json.id])
  const ended = await ask('GET', `/v1/jobs/${again.json.id}?waitMs=60000`)
  expect([ended.json.result, slices]).toEqual([30, [2]])
  const done = await ask('POST', `/v1/jobs/${again.json.id}/shards/retry`)
  expect(refusal(done)).toEqual([409, 'illegal_transition', undefined])
  const plain = await ask('POST', '/v1/jobs', { body: { type: 'plain' } })
  for (const [method, rest] of [
    ['GET', '/shards'],
    ['POST', '/shards/retry'],
  ] as const) {
    expect((await ask(method, `/v1/jobs/${plain.json.id}${rest}`)).status).toBe(404)
  }
  expect(refusal(await ask('GET', `${at}/shards/tasks?cursor=x`))).toEqual([400, 'invalid_argument', 'cursor'])
})

it('tasks that are named run once more over HTTP, and what cannot is refused', async () => {
  const { stint, ask, server } = await setupHttp()
  const slices: number[] = []
  const sum = defineShardedJob('sum', {
    plan: () => [1, 2, 3],
    slice: ({ state }) => {
      slices.push(state)
      return { state: state * 10, done: true }
    },
    reduce: (tasks) => tasks.reduce((total, { state }) => total + state, 0),
  })
  await startWorker(stint, { jobs: [sum], concurrency: 1 })
  const { json } = await ask('POST', '/v1/jobs', { body: { type: 'sum', name: '/a/some' } })
  const at = `/v1/jobs/${json.id}`
  expect((await ask('GET', `${at}?waitMs=60000`)).json.result).toBe(60)
  slices.length = 0
  const again = await ask('POST', `${at}/shards/retry`, { body: { indexes: [0, 2] } })
  expect([again.status, again.json.retryOf]).toEqual([201, json.id])
  expect((await ask('GET', `/v1/jobs/${again.json.id}?waitMs=60000`)).json.result).toBe(60)
  expect(slices.sort()).toEqual([1, 3])
  slices.length = 0
  expect(await (await connect({ url: server.url }).shards.retry(again.json.id, { indexes: [1] })).result()).toBe(60)
  expect(slices).toEqual([2])
  const tooMany = Array.from({ length: 100_001 }, (_, i) => i)
  for (const [indexes, field] of [
    [[0, 3], 'indexes[1]'],
    [[-1], 'indexes[0]'],
    [[0.5], 'indexes[0]'],
    [['1'], 'indexes[0]'],
    [[1, 1], 'indexes'],
    ['1', 'indexes'],
    [tooMany, 'indexes'],
  ] as const) {
    const refused = await ask('POST', `${at}/shards/retry`, { body: { indexes } })
    expect([...refusal(refused), indexes.length]).toEqual([400, 'invalid_argument', field, indexes.length])
  }
  expect(refusal(await ask('POST', `${at}/shards/retry`, { body: { shards: [1] } }))).toEqual([
    ...[400, 'invalid_argument', 'shards'],
  ])
})

it('what goes from job to job is shown over HTTP', async () => {
  const { stint, ask, key } = await setupHttp()
  const rows = defineJob('rows', { run: () => 1 })
  const add = defineJob('add', { run: ({ params }: { params: { of: number } }) => params.of + 1 })
  const daily = definePipeline('daily', (p) => {
    const one = p.run(rows, undefined, { name: 'rows' })
    p.promise('approval')
    return p.run(add, { of: one.output }, { name: 'add' }).output
  })
  await startWorker(stint, { jobs: [rows, add, daily] })
  const { json } = await ask('POST', '/v1/jobs', { body: { type: 'daily', name: '/a/daily' } })
  expect((await ask('GET', `/v1/jobs/${json.id}?waitMs=60000`)).json.result).toBe(2)
  const graph = await ask('GET', `/v1/jobs/${json.id}/graph`)
  const names = graph.json.jobs.map(({ name }: { name: string }) => name)
  expect(names.sort()).toEqual(['/a/daily', '/a/daily/add', '/a/daily/rows'])
  expect(graph.json.slots).toEqual([expect.objectContaining({ path: '/a/daily/approval' })])
  expect(graph.json.edges.map(({ at }: { at: string }) => at).sort()).toEqual(['/of', 'result'])
  expect((await ask('GET', `/v1/jobs/${json.id}/graph`, { key: await key('read', '/b') })).status).toBe(404)
})
