import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Stint } from '../engine/stint.ts'
import { defaultDatabase } from './dev/dev-file.ts'
import { Failure } from './exit.ts'
import type { CommonOptions, Setting, Settings } from './settings.ts'

/** Which database is meant: one that was named, else the one of `stint dev`. */
export function databaseOf(settings: Settings, { db }: Pick<CommonOptions, 'db'>): Setting {
  const named = settings.get('db', db)
  if (named !== null) return named
  return { value: `sqlite:${defaultDatabase(settings.root)}`, from: 'the one of `stint dev` here' }
}

/** Opens the database. A file of SQLite that is not there is no database, unless it is to be made. */
export async function openDatabase(
  settings: Settings,
  common: Pick<CommonOptions, 'db' | 'schema'>,
  { create = false } = {},
): Promise<Stint> {
  const { value: url, from } = databaseOf(settings, common)
  const file = fileOf(url)
  if (file !== null && !existsSync(file)) {
    if (!create) throw missing(file, from)
    mkdirSync(dirname(file), { recursive: true })
  }
  const { createStint } = await import('../engine/create-stint.ts')
  const [schema, namespace, archiveDirectory] = [
    settings.get('schema', common.schema),
    settings.get('namespace', undefined),
    settings.get('archiveDirectory', undefined),
  ]
  return await createStint({
    url,
    ...(schema === null ? {} : { schema: schema.value }),
    ...(namespace === null ? {} : { namespace: namespace.value }),
    ...(archiveDirectory === null ? {} : { archiveDirectory: archiveDirectory.value }),
  })
}

/** The file of an SQLite database; null for all others. */
export function fileOf(url: string): string | null {
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null
  return file === ':memory:' ? null : file
}

function missing(file: string, from: string): Failure {
  const hint = 'Name another with --db sqlite:<file> or --db postgres://…; `stint dev` makes one here.'
  return new Failure('notFound', `There is no database ${file} (${from}).`, hint)
}

/** A URL as it may be shown: without its password. */
export function shownUrl(url: string): string {
  return url.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:…@')
}
