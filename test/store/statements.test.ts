import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import * as postgres from '../../src/store/postgres/statements.ts'
import { positional } from '../../src/store/sql-files.ts'
import { migrate, openConnection } from '../../src/store/sqlite/connection.ts'
import * as sqlite from '../../src/store/sqlite/statements.ts'

describe('every statement fits the migrated schema', () => {
  it('of SQLite', async () => {
    const db: DatabaseSync = openConnection(':memory:')
    onTestFinished(() => db.close())
    await migrate(db)
    const statements = new sqlite.Statements(db)
    // Claims that need it make it first.
    statements.run('makeNamespaceIndex', {})
    expect(sqlite.statementNames.length).toBeGreaterThan(20)
    for (const name of sqlite.statementNames) expect(() => statements.prepare(name), name).not.toThrow()
  })

  it('of SQLite, and none is planned anew for each value of its limit', async () => {
    const db: DatabaseSync = openConnection(':memory:')
    onTestFinished(() => db.close())
    await migrate(db)
    const statements = new sqlite.Statements(db)
    statements.run('makeNamespaceIndex', {})
    const texts = sqlite.statementNames.map((name) => statements.prepare(name).statement.sourceSQL)
    expect(texts.filter((text) => /\blimit \+\?/.test(text)).length).toBeGreaterThan(20)
    expect(texts.filter((text) => /\b(limit|offset) \?/.test(text))).toEqual([])
  })

  it('of PostgreSQL', async () => {
    const url = inject('postgresUrl')
    const store = await openPostgresStore({ url, schema: 'prepared' })
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(async () => {
      await store.close()
      await client.query('drop schema prepared cascade')
      await client.end()
    })
    const statements = new postgres.Statements('prepared')
    expect(postgres.statementNames.length).toBeGreaterThan(15)
    for (const name of postgres.statementNames.filter((name) => !name.startsWith('begin'))) {
      await client.query(`prepare ${name} as ${statements.prepare(name).text}`)
    }
  })
})

describe('named parameters', () => {
  it('become numbers in the order of their first use; casts stay', () => {
    const { text, params } = positional('select :b::text, :a, :b from x where y = :a::bigint[]', '$')
    expect(text).toBe('select $1::text, $2, $1 from x where y = $2::bigint[]')
    expect(params).toEqual(['b', 'a'])
  })

  it('must all have a value', () => {
    const statements = new sqlite.Statements(new DatabaseSync(':memory:'))
    expect(() => statements.run('addType', {})).toThrow()
  })
})
