import { existsSync } from 'node:fs'
import type { SchemaState } from '../../store/migrations.ts'
import { type Command, command } from '../command.ts'
import { databaseOf, fileOf, openDatabase, shownUrl } from '../database.ts'
import { Failure } from '../exit.ts'
import type { Settings } from '../settings.ts'

export const migrate: Command = command({
  name: 'migrate',
  summary: 'Creates a database, or brings it up to date.',
  details:
    'Servers and workers also do this when they start. With this command you can do it earlier, as a role that may change tables.',
  needs: 'database',
  options: { check: { about: 'Only shows what needs to be done. Exit code 1 if anything does.' } },
  examples: [
    ['stint migrate --db postgres://localhost/app', 'Applies all migrations that are missing.'],
    ['stint migrate --check', 'For a pipeline that must not start old code on a new schema.'],
  ],
  run: async (call) => {
    const { settings, common, options } = call
    const { value: url } = databaseOf(settings, common)
    const before = await schemaStateOf(url, settings, common.schema)
    const pending = pendingOf(before)
    const at = shownUrl(url)
    if (options.check) {
      for (const name of pending) call.say(`to do: ${name}`)
      call.say(
        pending.length === 0
          ? `${at} is up to date (${before.known.length} migrations).`
          : `${at}: ${pending.length} to do.`,
      )
      if (pending.length > 0) throw new Failure('failed', '')
      return
    }
    const stint = await openDatabase(settings, common, { create: true })
    await stint.close()
    for (const name of pending) call.say(`done: ${name}`)
    call.say(`${at} is up to date (${before.known.length} migrations).`)
  },
})

function pendingOf({ known, applied }: SchemaState): readonly string[] {
  return known
    .filter(({ version }) => !applied.includes(version))
    .map(({ version, name }) => `${String(version).padStart(4, '0')} ${name}`)
}

/** Which migrations a database has. One that is not there has none. */
export async function schemaStateOf(url: string, settings: Settings, schema: string | undefined): Promise<SchemaState> {
  if (!url.startsWith('sqlite:')) {
    const { postgresSchemaState } = await import('../../store/postgres/schema-state.ts')
    return await postgresSchemaState(url, settings.get('schema', schema)?.value ?? 'stint')
  }
  const { sqliteSchemaState } = await import('../../store/sqlite/schema-state.ts')
  const file = fileOf(url)
  return sqliteSchemaState(file === null || !existsSync(file) ? ':memory:' : file)
}
