import pg from 'pg'
import { closeClient, connectionTo } from './connection.ts'
import { quoted } from './statements.ts'

/** Removes a schema with all that is in it. */
export async function dropSchema(url: string, schema: string): Promise<void> {
  const client = new pg.Client(connectionTo(url))
  await client.connect()
  try {
    await client.query(`drop schema if exists ${quoted(schema)} cascade`)
  } finally {
    await closeClient(client)
  }
}
