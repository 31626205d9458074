import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseEnv } from 'node:util'
import { Failure } from './exit.ts'

/** What `stint.config.ts` exports by default. All of it may be absent. */
export interface StintConfig {
  /** Where the handlers are: files, or patterns such as `jobs/*.ts`. */
  readonly jobs?: string | readonly string[]
  /** The database: `sqlite:./jobs.db` or `postgres://…`. */
  readonly db?: string
  /** The PostgreSQL schema that holds the tables. Default `stint`. */
  readonly schema?: string
  /** The server that commands talk to. */
  readonly url?: string
  /** A key for it. */
  readonly key?: string
  /** Where the server listens. */
  readonly port?: number
  readonly host?: string
  /** How many handlers run at once. Default 10. */
  readonly concurrency?: number
  /** The namespace of jobs that are submitted without a name. Default `default`. */
  readonly namespace?: string
  /** Where old entries of the log go. Default nowhere: they stay. */
  readonly archiveDirectory?: string
}

/** The options that every command of a kind has. */
export interface CommonOptions {
  readonly url?: string
  readonly key?: string
  readonly db?: string
  readonly schema?: string
}

export interface Setting {
  readonly value: string
  /** Where it was said. */
  readonly from: string
}

/** What a command finds around it. */
export interface Settings {
  /** The directory of the project: the nearest that has a config or a package.json, else the working directory. */
  readonly root: string
  readonly config: StintConfig
  /** The file that the config is from; null when there is none. */
  readonly configFile: string | null
  /** A setting, from the strongest place that has it: flag, environment, `.env`, config. */
  get(name: SettingName, flag: string | undefined): Setting | null
}

/** The settings that are said in more than one way. */
export const settingNames = {
  url: 'STINT_API_URL',
  key: 'STINT_API_KEY',
  db: 'STINT_DATABASE_URL',
  schema: 'STINT_SCHEMA',
  port: 'STINT_PORT',
  host: 'STINT_HOST',
  namespace: 'STINT_NAMESPACE',
  archiveDirectory: 'STINT_ARCHIVE_DIRECTORY',
} as const

export type SettingName = keyof typeof settingNames

const configNames = ['ts', 'mts', 'js', 'mjs', 'json'].map((ending) => `stint.config.${ending}`)

export async function readSettings(cwd: string, env: NodeJS.ProcessEnv): Promise<Settings> {
  const root = rootOf(cwd)
  const configFile = configNames.map((name) => join(root, name)).find((file) => existsSync(file)) ?? null
  const config = configFile === null ? {} : await readConfig(configFile)
  const dotEnv = readDotEnv(join(root, '.env'))
  return {
    root,
    config,
    configFile,
    get: (name, flag) => {
      const variable = settingNames[name]
      const said = config[name]
      if (flag !== undefined) return { value: flag, from: name === 'key' ? '--api-key' : `--${name}` }
      if ((env[variable] ?? '') !== '') return { value: String(env[variable]), from: variable }
      if ((dotEnv[variable] ?? '') !== '') return { value: String(dotEnv[variable]), from: `${variable} in .env` }
      return said === undefined ? null : { value: String(said), from: configFile ?? '' }
    },
  }
}

function rootOf(cwd: string): string {
  for (let at = cwd; ; at = dirname(at)) {
    if ([...configNames, 'package.json'].some((name) => existsSync(join(at, name)))) return at
    if (dirname(at) === at) return cwd
  }
}

async function readConfig(file: string): Promise<StintConfig> {
  try {
    const config: unknown = file.endsWith('.json')
      ? JSON.parse(readFileSync(file, 'utf8'))
      : ((await import(pathToFileURL(file).href)) as { default?: unknown }).default
    if (typeof config === 'object' && config !== null) return config
  } catch (error) {
    throw new Failure('usage', `${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  throw new Failure('usage', `${file} must export an object by default.`, "export default { jobs: 'jobs/*.ts' }")
}

function readDotEnv(file: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
