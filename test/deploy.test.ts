import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { createStint, defineJob } from 'stint'
import { startServer } from 'stint/server'
import { expect, onTestFinished, test } from 'vitest'
import { labelsOf, seriesName, seriesNames } from '../scripts/docs/metrics-page.ts'
import { blocksOfPage, pages } from './support/blocks.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

const expressions = [
  ...(JSON.parse(read('deploy/grafana.json')) as Dashboard).panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr),
  ),
  ...[...read('docs/operations.md').matchAll(/^\| [^|]+ \| `([^`]*stint_[^`]*)` \|/gm)].map(([, expr]) => expr ?? ''),
]

test('dashboard and alerts ask only for series that there are, by labels that they have', () => {
  expect(expressions.length).toBeGreaterThan(20)
  for (const expr of expressions) {
    const names = expr.match(/\bstint_\w+/g) ?? []
    const asked = [...expr.matchAll(/by \(([^)]*)\)|(\w+)="/g)].flatMap(([, by, one]) => by?.split(', ') ?? [one ?? ''])
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) {
      expect(seriesNames()).toContain(seriesName(name))
      for (const label of asked) expect(labelsOf(root, name), `${label} in ${expr}`).toContain(label)
    }
  }
})

test('a server tells what the reference says: these series, with these labels', async () => {
  const stint = await createStint({ url: 'sqlite::memory:' })
  const server = await startServer({ stint, port: 0 })
  onTestFinished(async () => {
    await server.close()
    await stint.close()
  })
  await stint.worker({ jobs: [defineJob('quick', { run: () => 1 })] }).start()
  await (await stint.submit('quick')).result()
  await stint.submit('nobody-knows')
  await fetch(`${server.url}/v1/jobs`)
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => {
    return type === 'counter' ? `${name}_total` : String(name)
  })
  expect(families.toSorted()).toEqual(seriesNames().toSorted())
  const samples = [...text.matchAll(/^(stint_\w+)(?:\{(.*)\})? /gm)]
  expect(samples.map(([, name]) => name)).toContain('stint_queue_oldest_seconds')
  for (const [, name = '', labels = ''] of samples) {
    expect([...labels.matchAll(/(\w+)="/g)].map(([, label]) => label)).toEqual(labelsOf(root, name))
  }
})

test('the Dockerfile takes what there is, ends without root and looks after its health', () => {
  const lines = read('deploy/Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  const taken = lines.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) => line.split(' ').slice(1, -1))
  expect(taken.length).toBeGreaterThan(0)
  for (const path of taken) expect(existsSync(join(root, path)), path).toBe(true)
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  expect(last.find((line) => line.startsWith('USER '))).toBe('USER node')
  expect(last.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true)
  expect(JSON.parse(read('package.json')).engines.node).toBe('>=24')
  for (const from of lines.filter((line) => line.startsWith('FROM '))) expect(from).toContain('node:24-slim')
})

interface Service {
  readonly image?: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly command?: readonly string[]
}

const compose = parseYaml(read('deploy/compose.yaml')) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

test('the compose file names services, volumes and files that are there', () => {
  expect(Object.keys(compose.services)).toEqual(['postgres', 'server', 'worker'])
  for (const { build, volumes = [], depends_on = {} } of Object.values(compose.services)) {
    if (build !== undefined) expect(existsSync(join(root, 'deploy', build.context, build.dockerfile))).toBe(true)
    for (const name of Object.keys(depends_on)) expect(compose.services).toHaveProperty(name)
    for (const volume of volumes) {
      const [source = ''] = volume.split(':')
      if (source.startsWith('.')) expect(existsSync(join(root, 'deploy', source)), source).toBe(true)
      else expect(compose.volumes).toHaveProperty(source)
    }
  }
})

const units = ['stint-server.service', 'stint-worker.service']
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasSystemd).each(units)('systemd takes %s as it is (skipped where there is none)', async (unit) => {
  const directory = mkdtempSync(join(tmpdir(), 'stint-unit-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  // The command is not installed here, and systemd wants to find it.
  writeFileSync(join(directory, unit), read(`deploy/${unit}`).replace('/usr/local/bin/stint', process.execPath))
  const verified = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', join(directory, unit)])
  expect(verified.stderr).not.toContain(unit)
})

const bin = join(root, 'bin/stint.js')
const typed = [
  ...Object.values(compose.services).flatMap(({ image, command = [] }) =>
    image === 'stint' ? [command.join(' ')] : [],
  ),
  ...units.map((unit) => /^ExecStart=\S*stint (.*)$/m.exec(read(`deploy/${unit}`))?.[1] ?? ''),
  ...pages.flatMap(blocksOfPage).flatMap(({ language, code }) => (language === 'sh' ? commandsIn(code) : [])),
]

test.skipIf(!existsSync(bin)).each([...new Set(typed)])(
  'stint has the command and the options of: %s',
  async (words) => {
    const [command = '', options = ''] = words.split(/ (?=-)(.*)/s)
    const name = ['keys', 'schedule'].includes(command.split(' ')[0] ?? '')
      ? command.split(' ').slice(0, 2)
      : command.split(' ').slice(0, 1)
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...name, '--help'])
    expect(stdout).toContain(`Usage: stint ${name.join(' ')}`)
    for (const option of options.match(/(?<=^|\s)--?[a-z-]+/g) ?? [])
      expect(stdout).toMatch(new RegExp(`(^|\\s)${option}\\b`))
  },
)

/** What is typed after `stint` in lines of the shell. */
function commandsIn(code: string): readonly string[] {
  return [...code.matchAll(/(?:^|\s|')(?:npx )?stint ((?:[a-z]+)(?: [^'&|\n]*)?)/gm)].map(([, words = '']) =>
    words.trim(),
  )
}
