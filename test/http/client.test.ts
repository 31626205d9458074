import { describe, expect, it } from 'vitest'
import { type Client, connect } from '../../src/client/index.ts'
import { defineJob, type JobContext } from '../../src/index.ts'
import { type HttpFixture, setupHttp } from '../support/http.ts'
import { startWorker } from '../support/stint.ts'

const double = defineJob('double', { run: (ctx: JobContext<{ n: number }>) => ctx.params.n * 2 })
const broken = defineJob('broken', {
  retry: { maxAttempts: 1 },
  run: () => {
    throw new Error('no luck')
  },
})

async function setup(): Promise<HttpFixture & { client: Client }> {
  const http = await setupHttp()
  return { ...http, client: connect({ url: http.server.url }) }
}

describe('the client', () => {
  it('submits, waits and reads as the library does', async () => {
    const { client, stint } = await setup()
    await startWorker(stint, { jobs: [double, broken] })
    const job = await client.submit(double, { n: 21 }, { name: '/a/x', labels: { a: 'b' } })
    expect(job.createdAt).toBeInstanceOf(Date)
    const result: number = await job.result()
    expect(result).toBe(42)
    const [here, there] = [await stint.jobs.get('/a/x'), await client.jobs.get('/a/x')]
    expect(there).toEqual(here)
    expect(await client.runs.list({ job })).toEqual(await stint.runs.list({ job }))
    expect((await client.jobs.list({ label: { name: 'a', value: 'b' } })).items).toEqual([there])
  })

  it('rejects with the errors of the library', async () => {
    const { client, stint } = await setup()
    await startWorker(stint, { jobs: [broken] })
    const job = await client.submit(broken, undefined, { name: '/a/broken' })
    await expect(job.result()).rejects.toMatchObject({ name: 'StintError', code: 'job_failed' })
    await expect(client.submit('x', null, { name: '/a//b' })).rejects.toMatchObject({ code: 'invalid_name' })
    await expect(client.jobs.retry('/a/none')).rejects.toMatchObject({ code: 'not_found' })
    expect(await client.jobs.get('/a/none')).toBeNull()
    const [one, two] = await client.submitMany([
      { job: 'x', options: { name: '/a/1y' } },
      { job: 'x', options: { name: '' } },
    ])
    expect([one?.status, two?.status]).toEqual(['fulfilled', 'rejected'])
  })

  it('hands values to come from one job to the next', async () => {
    const { client, stint } = await setup()
    await startWorker(stint, { jobs: [double] })
    const first = await client.submit(double, { n: 5 })
    const second = await client.submit(double, { n: first.output }, { after: [first] })
    expect(await second.result()).toBe(20)
  })

  it('sends again what got no answer, and it is done once', async () => {
    const { server, stint } = await setup()
    let calls = 0
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      calls += 1
      if (calls === 1) throw new TypeError('the answer was lost')
      return response
    }
    const client = connect({ url: server.url, fetch: losing })
    await client.submit('x', null, { name: '/a/once' })
    expect(calls).toBe(2)
    expect((await stint.jobs.list()).items).toHaveLength(1)
  })

  it('says when nobody is there', async () => {
    const client = connect({ url: 'http://127.0.0.1:9', retries: 0 })
    await expect(client.jobs.list()).rejects.toMatchObject({ code: 'unreachable', retryable: true })
  })
})
