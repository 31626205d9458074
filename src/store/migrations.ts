import { StintError } from '../core/errors.ts'
import type { Migration } from './sql-files.ts'

export interface Applied {
  readonly version: number
  readonly checksum: string
}

/** The migrations that this version of Stint has, and the numbers of those that a database has. */
export interface SchemaState {
  readonly known: readonly Migration[]
  readonly applied: readonly number[]
}

/**
 * The migrations still to run. A database that a newer Stint has migrated is refused, because this program would not
 * know what it reads; so is one whose history differs from the files, because nobody knows what it is.
 */
export function migrationsToRun(known: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  const newest = Math.max(0, ...applied.map(({ version }) => version))
  if (newest > known.length) {
    const message =
      `The database has schema ${newest}, this version of Stint knows ${known.length}: ` +
      'it was migrated by a newer Stint. Update this program; nothing was changed.'
    throw new StintError('schema_newer', message, { databaseSchema: newest, knownSchema: known.length })
  }
  for (const { version, checksum } of applied) {
    const migration = known[version - 1]
    if (migration?.checksum === checksum) continue
    const message = `Migration ${version} (${migration?.name}) of the database differs from the one in this version of Stint.`
    throw new StintError('schema_changed', message, { migration: version })
  }
  const done = new Set(applied.map(({ version }) => version))
  return known.filter(({ version }) => !done.has(version))
}
