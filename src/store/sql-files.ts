import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** Statements by name, from every `.sql` file in a folder. Each begins with a line `-- name: …`. */
export function readQueries(folder: URL): ReadonlyMap<string, string> {
  const queries = new Map<string, string>()
  for (const file of sqlFilesIn(folder)) {
    for (const part of readFileSync(new URL(file, folder), 'utf8')
      .split(/^-- name: /m)
      .slice(1)) {
      const end = part.indexOf('\n')
      const name = part.slice(0, end).trim()
      if (queries.has(name)) throw new Error(`${file} defines the statement ${name}, which exists already.`)
      queries.set(
        name,
        part
          .slice(end + 1)
          .trim()
          .replace(/;$/, ''),
      )
    }
  }
  return queries
}

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

/** The migrations of a store, by number: 1, 2, 3 … without a gap. */
export function readMigrations(folder: URL): readonly Migration[] {
  return sqlFilesIn(folder).map((file, i) => {
    const sql = readFileSync(new URL(file, folder), 'utf8')
    const version = Number(file.slice(0, 4))
    if (version !== i + 1) throw new Error(`Migration ${file} must have the number ${i + 1}.`)
    return { version, name: file.slice(5, -4), sql, checksum: hash('sha256', sql, 'hex') }
  })
}

function sqlFilesIn(folder: URL): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
}
