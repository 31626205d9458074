import { command } from '../command.ts'
import { count, duration } from '../values.ts'

export const dev = command({
  name: 'dev',
  summary: 'Runs everything in one process: server, worker and an embedded database in .stint/.',
  details: `Handlers are all definitions that the files of a project export: \`jobs.ts\`, \`jobs/**\`, \`src/jobs.ts\`, \`src/jobs/**\`, or those that
are named here or in stint.config.ts. When a file changes, it is loaded again; a job that runs finishes with the code
it began with. Data stays in .stint/, so the next start goes on where this one ended.`,
  needs: 'database',
  args: { files: { about: 'Files with handlers, or patterns.', many: true, optional: true, complete: 'file' } },
  options: {
    port: {
      short: 'p',
      value: count(0, 65_535),
      about: 'Where to listen; 0 for any that is free. Default 4600 or the next free one.',
    },
    demo: { about: 'Jobs, schedules and groups of every kind to look at.' },
    concurrency: { value: count(1, 10_000), about: 'How many handlers run at once. Default 10.' },
    grace: { value: duration, about: 'How long running jobs may finish after Ctrl-C. Default 30s.' },
    commands: { about: 'Allows jobs of the type command: whoever reaches this machine may run any program.' },
    reload: { negated: true, about: 'Does not load files again when they change.' },
  },
  examples: [
    ['stint dev', 'Starts with the handlers in jobs/.'],
    ['stint dev --demo', 'Starts with something to look at.'],
    ['stint dev src/mail.ts --port 5000', 'Starts with the handlers of one file.'],
  ],
  run: async (call) => {
    const { args, options, settings, common, terminal } = call
    const port = options.port ?? Number(settings.get('port', undefined)?.value ?? Number.NaN)
    call.takeInterrupts()
    const { runDev } = await import('../dev/dev.ts')
    const { demo, commands, reload } = options
    const concurrency = options.concurrency ?? settings.config.concurrency ?? 10
    const how = {
      files: args.files,
      port: Number.isNaN(port) ? null : port,
      concurrency,
      graceMs: options.grace ?? 30_000,
      demo,
      commands,
      reload,
    }
    await runDev(how, settings, common, terminal)
  },
})
