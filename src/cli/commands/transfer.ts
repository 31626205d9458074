import { existsSync } from 'node:fs'
import { command } from '../command.ts'
import { fileOf, shownUrl } from '../database.ts'
import { defaultDatabase } from '../dev/dev-file.ts'
import { Failure } from '../exit.ts'
import { LiveLines } from '../terminal.ts'
import { text } from '../values.ts'

export const transfer = command({
  name: 'transfer',
  summary: 'Moves an SQLite database to PostgreSQL, with its whole history.',
  details: `The log is moved entry by entry and every job is derived from it anew; both sides are verified, and compared in the end.
Stop everything that uses the file first. The target must be empty; if anything is wrong, it stays so. The file stays as it is.`,
  needs: 'nothing',
  options: {
    from: { value: text('url'), about: 'sqlite:<file>. Default that of `stint dev` here.' },
    to: { value: text('url'), about: 'postgres://…' },
    schema: { value: text('name'), about: 'The PostgreSQL schema. Default stint.' },
    dryRun: { short: 'n', about: 'Verifies the source, looks at the target, and moves nothing.' },
  },
  examples: [
    ['stint transfer --to postgres://localhost/app', 'What `stint dev` has made here.'],
    ['stint transfer --from sqlite:jobs.db --to postgres://localhost/app --dry-run', 'Whether it would work.'],
  ],
  run: async (call) => {
    const { from = `sqlite:${defaultDatabase(call.settings.root)}`, to, schema, dryRun } = call.options
    const file = fileOf(from)
    if (file === null) throw new Failure('usage', '--from must be sqlite:<file>.')
    if (!existsSync(file))
      throw new Failure('notFound', `There is no database ${file}.`, 'Name it with --from sqlite:<file>.')
    if (to === undefined || !/^postgres(ql)?:\/\//.test(to))
      throw new Failure('usage', 'Where to? Say --to postgres://…')
    const module = await import('../../store/transfer/transfer.ts')
    const { err } = call.terminal
    const lines = new LiveLines(err)
    const onStep = (step: string) => (err.isTerminal ? lines.draw([`  ${step} …`]) : call.say(step))
    try {
      const { jobs, rows } = await module.transfer({ file, url: to, schema: schema ?? 'stint', dryRun, onStep })
      lines.end({ keep: false })
      const { events = 0, runs = 0, records = 0 } = rows
      call.say(
        dryRun
          ? 'The source is verified and the target is empty: it would work. Nothing was moved.'
          : `Moved ${jobs} jobs, ${runs} runs, ${events} entries of the log and ${records} records to ${shownUrl(to)}. Both sides are verified, and the same.`,
      )
      if (!dryRun) call.say(`From now on: STINT_DATABASE_URL=${shownUrl(to)}`)
    } finally {
      lines.end({ keep: false })
    }
  },
})
