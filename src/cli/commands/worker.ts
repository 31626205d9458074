import type { AnyJob } from '../../engine/handler.ts'
import { command } from '../command.ts'
import { databaseOf, openDatabase, shownUrl } from '../database.ts'
import { Failure } from '../exit.ts'
import { filesOf, type Handlers, loadHandlers, patternsOf } from '../handlers/handlers.ts'
import { choice, count, duration, text } from '../values.ts'

export const worker = command({
  name: 'worker',
  summary: 'Runs handlers, for production. Start as many as you like, on as many machines.',
  details: `It finds handlers the same way as stint dev. On SIGTERM, running jobs have --grace to finish; the rest is given back.
It logs lines of JSON to stderr.`,
  needs: 'database',
  args: { files: { about: 'Files with handlers, or patterns.', many: true, optional: true, complete: 'file' } },
  options: {
    concurrency: { short: 'c', value: count(1, 10_000), about: 'How many handlers run at once. Default 10.' },
    name: { value: text('name'), about: 'A label for people. Default the name of the host.' },
    path: { value: text('path'), many: true, about: 'Takes only jobs at this name or below.' },
    fairness: {
      value: choice('none', 'namespace'),
      about: '`namespace` lets namespaces take turns. Default none: strict order.',
    },
    grace: { value: duration, about: 'How long running jobs may take to finish after SIGTERM. Default 30s.' },
    lease: { value: duration, about: 'How soon others notice that it died. Default 30s.' },
    commands: { about: 'Also runs jobs of the type command: any program that they name.' },
    artifacts: { value: text('directory'), about: 'Where files of runs are kept. Default .stint/artifacts.' },
  },
  examples: [
    ['stint worker --db postgres://localhost/app --concurrency 50', 'The handlers in jobs/, fifty at once.'],
    ["stint worker 'dist/jobs/*.js' --path /reports", 'Only jobs of a branch.'],
  ],
  run: async (call) => {
    const { settings, common, options, terminal } = call
    const [{ projectModules }, { jsonLines }] = await Promise.all([
      import('../handlers/module-hooks.ts'),
      import('../../http/log.ts'),
    ])
    const log = jsonLines((line) => terminal.err.write(line))
    const files = filesOf(settings.root, patternsOf(settings, call.args.files))
    const handlers = await loadHandlers(settings.root, files, projectModules(settings.root))
    const jobs = [
      ...required(handlers),
      ...(options.commands ? [await commandJob(settings.get('url', undefined)?.value)] : []),
    ]
    if (jobs.length === 0) throw none()
    const stint = await openDatabase(settings, common, { create: true })
    try {
      const { name, fairness, lease, path, artifacts } = options
      const started = stint.worker({
        jobs,
        concurrency: options.concurrency ?? settings.config.concurrency ?? 10,
        ...(name === undefined ? {} : { name }),
        ...(fairness === undefined ? {} : { fairness }),
        ...(lease === undefined ? {} : { leaseMs: lease }),
        ...(path.length === 0 ? {} : { paths: path }),
        ...(artifacts === undefined ? {} : { artifactsDirectory: artifacts }),
      })
      await started.start()
      const about = { database: shownUrl(databaseOf(settings, common).value), types: jobs.map(({ type }) => type) }
      log({ level: 'info', at: 'worker', message: 'working', worker: started.id, ...about })
      await call.untilInterrupted()
      log({ level: 'info', at: 'worker', message: 'stopping', running: started.heldCount })
      await started.stop({ graceMs: options.grace ?? 30_000 })
      log({ level: 'info', at: 'worker', message: 'stopped' })
    } finally {
      await stint.close()
    }
  },
})

async function commandJob(apiUrl: string | undefined): Promise<AnyJob> {
  const made = await import('../../http/command-job.ts')
  return made.commandJob(apiUrl === undefined ? {} : { apiUrl })
}

/** In production a file that cannot be loaded is a reason not to start. */
function required({ files, jobs }: Handlers): readonly AnyJob[] {
  const wrong = files.filter(({ error }) => error !== null)
  if (wrong.length === 0) return jobs
  throw new Failure('failed', wrong.map(({ path, error }) => `${path}: ${error}`).join('\n'), 'Nothing was started.')
}

function none(): Failure {
  return new Failure(
    'usage',
    'There are no handlers to run.',
    'Name files that export definitions, or put them into jobs/. `stint init` shows how.',
  )
}
