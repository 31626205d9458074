import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const installPatienceMs = 180_000

/** The databases that the programs are to use: both stores must have all their files in the package. */
const urls = ['sqlite:used.db', inject('postgresUrl')]

/** Packs the package as `npm publish` would, and installs it into an empty project as a user would. */
describe('the packed package', () => {
  let directory: string
  let checkout: string
  let consumer: string
  let packed: PackedPackage

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'stint-package-'))
    checkout = join(directory, 'checkout')
    consumer = join(directory, 'consumer')
    copyCheckout(checkout)
    packed = await pack(checkout, directory)
    await install(join(directory, packed.filename), consumer)
  }, installPatienceMs)

  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test('holds the dashboard, with all that its page asks for', () => {
    const files = packed.files.map(({ path }) => path).filter(isDashboard)
    const html = readFileSync(join(checkout, 'dist/web/index.html'), 'utf8')
    const asked = [...html.matchAll(/"\.\/([^"]+)"/g)].map(([, path]) => `dist/web/${path}`)
    expect(asked.length).toBeGreaterThan(1)
    expect(files).toEqual(expect.arrayContaining(['dist/web/index.html', ...asked]))
  })

  test('holds the built sources and the papers, and nothing else', () => {
    const papers = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'].filter((file) =>
      existsSync(join(checkout, file)),
    )
    const others = packed.files.map(({ path }) => path).filter((path) => !isDashboard(path))
    expect(others.sort()).toEqual([...papers, 'bin/stint.js', ...builtFiles(join(checkout, 'src'))].sort())
  })

  test('brings nothing with an install script', () => {
    const lock = JSON.parse(readFileSync(join(consumer, 'package-lock.json'), 'utf8')) as PackageLock
    const scripted = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
    expect(scripted).toEqual([])
    expect(Object.keys(lock.packages)).toContain('node_modules/stint')
  })

  test('works in a JavaScript program', async () => {
    expect(await run(process.execPath, ['use.mjs', ...urls], consumer)).toBe('used /reports/daily/3\n')
  })

  test('takes a new user from an empty directory to a job of their own', async () => {
    const project = join(directory, 'project')
    mkdirSync(project)
    symlinkSync(join(consumer, 'node_modules'), join(project, 'node_modules'))
    expect(await run('npx', ['stint', 'init'], project)).toContain('+ jobs/hello.ts')
    const dev = spawn('npx', ['stint', 'dev', '--port', '0'], { cwd: project, detached: true })
    onTestFinished(() => void process.kill(-(dev.pid ?? 0), 'SIGKILL'))
    const said = textOf(dev)
    await said(/Handlers +count-up, hello, unreliable/)
    expect(await run('npx', ['stint', 'submit', 'hello', '-p', 'who=you', '--wait'], project)).toBe('Hello, you!\n')
    const own = `import { defineJob } from 'stint'\nexport const mine = defineJob('mine', { run: () => 'mine' })\n`
    writeFileSync(join(project, 'jobs/mine.ts'), own)
    await said(/jobs\/mine.ts changed; handlers: count-up, hello, unreliable, mine/)
    expect(await run('npx', ['stint', 'submit', 'mine', '--wait'], project)).toBe('mine\n')
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], project)
  })

  test('type-checks and works in a strict TypeScript program', async () => {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], consumer)
    expect(await run(process.execPath, ['use.ts', ...urls], consumer)).toBe('used /reports/daily/3\n')
  })
})

function isDashboard(path: string): boolean {
  return path.startsWith('dist/web/') && !path.endsWith('.txt')
}

interface PackedPackage {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

interface PackageLock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
}

/** Packing builds, and a build replaces `dist`: in a copy, it takes it away from nobody who runs at the same time. */
function copyCheckout(target: string): void {
  const left = new Set(
    ['node_modules', 'bench/node_modules', '.git', 'dist', 'coverage', '.stint'].map((name) => join(root, name)),
  )
  cpSync(root, target, { recursive: true, filter: (path) => !left.has(path) })
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'))
}

async function pack(checkout: string, destination: string): Promise<PackedPackage> {
  const output = await run('npm', ['pack', '--json', '--pack-destination', destination], checkout)
  // What the build says stands before the JSON.
  const [packed] = JSON.parse(output.slice(output.search(/^\[/m))) as PackedPackage[]
  if (!packed) throw new Error(`npm pack gave no package: ${output}`)
  return packed
}

async function install(tarball: string, consumer: string): Promise<void> {
  cpSync(join(root, 'test/support/consumer'), consumer, { recursive: true })
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  await run('npm', ['install', ...flags, tarball], consumer)
  // Users on Node have its types, but not those of the database drivers, so ours must do without them.
  for (const name of ['@types/node', 'undici-types']) {
    cpSync(join(root, 'node_modules', name), join(consumer, 'node_modules', name), { recursive: true })
  }
}

/** Waits for what a process prints. */
function textOf(child: ChildProcess): (pattern: RegExp) => Promise<void> {
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += chunk
  })
  return (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => pattern.test(text) && resolve()
      child.stdout?.on('data', look)
      child.once('close', () => reject(new Error(`It ended, and never said ${pattern}: ${text}`)))
      look()
    })
}

/** What the build makes of each source. */
function builtFiles(source: string): string[] {
  const modules = globSync('**/*.ts', { cwd: source }).map((path) => path.replace(/\.ts$/, ''))
  const statements = globSync('**/*.sql', { cwd: source })
  return [...modules.flatMap((path) => [`${path}.js`, `${path}.d.ts`]), ...statements].map((path) => `dist/${path}`)
}

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${basename(program)} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
