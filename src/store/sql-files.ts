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

/** A statement whose named parameters have become numbers, and the names in the order of the numbers. */
export interface Positional {
  readonly text: string
  readonly params: readonly string[]
}

/** `:name` becomes the n-th parameter; `::type` is a cast and stays. Text and comments of our statements hold neither. */
export function positional(sql: string, sign: '$' | '?'): Positional {
  const params: string[] = []
  const text = sql.replaceAll(/(?<!:):([a-z_]+)/g, (_, param: string) => {
    const known = params.indexOf(param)
    return `${sign}${known === -1 ? params.push(param) : known + 1}`
  })
  return { text, params }
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
