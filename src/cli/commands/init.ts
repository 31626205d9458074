import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import type { Colors } from '../terminal.ts'

/** What a new project has. None of it is written over what is there. */
const files: Readonly<Record<string, string>> = {
  'jobs/hello.ts': `import { defineJob, type JobContext } from 'stint'

/** Change the text, save the file, and submit it again: the next job runs the new code. */
export const hello = defineJob('hello', {
  run: async (ctx: JobContext<{ who?: string } | null>) => {
    ctx.log(\`attempt \${ctx.attempt} of \${ctx.name}\`)
    return \`Hello, \${ctx.params?.who ?? 'world'}!\`
  },
})

/** Fails now and then, and is tried again by itself, a little later each time. */
export const unreliable = defineJob('unreliable', {
  retry: { maxAttempts: 5, baseMs: 500 },
  run: async (ctx: JobContext<unknown>) => {
    if (Math.random() < 0.5) throw new Error(\`attempt \${ctx.attempt} had bad luck\`)
    return \`attempt \${ctx.attempt} was lucky\`
  },
})

/** Takes its time, and tells how far it is: watch it with \`npx stint watch\`. */
export const countUp = defineJob('count-up', {
  run: async (ctx: JobContext<{ to?: number } | null>) => {
    const to = ctx.params?.to ?? 10
    for (let n = 1; n <= to; n++) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      // Set when the job is cancelled, or the worker stops.
      ctx.signal.throwIfAborted()
      ctx.log(String(n))
      ctx.progress(n, to)
    }
    return to
  },
})
`,
  'stint.config.ts': `import type { StintConfig } from 'stint'

/** What you do not say has a default that works. */
export default {
  jobs: 'jobs/**/*.ts',
  // db: 'postgres://localhost/app',
  // concurrency: 20,
} satisfies StintConfig
`,
  'tsconfig.json': `{
  "compilerOptions": {
    "target": "es2024",
    "module": "nodenext",
    "strict": true,
    "noEmit": true,
    "erasableSyntaxOnly": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true
  }
}
`,
}

export const init = command({
  name: 'init',
  summary: 'Writes a small project that works: a few jobs and a config.',
  details: 'Files that exist are left as they are.',
  needs: 'nothing',
  args: { directory: { about: 'Where to write it. Default here.', optional: true, complete: 'file' } },
  examples: [
    ['npx stint init', 'Here.'],
    ['npx stint init my-jobs', 'In a new directory.'],
  ],
  run: async (call) => {
    const { directory = '.' } = call.args
    const root = resolve(directory)
    const { out } = call.terminal
    const { dim, bold } = out.colors
    if (existsSync(root) && !isDirectory(root)) throw new Failure('conflict', `${root} is a file.`)
    const written = write(root)
    for (const { path, how } of written) out.write(`  ${signs(out.colors)[how]} ${path}${dim(notes[how])}\n`)
    const enter = directory === '.' ? [] : [`cd ${directory}`]
    const install = existsSync(join(root, 'node_modules/stint')) ? [] : ['npm install']
    const steps = [
      ...enter,
      ...install,
      'npx stint dev',
      `npx stint submit hello -p who=you --wait   ${dim('# in another terminal')}`,
    ]
    out.write(`\n  ${bold('Next')}\n${steps.map((step) => `    ${step}\n`).join('')}\n`)
    await Promise.resolve()
  },
})

type How = 'made' | 'changed' | 'kept'

const notes: Readonly<Record<How, string>> = { made: '', changed: ' has got what it lacked', kept: ' is there already' }

function signs({ green, yellow, dim }: Colors): Readonly<Record<How, string>> {
  return { made: green('+'), changed: yellow('~'), kept: dim('=') }
}

interface Written {
  readonly path: string
  readonly how: How
}

function isDirectory(path: string): boolean {
  return existsSync(join(path, '.'))
}

function write(root: string): readonly Written[] {
  mkdirSync(root, { recursive: true })
  const given = packageIn(root)
  // Whose package is not one of modules keeps it so: files that end in .mts are modules everywhere.
  const isOfModules =
    given === null || given.type === 'module' || (given.type === undefined && given.main === undefined)
  const written = Object.entries(isOfModules ? files : asModules(files)).map(([path, text]) => {
    const file = join(root, path)
    const how = existsSync(file) ? 'kept' : 'made'
    mkdirSync(dirname(file), { recursive: true })
    if (how === 'made') writeFileSync(file, text)
    return { path, how } as const
  })
  return [...written, writePackage(root, given, isOfModules), ignoreData(root)]
}

function asModules(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(files).map(([path, text]) => {
    return [path.replace(/\.ts$/, '.mts'), text.replace('jobs/**/*.ts', 'jobs/**/*.mts')]
  })
  return Object.fromEntries(entries)
}

interface Package {
  readonly type?: string
  readonly main?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

function packageIn(root: string): Package | null {
  const file = join(root, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Package) : null
}

/** A package.json that says that files are modules, and which Stint it is. One that is there only gets what it lacks. */
function writePackage(root: string, given: Package | null, isOfModules: boolean): Written {
  const { version, name: own } = ownPackage()
  const made = {
    ...(given ?? { name: safeName(basename(root)), private: true }),
    ...(isOfModules ? { type: 'module' } : {}),
    dependencies: { ...given?.dependencies, [own]: given?.dependencies?.[own] ?? `^${version}` },
  }
  if (JSON.stringify(given) === JSON.stringify(made)) return { path: 'package.json', how: 'kept' }
  writeFileSync(join(root, 'package.json'), `${JSON.stringify(made, null, 2)}\n`)
  return { path: 'package.json', how: given === null ? 'made' : 'changed' }
}

function safeName(name: string): string {
  return (
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'jobs'
  )
}

function ownPackage(): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
}

/** Data is not for the repository. */
function ignoreData(root: string): Written {
  const file = join(root, '.gitignore')
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const missing = ['node_modules', '.stint/'].filter((line) => !before.split('\n').includes(line))
  if (missing.length === 0) return { path: '.gitignore', how: 'kept' }
  writeFileSync(file, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`)
  return { path: '.gitignore', how: before === '' ? 'made' : 'changed' }
}
