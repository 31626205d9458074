import { expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { refusal, setupHttp } from '../support/http.ts'
import { startWorker, until } from '../support/stint.ts'

const later = defineJob('later', { run: (ctx) => ctx.later() })

it('jobs are answered from outside over HTTP', async () => {
  const { stint, ask, key } = await setupHttp()
  const submitted = await ask('POST', '/v1/jobs', { body: { type: 'later', name: '/a/one', key: 'k1' } })
  const early = await ask('POST', '/v1/answers/complete', { body: { job: submitted.json.id } })
  expect(refusal(early)).toEqual([409, 'not_started', undefined])
  await ask('POST', '/v1/jobs', { body: { type: 'later', name: '/a/two', key: 'k2', maxAttempts: 1 } })
  const worker = await startWorker(stint, { jobs: [later] })
  await until(
    () => worker.heldCount,
    (held) => held === 0,
  )
  for (const name of ['/a/one', '/a/two']) {
    await until(
      () => ask('GET', `/v1/jobs?name=${name}`),
      ({ json }) => json.items[0].attempt === 1,
    )
  }
  const scoped = { key: await key('submit', '/a') }
  const done = await ask('POST', '/v1/answers/complete', { body: { type: 'later', key: 'k1', result: 42 }, ...scoped })
  expect(done.json).toMatchObject({ name: '/a/one', outcome: 'COMPLETED', result: 42 })
  const foreign = await ask('POST', '/v1/answers/fail', {
    body: { type: 'later', key: 'k2', namespace: 'a', error: 'no' },
    key: await key('submit', '/b'),
  })
  expect([foreign.status, foreign.json.code]).toEqual([404, 'not_found'])
  const failed = await ask('POST', '/v1/answers/fail', {
    body: { type: 'later', key: 'k2', namespace: 'a', error: 'no' },
  })
  expect(failed.json).toMatchObject({ name: '/a/two', outcome: 'FAILED', error: 'no' })
  const again = await ask('POST', '/v1/answers/complete', { body: { type: 'later', key: 'k1', namespace: 'a' } })
  expect([again.status, again.json.code]).toEqual([404, 'not_found'])

  const wrong = [
    ['complete', {}, 'job'],
    ['complete', { type: 'later' }, 'job'],
    ['complete', { job: submitted.json.id, key: 'k1' }, 'job'],
    ['fail', { job: submitted.json.id }, 'error'],
    ['fail', { job: submitted.json.id, error: 'x', result: 1 }, 'result'],
  ] as const
  for (const [how, body, field] of wrong) {
    const told = refusal(await ask('POST', `/v1/answers/${how}`, { body }))
    expect([how, body, ...told]).toEqual([how, body, 400, 'invalid_argument', field])
  }
  expect((await ask('POST', '/v1/answers/complete', { body: { job: '/a/nothing' } })).status).toBe(404)
})
