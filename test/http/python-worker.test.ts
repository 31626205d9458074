import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { setupHttp } from '../support/http.ts'
import { startWorker, until } from '../support/stint.ts'

const program = join(import.meta.dirname, '../../examples/worker.py')
const hasPython = spawnSync('python3', ['--version']).status === 0

function startPython(url: string, key: string): ChildProcess {
  const env = { ...process.env, STINT_API_URL: url, STINT_API_KEY: key, STINT_LEASE_MS: '500' }
  const started = spawn('python3', [program], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  onTestFinished(async () => {
    if (started.exitCode !== null || started.signalCode !== null) return
    started.kill('SIGKILL')
    await once(started, 'exit')
  })
  return started
}

it.skipIf(!hasPython)(
  'the worker in Python (skipped where there is no python3) runs jobs, fails one, and what it held when it was killed is run by another',
  async () => {
    const { ask, key, server, stint, store } = await setupHttp({ requireKeys: true })
    const admin = await key('admin')
    await startWorker(stint, { jobs: [], leaseMs: 250 })
    const submit = async (type: string, params: object, options: object = {}) => {
      const body = { type, params, retry: { baseMs: 0 }, ...options }
      return (await ask('POST', '/v1/jobs', { body, key: admin })).json.id as string
    }
    const ended = async (id: string) => (await ask('GET', `/v1/jobs/${id}?waitMs=60000`, { key: admin })).json
    const ids = await Promise.all([1, 2, 3].map((n) => submit('double', { n })))
    const stumbling = await submit('stumble', {})
    const first = startPython(server.url, await key('work'))
    expect((await Promise.all(ids.map(ended))).map(({ result }) => result)).toEqual([2, 4, 6])
    expect(await ended(stumbling)).toMatchObject({ outcome: 'COMPLETED', attempt: 2, charged: 1 })
    const runs = await stint.runs.list({ job: stumbling })
    expect(runs.items[0]?.error).toBe('The first time it does not work.')

    const large = await submit('double', { n: 'x'.repeat(600_000) }, { maxAttempts: 1 })
    expect(await ended(large)).toMatchObject({ outcome: 'FAILED', error: expect.stringContaining('413') })

    const resting = await submit('rest', { seconds: 1 })
    await until(
      async () => (await ask('GET', `/v1/jobs/${resting}`, { key: admin })).json.status,
      (status) => status === 'RUNNING',
    )
    first.kill('SIGKILL')
    await once(first, 'exit')
    startPython(server.url, await key('work'))
    expect(await ended(resting)).toMatchObject({ outcome: 'COMPLETED', attempt: 2 })
    expect(await verify(store)).toEqual([])
  },
)
