import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { artifactOf, start, startCommands, stint, writeFiles } from '../support/cli.ts'
import { newPostgres } from '../support/fixture.ts'
import { temporaryDirectory } from '../support/stint.ts'

const handlers = `
  import { defineJob } from 'stint'
  export const hello = defineJob('hello', { run: () => 'Hello!' })
  export const report = defineJob('report', {
    run: async (ctx) => (await import('node:fs')).writeFileSync(await ctx.artifact('report.txt'), 'all is well'),
  })`

let cwd: string

beforeEach(() => {
  cwd = temporaryDirectory()
  writeFiles(cwd, { 'package.json': '{ "type": "module" }' })
})

const run = (...args: string[]) => stint(args, { cwd })

it('serves and works for production on PostgreSQL, with keys', async () => {
  const { place } = newPostgres()
  const env = { STINT_DATABASE_URL: place.url, STINT_SCHEMA: place.schema }
  writeFiles(cwd, { 'jobs/hello.ts': handlers })
  const asked = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    stint(args, { cwd, env: { ...env, ...more } })

  const without = await asked(['server', '--port', '0', '--require-keys'])
  expect(without).toMatchObject({ code: 4, err: expect.stringMatching(/no key in force[\s\S]*stint keys create/) })
  const db = ['--db', place.url, '--schema', place.schema ?? '']
  const key = (await asked(['keys', 'create', 'me', '--role', 'submit', ...db, '-o', 'name'])).out.trim()
  expect(key).toMatch(/^stint_/)

  const files = ['--artifacts', join(cwd, 'files')]
  const server = start(['server', '--port', '0', '--require-keys', ...files], { cwd, env })
  const [, url = ''] = await server.says(/"message":"listening","url":"([^"]+)"/)
  const worker = start(['worker', '--name', 'w1', '--grace', '1s', ...files], { cwd, env })
  await worker.says(/"message":"working"/)
  expect(worker.text()).not.toContain('password')
  expect(await asked(['list', '--url', url])).toMatchObject({ code: 4, err: expect.stringContaining('STINT_API_KEY') })
  expect(await asked(['submit', 'hello', '--wait', '--url', url], { STINT_API_KEY: key })).toMatchObject({
    code: 0,
    out: 'Hello!\n',
  })
  await asked(['submit', 'report', '-n', '/reports/one', '--wait', '--url', url], { STINT_API_KEY: key })
  expect(await artifactOf(url, '/reports/one', { authorization: `Bearer ${key}` })).toBe('all is well')
  expect(await asked(['pause', '/x', '--url', url], { STINT_API_KEY: key })).toMatchObject({ code: 4 })
  expect((await asked(['list', ...db, '-o', 'name'])).out).toMatch(/^\/reports\/one\n\/default\/hello-\w+\n$/)
  for (const { child } of [server, worker]) child.kill('SIGTERM')
  expect(await Promise.all([server.ended, worker.ended])).toEqual([0, 0])

  writeFiles(cwd, { 'jobs/broken.ts': 'export const x = ' })
  const broken = await asked(['worker'])
  expect(broken).toMatchObject({ code: 1, err: expect.stringMatching(/jobs\/broken.ts: [\s\S]*Nothing was started/) })
})

