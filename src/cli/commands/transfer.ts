import { existsSync } from 'node:fs'
import { command } from '../command.ts'
import { fileOf, shownUrl } from '../database.ts'
import { defaultDatabase } from '../dev/dev-file.ts'
import { Failure } from '../exit.ts'
import { LiveLines } from '../terminal.ts'
import { text } from '../values.ts'

export const transfer = command({
  name: 'transfer',
  summary: 'Moves a SQLite database to PostgreSQL, with its whole history.',
  details: `It moves the log entry by entry and derives every job from it again. Both sides are verified, and compared at the end.
Stop everything that uses the file first. The target must be empty, and stays empty if anything goes wrong. The file is not changed.`,
  needs: 'nothing',
  options: {
    from: { value: text('url'), about: 'sqlite:<file>. Default the database of `stint dev` here.' },
    to: { value: text('url'), about: 'postgres://…' },
    schema: { value: text('name'), about: 'The PostgreSQL schema. Default stint.' },
    dryRun: { short: 'n', about: 'Checks both databases, and moves nothing.' },
  },
  examples: [
    ['stint transfer --to postgres://localhost/app', 'What `stint dev` has made here.'],
    ['stint transfer --from sqlite:jobs.db --to postgres://localhost/app --dry-run', 'Checks whether it would work.'],
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
