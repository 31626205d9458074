import { catalogue } from '../../src/core/job/events.ts'
import { recordCatalogue } from '../../src/core/records/events.ts'
import { entryWords, jobEventWords, recordEventWords } from './event-words.ts'
import { code, generatedNote, page, table } from './markdown.ts'

export function eventsPage(): string {
  const jobEvents = (Object.keys(catalogue) as (keyof typeof catalogue)[]).flatMap((type) => {
    const { means, data } = jobEventWords[type]
    const rows = Object.entries(data).map(([name, words]) => [code(name), String(words)])
    return [`### ${type}`, means, rows.length === 0 ? '' : table(['Attribute', ''], rows)]
  })
  const recordEvents = (Object.keys(recordCatalogue) as (keyof typeof recordCatalogue)[]).map((type) => {
    return [code(type), recordEventWords[type]]
  })
  return page([
    '# Events',
    generatedNote,
    `The log is append-only, and the state of every job is derived from it. \`stint.events.list\`, \`GET /v1/events\`, [the stream](../stream.md), [webhooks](../webhooks.md)
and \`stint events\` all show the same entries.`,
    'Stint writes these types and no others, and refuses them from outside with `reserved_event_type`. Future versions may add types; existing names never change.',
    '## An entry',
    table(
      ['Field', ''],
      Object.entries(entryWords).map(([name, words]) => [code(name), words]),
    ),
    '## Events of jobs',
    'Each has the version of its job: 1, 2, 3 …, without gaps.',
    ...jobEvents,
    '## Events of templates, schedules, groups, slots, paths, keys and webhooks',
    table(['Type', 'What happened'], recordEvents),
    '## Events from outside',
    'You can add events of other types with `stint.events.append` or `POST /v1/events`, in any order, and send them again when in doubt: an event is known by its source and id, and counts once. A job can [wait for them](../recipes/approval.md#events-instead-of-a-person).',
  ])
}
