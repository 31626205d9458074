import { DatabaseSync } from 'node:sqlite'
import type { SchemaState } from '../migrations.ts'
import { readMigrations } from '../sql-files.ts'

/** Which migrations a file has, without changing anything. */
export function sqliteSchemaState(file: string): SchemaState {
  const known = readMigrations(new URL('./migrations/', import.meta.url))
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const isThere = db.prepare("select 1 from sqlite_schema where name = 'migrations'").get() !== undefined
    const rows = isThere ? db.prepare('select version from migrations order by version').all() : []
    return { known, applied: rows.map((row) => Number(row['version'])) }
  } finally {
    db.close()
  }
}
