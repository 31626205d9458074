import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { ask } from '../support/http.ts'
import { temporaryDirectory, until } from '../support/stint.ts'

const demo = join(import.meta.dirname, '../../examples/demo.ts')

/** The demo as a process of its own, once it has said where it is. */
async function start(cwd: string): Promise<{ url: string; stop: () => Promise<number | null> }> {
  const child = spawn(process.execPath, ['--conditions=stint-source', demo], {
    cwd,
    env: { ...process.env, STINT_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = await new Promise<string>((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('Ctrl-C')) resolve(text)
    })
  })
  const stop = async () => {
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')
    return code
  }
  return { url: /API +(http:\S+)\/v1/.exec(said)?.[1] ?? '', stop }
}

it('npm start serves jobs of every kind, stops on Ctrl-C, and goes on where it was', async () => {
  const directory = temporaryDirectory()
  const first = await start(directory)
  expect((await ask(first.url, 'GET', '/readyz')).status).toBe(200)
  const body = { type: 'greet', name: '/mine/first', params: { who: 'you' } }
  const made = await ask(first.url, 'POST', '/v1/jobs', { body })
  expect((await ask(first.url, 'GET', `/v1/jobs/${made.json.id}?waitMs=60000`)).json.result).toBe('Hello, you!')
  const program = await ask(first.url, 'GET', '/v1/jobs?name=/demo/programs/node')
  const { json } = await ask(first.url, 'GET', `/v1/jobs/${program.json.items[0].id}?waitMs=60000`)
  expect(json.outcome).toBe('COMPLETED')
  const report = await ask(first.url, 'GET', '/v1/jobs?name=/demo/report')
  const { id } = (await ask(first.url, 'GET', `/v1/jobs/${report.json.items[0].id}?waitMs=60000`)).json
  const file = await ask(first.url, 'GET', `/v1/jobs/${id}/runs/1/artifact?path=report.txt`)
  expect(file.text).toBe('All was well on Monday.\n')
  const found = await until(
    () => ask(first.url, 'GET', '/v1/endpoints/telephone?namespace=demo'),
    ({ status }) => status === 200,
  )
  expect(found.json.job).toBe('/demo/telephone')
  expect(await first.stop()).toBe(0)

  const second = await start(directory)
  expect((await ask(second.url, 'GET', `/v1/jobs/${made.json.id}`)).json.result).toBe('Hello, you!')
  expect(await second.stop()).toBe(0)
})

it.each(['abc', '70000', '-1', ''])('npm start says so when %j is no port', (port) => {
  const { status, stderr } = spawnSync(process.execPath, ['--conditions=stint-source', demo], {
    cwd: temporaryDirectory(),
    env: { ...process.env, STINT_PORT: port },
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, `  ${port} is no port.\n`])
})
