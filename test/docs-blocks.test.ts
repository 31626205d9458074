import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createStint, type Stint } from 'stint'
import { commandJob, type Server, startServer } from 'stint/server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import * as exampleJobs from '../examples/jobs.ts'
import { answersOf, type Block, blocksOf, blocksOfPage, isCurl, pages, promisedBy, root } from './support/blocks.ts'

const blocks = pages.flatMap(blocksOfPage)
const label = ({ page, line }: Block) => `${page}:${line}`

describe('TypeScript in the documentation', () => {
  const written = blocks.filter(({ language }) => language === 'ts').map((block) => ({ block, name: label(block) }))
  // Inside the repository, so that `stint` means this package.
  const directory = mkdtempSync(join(root, 'test/.readme-'))
  const fileOf = (block: Block) => join(directory, `${label(block).replaceAll(/[/.:]/g, '-')}.ts`)
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const results = new Map<string, { readonly printed: readonly string[]; readonly error: string | null }>()

  beforeAll(async () => {
    for (const { block } of written) writeFileSync(fileOf(block), block.code)
    const runner = join(import.meta.dirname, 'support/processes/run-blocks.ts')
    const args = ['--conditions=stint-source', runner, ...written.map(({ block }) => fileOf(block))]
    // What one block leaves open keeps the process alive, and nobody would wait for that for ever.
    const patience = { cwd: root, timeout: 120_000 }
    const { stdout } = await promisify(execFile)(process.execPath, args, patience).catch((error) => error)
    for (const line of String(stdout).trim().split('\n')) {
      const { file, ...result } = JSON.parse(line)
      results.set(file, result)
    }
  }, 180_000)

  test('there is some on most pages', () => {
    expect(new Set(written.map(({ block }) => block.page)).size).toBeGreaterThan(20)
  })

  test.each(written)('$name runs and prints what its comments say', ({ block }) => {
    const result = results.get(fileOf(block))
    expect(result, 'it did not end, or one before it did not').toBeDefined()
    expect(result?.error).toBeNull()
    expect(result?.printed).toEqual(promisedBy(block))
  })

  test('all of it is right in the eyes of a strict compiler', async () => {
    const config = { extends: join(root, 'tsconfig.json'), include: ['*.ts'], exclude: [] }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const checked = promisify(execFile)(process.execPath, [tsc, '-p', directory], { cwd: directory })
    expect(await checked.catch(({ stdout }) => stdout)).toMatchObject({ stdout: '' })
  })
})

const hasCurl = spawnSync('curl', ['--version']).status === 0

describe.skipIf(!hasCurl)('curl in the documentation (skipped where there is none)', () => {
  const written = blocks.filter(isCurl).map((block) => ({ block, name: label(block) }))
  let stint: Stint
  let server: Server
  let home: string
  let key: string

  beforeAll(async () => {
    stint = await createStint({ url: 'sqlite::memory:' })
    server = await startServer({ stint, port: 0, commands: true })
    const jobs = [...Object.values(exampleJobs), commandJob({ apiUrl: server.url })]
    await stint.worker({ jobs, upkeepMs: 50 }).start()
    key = await adminKey(server.url)
    home = mkdtempSync(join(tmpdir(), 'stint-curl-'))
    // Blocks are run as they stand: curl itself finds this server where they say 4600, and does not take a refusal for an answer.
    const routes = ['localhost', '127.0.0.1'].map((host) => `connect-to = "${host}:4600:127.0.0.1:${server.port}"`)
    writeFileSync(join(home, '.curlrc'), ['fail-with-body', 'noproxy = "*"', ...routes].join('\n'))
  })

  afterAll(async () => {
    await server.close()
    await stint.close()
    rmSync(home, { recursive: true, force: true })
  })

  test.each(written)('$name is answered as it says', async ({ block }) => {
    const answered = await runShell(block, { ...process.env, CURL_HOME: home, STINT_API_KEY: key })
    let rest = answered
    for (const words of answersOf(block)) {
      expect(rest).toContain(words)
      rest = rest.slice(rest.indexOf(words) + words.length)
    }
  })
})

test('blocks are found with what they promise', () => {
  const text = 'a\n```ts\nconsole.log(1) // one\n```\n\n```sh\ncurl -s localhost:4600\n# → "id"\n```\n```js\n```\n'
  const found = blocksOf('x.md', text)
  expect(found.map(({ line, language }) => [line, language])).toEqual([
    [2, 'ts'],
    [6, 'sh'],
    [10, 'js'],
  ])
  expect(found.map(promisedBy)).toEqual([['one'], [], []])
  expect(found.map(isCurl)).toEqual([false, true, false])
  expect(found.map(answersOf)).toEqual([[], ['"id"'], []])
})

async function adminKey(url: string): Promise<string> {
  const body = JSON.stringify({ label: 'docs', role: 'admin' })
  const made = await fetch(`${url}/v1/keys`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await made.json()) as { key: string }).key
}

/** What the commands print. One that goes on for ever, as `curl -N` does, is enough when it has printed what it promises. */
function runShell(block: Block, env: NodeJS.ProcessEnv): Promise<string> {
  const shell = spawn('sh', ['-euc', block.code], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void (shell.exitCode === null && shell.signalCode === null && process.kill(-(shell.pid ?? 0))))
  return new Promise((resolve, reject) => {
    let [printed, complaints] = ['', '']
    shell.stderr.on('data', (chunk) => {
      complaints += chunk
    })
    shell.stdout.on('data', (chunk) => {
      printed += chunk
      const isStream = / -N /.test(block.code)
      if (isStream && answersOf(block).every((words) => printed.includes(words))) resolve(printed)
    })
    shell.once('error', reject)
    shell.once('exit', (code) => {
      if (code === 0) resolve(printed)
      else reject(new Error(`The shell ended with ${code}:\n${printed}${complaints}`))
    })
  })
}
