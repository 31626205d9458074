import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { artifactOf, type OnScreen, start, startInTerminal, stint, writeFiles } from '../support/cli.ts'
import { temporaryDirectory, until } from '../support/stint.ts'

const project = {
  'package.json': '{ "type": "module" }',
  'jobs/mail.ts': `
    import { defineJob, type JobContext } from 'stint'
    import { text } from './text.js'
    export const mail = defineJob('mail', { run: () => text })
    export const patient = defineJob('patient', {
      run: async (ctx: JobContext<unknown>) => {
        ctx.log('began')
        const fs = await import('node:fs')
        while (!fs.existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20))
        return text
      },
    })
    export default [defineJob('one-of-many', { run: () => null })]
    export const nothing = { type: 'no definition' }`,
  'jobs/text.ts': `export const text: string = 'old'`,
  'jobs/mail.test.ts': `throw new Error('a test is no handler')`,
}

let cwd: string

beforeEach(() => {
  cwd = temporaryDirectory()
  writeFiles(cwd, project)
})

const ready = /API +(http:\S+)\/v1/

async function run(...args: string[]) {
  return await stint(args, { cwd })
}

it('finds handlers, runs them, and loads them again when they change, while what runs keeps its code', async () => {
  const dev = start(['dev', '--port', '0'], { cwd })
  await dev.says(/Ctrl-C stops/)
  expect(dev.text()).toContain('mail, one-of-many, patient (jobs/mail.ts)')
  expect(dev.text()).toContain('Data       .stint/stint.db')
  expect((await run('submit', 'mail', '--wait')).out).toBe('old\n')

  await run('submit', 'patient', '--name', '/runs/long')
  await until(
    () => run('logs', '/runs/long'),
    ({ out }) => out === 'began\n',
  )
  writeFiles(cwd, { 'jobs/text.ts': `export const text: string = 'new'` })
  await dev.says(
    /jobs\/text.ts changed; handlers: mail, one-of-many, patient \(1 running job finishes with the old code\)/,
  )
  expect((await run('submit', 'mail', '--wait')).out).toBe('new\n')
  writeFiles(cwd, { go: '' })
  expect((await run('watch', '/runs/long')).code).toBe(0)
  expect(JSON.parse((await run('show', '/runs/long', '--json')).out).result).toBe('old')

  writeFiles(cwd, { 'jobs/text.ts': 'export const text = ;' })
  await dev.says(/✖ jobs\/mail.ts: /)
  expect((await run('submit', 'mail', '--wait')).out).toBe('new\n')
  const added = `import { defineJob } from 'stint'\nexport default defineJob('added', { run: () => 'added' })`
  writeFiles(cwd, { 'jobs/text.ts': `export const text = 'right'`, 'jobs/deep/added.ts': added })
  await dev.says(/handlers: added, mail, one-of-many, patient/)
  expect((await run('submit', 'added', '--wait')).out).toBe('added\n')
  await until(
    () => run('submit', 'mail', '--wait'),
    ({ out }) => out === 'right\n',
  )
})

it('shows the files that jobs leave, wherever in the project it was started', async () => {
  writeFiles(cwd, {
    'src/deep/readme.txt': '',
    'jobs/report.ts': `
      import { writeFileSync } from 'node:fs'
      import { defineJob } from 'stint'
      export const report = defineJob('report', {
        run: async (ctx) => writeFileSync(await ctx.artifact('report.txt'), 'all is well'),
      })`,
  })
  const dev = start(['dev', '--port', '0'], { cwd: join(cwd, 'src/deep') })
  const [, url = ''] = await dev.says(ready)
  await run('submit', 'report', '-n', '/reports/one', '--wait')
  expect(await artifactOf(url, '/reports/one')).toBe('all is well')
})

it('takes the next port when one is taken, and finds the one that runs in the same project', async () => {
  const first = start(['dev'], { cwd })
  const [, url = ''] = await first.says(ready)
  await first.says(/Ctrl-C stops/)
  const again = await run('dev')
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Stint runs here already: ${url} (process ${first.child.pid})`),
  })

  const elsewhere = temporaryDirectory()
  writeFiles(elsewhere, { 'package.json': '{}' })
  const second = start(['dev'], { cwd: elsewhere })
  const [, other] = await second.says(ready)
  expect(other).not.toBe(url)
  expect(second.text()).toContain('taken, so it is')
  expect(second.text()).toContain('none yet: export definitions from jobs/*.ts')
})

it('ends though a handler does not stop when it is told to, and gives its job back', async () => {
  const dev = start(['dev', '--port', '0', '--grace', '100ms'], { cwd })
  await dev.says(/Ctrl-C stops/)
  await occupy('/runs/stubborn')
  dev.child.kill('SIGINT')
  expect(await dev.ended).toBe(0)
  const { out } = await run('show', '/runs/stubborn', '--db', 'sqlite:.stint/stint.db', '--json')
  expect(JSON.parse(out)).toMatchObject({ status: 'QUEUED', attempt: 1, charged: 0 })
})

/** Submits a job that runs until it is told to go, and waits until it does. */
async function occupy(name: string): Promise<void> {
  await run('submit', 'patient', '--name', name)
  await until(
    () => run('logs', name),
    ({ out }) => out === 'began\n',
  )
}

it('drains on Ctrl-C where everybody can see it, and says at the next start what it goes on with', async () => {
  const dev = startInTerminal(['dev', '--port', '0'], { cwd })
  await dev.says(/Ctrl-C stops/)
  await occupy('/runs/long')
  dev.type('\u0003')
  await dev.says(/may finish within/)
  expect(onScreen(dev)).toContain('  1 job is running and may finish within 30 s …')
  writeFiles(cwd, { go: '' })
  expect(await dev.ended).toBe(0)
  expect(onScreen(dev).at(-1)).toBe('  Stopped. Everything is there at the next start.')
  expect(onScreen(dev).join()).not.toContain('may finish within')
  expect(existsSync(join(cwd, '.stint/dev.json'))).toBe(false)
})

it('stops at once on a second Ctrl-C, and resumes what it left behind', async () => {
  const dev = startInTerminal(['dev', '--port', '0'], { cwd })
  await dev.says(/Ctrl-C stops/)
  await occupy('/runs/long')
  await run('submit', 'mail', '--name', '/runs/later', '--at', '1h')
  dev.type('\u0003')
  await dev.says(/may finish within/)
  dev.type('\u0003')
  expect(await dev.ended).toBe(130)
  const next = start(['dev', '--port', '0'], { cwd })
  await next.says(/resumed 2 jobs/)
  // It was given back, so it neither waits for a lease nor was it charged.
  writeFiles(cwd, { go: '' })
  await next.says(/✔ \/runs\/long/)
  expect(JSON.parse((await run('show', '/runs/long', '--json')).out)).toMatchObject({ attempt: 2, charged: 0 })
})

function onScreen(dev: OnScreen): readonly string[] {
  return dev.screen().filter((line) => line !== '')
}
