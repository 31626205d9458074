import pg from 'pg'
import type { SchemaState } from '../migrations.ts'
import { readMigrations } from '../sql-files.ts'
import { closeClient, connectionTo } from './connection.ts'
import { quoted } from './statements.ts'

/** Which migrations a schema has, without changing anything. */
export async function postgresSchemaState(url: string, schema: string): Promise<SchemaState> {
  const known = readMigrations(new URL('./migrations/', import.meta.url))
  const client = new pg.Client(connectionTo(url))
  await client.connect()
  try {
    const table = `${quoted(schema)}.migrations`
    const { rows: found } = await client.query('select to_regclass($1) as migrations', [table])
    if (found[0]?.migrations === null) return { known, applied: [] }
    const { rows } = await client.query(`select version from ${table} order by version`)
    return { known, applied: rows.map(({ version }: { version: number }) => version) }
  } finally {
    await closeClient(client)
  }
}
