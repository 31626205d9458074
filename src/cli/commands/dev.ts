import { command } from '../command.ts'
import { count, duration } from '../values.ts'

export const dev = command({
  name: 'dev',
  summary: 'Runs everything in one process: server, worker and an embedded database in .stint/.',
  details: `Handlers are all job definitions that the files of a project export: \`jobs.ts\`, \`jobs/**\`, \`src/jobs.ts\`, \`src/jobs/**\`, or the
files named here or in stint.config.ts. Changed files are reloaded; running jobs finish with the code they began with.
Data stays in .stint/, so the next start continues where this one ended.`,
  needs: 'database',
  args: { files: { about: 'Files with handlers, or patterns.', many: true, optional: true, complete: 'file' } },
  options: {
    port: {
      short: 'p',
      value: count(0, 65_535),
      about: 'The port to listen on; 0 for any free one. Default 4600, or the next free one.',
    },
    demo: { about: 'Adds example jobs, schedules and groups of every kind.' },
    concurrency: { value: count(1, 10_000), about: 'How many handlers run at once. Default 10.' },
    grace: { value: duration, about: 'How long running jobs may take to finish after Ctrl-C. Default 30s.' },
    commands: { about: 'Allows jobs of the type command: anyone on this machine can then run any program.' },
    reload: { negated: true, about: 'Does not reload files when they change.' },
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
