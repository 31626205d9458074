import { globSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { AnyJob } from '../../engine/handler.ts'
import { Failure } from '../exit.ts'
import type { Settings } from '../settings.ts'
import type { ProjectModules } from './module-hooks.ts'

/** Where handlers are looked for unless somebody says where they are. */
const defaultPatterns = ['jobs.ts', 'jobs/**/*', 'src/jobs.ts', 'src/jobs/**/*'] as const

const isSource = /(?<!\.d)\.(?:ts|mts|js|mjs)$/
const isTest = /\.(?:test|spec)\.[cm]?[jt]s$/

/** A file, and the definitions that it exports. */
export interface HandlerFile {
  /** Below the root. */
  readonly path: string
  readonly jobs: readonly AnyJob[]
  /** Why it could not be loaded, or what is wrong with it. */
  readonly error: string | null
}

export interface Handlers {
  readonly files: readonly HandlerFile[]
  readonly jobs: readonly AnyJob[]
}

/** What was asked for by name, else by the config, else by where handlers usually are. */
export function patternsOf({ config }: Settings, asked: readonly string[]): readonly string[] {
  if (asked.length > 0) return asked
  if (config.jobs === undefined) return defaultPatterns
  return typeof config.jobs === 'string' ? [config.jobs] : config.jobs
}

/** The files that patterns mean, in their order. A file that was named must be there. */
export function filesOf(root: string, patterns: readonly string[]): readonly string[] {
  const found = new Set<string>()
  for (const pattern of patterns) {
    const matching = globSync(pattern, { cwd: root, exclude: (name) => name === 'node_modules' }).sort()
    const isPlain = !/[*?{[]/.test(pattern)
    if (isPlain && matching.length === 0 && !(defaultPatterns as readonly string[]).includes(pattern)) {
      throw new Failure(
        'notFound',
        `There is no file ${resolve(root, pattern)}.`,
        'Name files with handlers, or patterns such as jobs/*.ts.',
      )
    }
    for (const path of matching) if (isSource.test(path) && !isTest.test(path)) found.add(resolve(root, path))
  }
  return [...found]
}

/** Loads all definitions: every export, and every member of an exported array, that `defineJob` and its like have made. */
export async function loadHandlers(root: string, files: readonly string[], modules: ProjectModules): Promise<Handlers> {
  const loaded: HandlerFile[] = []
  const taken = new Map<string, string>()
  for (const file of files) {
    const path = relative(root, file)
    const { jobs, error } = await definitionsOf(file, modules)
    const twice = jobs.find(({ type }) => taken.has(type))
    const own = jobs.filter(({ type }) => !taken.has(type))
    for (const { type } of own) taken.set(type, path)
    const clash = twice === undefined ? null : `the type ${twice.type} is defined in ${taken.get(twice.type)}, too`
    loaded.push({ path, jobs: own, error: error ?? clash })
  }
  return { files: loaded, jobs: loaded.flatMap(({ jobs }) => jobs) }
}

async function definitionsOf(file: string, modules: ProjectModules) {
  try {
    const exported = Object.values(await modules.importFresh(file))
    const jobs = new Set(exported.flatMap((each) => (Array.isArray(each) ? each : [each])).filter(isDefinition))
    return { jobs: [...jobs].sort((a, b) => (a.type < b.type ? -1 : 1)), error: null }
  } catch (error) {
    return { jobs: [], error: whyOf(error) }
  }
}

function isDefinition(value: unknown): value is AnyJob {
  if (typeof value !== 'object' || value === null) return false
  const { type, run, params } = value as Partial<AnyJob>
  return typeof type === 'string' && typeof run === 'function' && params !== undefined
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return `${error.message.split('\n').at(-1)}: Node runs TypeScript by taking the types away, and this is more than a type`
  }
  if (error.message === 'Cannot use import statement outside a module') {
    return `it is written as a module, and package.json says that it is none: add "type": "module" there, or name it .mts`
  }
  // The stack of an error of syntax begins with where it is; the first frame of any other says it.
  const stack = error.stack ?? error.message
  if (error instanceof SyntaxError) return stack.split('\n    at ')[0]?.trim() ?? error.message
  const place = /^ +at .*?((?:file:\/\/)?\/[^\s)]+:\d+:\d+)/m.exec(stack)?.[1]
  return `${error.message}${place === undefined ? '' : ` (${place.replace('file://', '').replace(/\?stint-generation=\d+/, '')})`}`
}
