import type { SegmentView } from '../../engine/events-api.ts'
import { command } from '../command.ts'
import { openDatabase } from '../database.ts'
import { Failure } from '../exit.ts'
import { timeText } from '../output/times.ts'
import { shapeOf } from '../shapes/fields.ts'
import { text } from '../values.ts'

const shape = shapeOf<SegmentView>({
  name: ({ file }) => file,
  none: 'Nothing was archived yet.',
  fields: [
    { title: 'file', text: ({ file }) => file, column: 'plain' },
    { title: 'entries', text: ({ count }) => String(count), column: 'right' },
    { title: 'from', text: ({ firstAt }) => timeText(firstAt), column: 'plain' },
    { title: 'to', text: ({ lastAt }) => timeText(lastAt), column: 'plain' },
    { title: 'archived', text: ({ archivedAt }) => timeText(archivedAt), column: 'plain' },
  ],
})

export const archive = command({
  name: 'archive',
  summary: 'Moves old entries of the log to compressed files, and lists the files.',
  details: `The retention of each path says how long entries stay; by default for ever. Workers with an archive directory do this by
themselves. --read checks a file and prints its entries.`,
  needs: 'database',
  prints: true,
  options: {
    directory: {
      short: 'd',
      value: text('directory'),
      about: 'Where the files are. Default STINT_ARCHIVE_DIRECTORY, stint.config.',
    },
    list: { about: 'Only lists the files.' },
    read: { value: text('file'), about: 'Prints the entries of a file, a line of JSON each.' },
  },
  examples: [
    ['stint archive --directory ./archive', 'Archives what is old enough.'],
    ['stint archive --read events-1-5000-0123456789abcdef.ndjson.gz | jq .eventType', 'Reads a file.'],
  ],
  run: async (call) => {
    const { options, settings, common, print } = call
    const { list, read } = options
    const directory = settings.get('archiveDirectory', options.directory)?.value
    if (directory === undefined && !list) throw new Failure('usage', 'Where are the files? Say --directory.')
    const stint = await openDatabase(
      { ...settings, get: (name, flag) => settings.get(name, name === 'archiveDirectory' ? options.directory : flag) },
      common,
    )
    try {
      if (read !== undefined) {
        for await (const entry of stint.events.readSegment(read)) call.terminal.out.write(`${JSON.stringify(entry)}\n`)
        return
      }
      if (!list) call.say(`${await stint.events.archive()} entries were moved to ${directory}.`)
      print.list((await stint.events.archived({ limit: 1_000 })).items, shape)
    } finally {
      await stint.close()
    }
  },
})
