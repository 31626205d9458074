import { command } from '../command.ts'
import { databaseOf, openDatabase, shownUrl } from '../database.ts'
import { count, text } from '../values.ts'

export const server = command({
  name: 'server',
  summary: 'Serves the API and the dashboard, for production.',
  details: `It runs no handlers; stint worker does. If others can reach it, everybody needs a key: make the first one with
stint keys create --db. On SIGTERM it finishes the requests it is answering. It logs lines of JSON to stderr.`,
  needs: 'database',
  options: {
    host: {
      value: text('host'),
      about: 'Where to listen. Default 127.0.0.1, which only this machine can reach, and which needs no keys.',
    },
    port: { short: 'p', value: count(0, 65_535), about: 'The port to listen on. Default 4600.' },
    requireKeys: { about: 'Everybody needs a key, even on this machine.' },
    commands: {
      about: 'Allows jobs of the type command: anyone who can submit can then run any program on the workers.',
    },
    allowHost: { value: text('host'), many: true, about: 'A host name of the server: stint.example.com.' },
    allowOrigin: {
      value: text('origin'),
      many: true,
      about: 'A website that may use it: https://app.example.com.',
    },
    artifacts: {
      value: text('directory'),
      about: 'Where workers keep the files of runs. Default .stint/artifacts.',
    },
    webhooks: { negated: true, about: 'Sends no webhooks, and leaves that to other servers.' },
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
        ...(options.artifacts === undefined ? {} : { artifacts: options.artifacts }),
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
