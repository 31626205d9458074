import { command } from '../command.ts'
import { databaseOf, openDatabase, shownUrl } from '../database.ts'
import { count, text } from '../values.ts'

export const server = command({
  name: 'server',
  summary: 'Serves the API and the dashboard, for production.',
  details: `It runs no handlers; workers do: stint worker. On other addresses than this machine's everybody needs a key: make the first
with stint keys create --db. SIGTERM lets what is being answered end. It logs lines of JSON to stderr.`,
  needs: 'database',
  options: {
    host: {
      value: text('host'),
      about: 'Where to listen. Default 127.0.0.1, which only this machine reaches, without keys.',
    },
    port: { short: 'p', value: count(0, 65_535), about: 'Default 4600.' },
    requireKeys: { about: 'Everybody needs a key, also on this machine.' },
    commands: {
      about: 'Allows jobs of the type command: whoever may submit runs any program on the workers that take them.',
    },
    allowHost: { value: text('host'), many: true, about: 'A name by which the server is reached: stint.example.com.' },
    allowOrigin: {
      value: text('origin'),
      many: true,
      about: 'Pages of others that may use it: https://app.example.com.',
    },
    webhooks: { negated: true, about: 'Sends no webhooks, and leaves it to other servers.' },
  },
  examples: [
    ['stint server --db postgres://localhost/app', 'For this machine.'],
    [
      'stint server --host 0.0.0.0 --allow-host stint.example.com',
      'For others, with keys. The database is in STINT_DATABASE_URL.',
    ],
  ],
  run: async (call) => {
    const { settings, common, options, terminal } = call
    const port = options.port ?? Number(settings.get('port', undefined)?.value ?? 4_600)
    const host = settings.get('host', options.host)?.value ?? '127.0.0.1'
    const [{ startServer }, { jsonLines }, { startAt }] = await Promise.all([
      import('../../http/server.ts'),
      import('../../http/log.ts'),
      import('../dev/listen.ts'),
    ])
    const stint = await openDatabase(settings, common, { create: true })
    try {
      const log = jsonLines((line) => terminal.err.write(line))
      const about = {
        ...{ stint, host, log, commands: options.commands },
        ...{ allowedHosts: options.allowHost, allowedOrigins: options.allowOrigin },
        ...(options.requireKeys ? { requireKeys: true } : {}),
        ...(options.webhooks ? {} : { webhooks: false as const }),
      }
      const started = await startAt(startServer, about, port)
      const { value } = databaseOf(settings, common)
      log({
        level: 'info',
        at: 'server',
        message: 'listening',
        url: started.url,
        database: shownUrl(value),
        keys: !started.isOpen,
      })
      await call.untilInterrupted()
      log({ level: 'info', at: 'server', message: 'stopping' })
      await started.close()
      log({ level: 'info', at: 'server', message: 'stopped' })
    } finally {
      await stint.close()
    }
  },
})