it('makes, migrates, verifies and moves databases', async () => {
  const commands = startCommands()
  onTestFinished(() => commands.end())
  const run = (...args: string[]) => commands.run(args, { cwd })
  const file = join(cwd, '.stint/stint.db')
  expect(await run('verify')).toMatchObject({ code: 3, err: expect.stringContaining('There is no database') })
  expect((await run('migrate', '--check')).code).toBe(1)
  expect(existsSync(file)).toBe(false)
  expect((await run('migrate')).err).toMatch(/done: 0001 jobs_and_log[\s\S]*is up to date/)
  expect((await run('migrate', '--check')).code).toBe(0)
  const db = ['--db', `sqlite:${file}`]
  await run('submit', 'hello', '--name', '/moved/job', ...db)
  expect(await run('verify')).toMatchObject({ code: 0, err: expect.stringContaining('0 differences') })
  expect((await run('archive', '--directory', 'old')).err).toContain('0 entries were moved to old')

  const { place } = newPostgres()
  const to = ['--to', place.url, '--schema', place.schema ?? '']
  expect((await run('transfer', ...to, '--dry-run')).err).toContain('it would work. Nothing was moved')
  const moved = await run('transfer', ...to)
  expect(moved).toMatchObject({ code: 0, err: expect.stringContaining('Moved 1 jobs, 0 runs, 1 entries of the log') })
  expect(moved.err).not.toContain(new URL(place.url).password || 'nothing')
  expect((await run('show', '/moved/job', '--db', place.url, '--schema', place.schema ?? '')).out).toContain('○ QUEUED')
  expect(await run('transfer', ...to)).toMatchObject({ code: 5, err: expect.stringContaining('choose an empty one') })

  const raw = new DatabaseSync(file)
  raw.exec('update jobs set priority = 9')
  raw.close()
  const wrong = await run('verify')
  expect(wrong).toMatchObject({ code: 1, out: expect.stringMatching(/priority +9 +0/) })
  expect(JSON.parse((await run('bench', '-n', '200', '--json')).out)).toMatchObject({ store: 'sqlite', jobs: 200 })
})

it('takes settings from flags, the environment, .env and the config, in this order, and the doctor says which', async () => {
  const serverOf = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const { out } = await stint(['doctor', ...args], { cwd, env })
    return /Server +(\S+) does not answer \(from (.*)\)/.exec(out)?.slice(1)
  }
  const at = (port: number) => `http://127.0.0.1:${port}`
  writeFiles(cwd, { 'stint.config.ts': `export default { url: '${at(65001)}' as string, jobs: 'handlers/*.ts' }` })
  expect(await serverOf([])).toEqual([at(65001), join(cwd, 'stint.config.ts')])
  writeFiles(cwd, { '.env': `STINT_API_URL=${at(65002)}` })
  expect(await serverOf([])).toEqual([at(65002), 'STINT_API_URL in .env'])
  expect(await serverOf([], { STINT_API_URL: at(65003) })).toEqual([at(65003), 'STINT_API_URL'])
  expect(await serverOf(['--url', at(65004)], { STINT_API_URL: at(65003) })).toEqual([at(65004), '--url'])

  writeFiles(cwd, { 'handlers/a.ts': handlers, 'handlers/b.ts': handlers, 'handlers/c.ts': 'enum Color { Red }' })
  const { code, out } = await run('doctor')
  expect(code).toBe(1)
  expect(out).toContain('✔ Handlers  hello')
  expect(out).toContain('✖ Handlers  handlers/b.ts: the type hello is defined in handlers/a.ts, too')
  expect(out).toMatch(/✖ Handlers {2}handlers\/c.ts: .*enum is not supported/)
})

it('init writes a project that runs, and leaves alone what is there', async () => {
  writeFiles(cwd, { 'new/package.json': '{ "name": "mine", "scripts": { "a": "b" } }', 'new/jobs/hello.ts': handlers })
  expect((await run('init', 'new')).out).toMatch(
    /= jobs\/hello.ts is there already[\s\S]*npm install[\s\S]*npx stint dev/,
  )
  const inNew = { cwd: join(cwd, 'new') }
  expect((await stint(['init'], inNew)).out).not.toContain('+ ')
  // The package.json that is here says nothing of Stint.
  expect((await stint(['init', '.'], { cwd })).out).toContain('~ package.json has got what it lacked')
  const dev = start(['dev', '--port', '0'], { cwd })
  await dev.says(/Handlers +count-up, hello, unreliable/)
  expect((await run('submit', 'hello', '-p', 'who=you', '--wait')).out).toBe('Hello, you!\n')
})

it('init leaves a package that is not one of modules as it is, and its jobs run', async () => {
  // As npm init writes it.
  writeFiles(cwd, { 'package.json': '{ "name": "mine", "main": "index.js", "type": "commonjs" }' })
  expect((await run('init')).out).toMatch(/\+ jobs\/hello.mts[\s\S]*\+ stint.config.mts/)
  expect(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))).toMatchObject({
    type: 'commonjs',
    main: 'index.js',
  })
  const dev = start(['dev', '--port', '0'], { cwd })
  await dev.says(/Handlers +count-up, hello, unreliable/)
  expect((await run('submit', 'hello', '-p', 'who=you', '--wait')).out).toBe('Hello, you!\n')
})
