import { join } from 'node:path'
import { environmentRows } from './environment.ts'
import { type Field, fieldsOf } from './interface-fields.ts'
import { code, generatedNote, page, table } from './markdown.ts'

interface Section {
  readonly title: string
  readonly words: string
  /** Fields that are not for those who read this. */
  readonly without?: readonly string[]
  /** All may be left out, whatever the interface says. */
  readonly isPartial?: true
  /** Files and the interfaces in them, in the order in which they are shown. */
  readonly of: readonly (readonly [file: string, name: string])[]
}

const sections: readonly Section[] = [
  {
    title: 'createStint',
    words: 'Opens a database. `stint.close()` closes it.',
    of: [
      ['src/engine/open-store.ts', 'StoreOptions'],
      ['src/engine/create-stint.ts', 'StintOptions'],
    ],
  },
  {
    title: 'stint.worker',
    words: 'Runs jobs from `start()` to `stop({ graceMs })`.',
    of: [['src/engine/worker/worker-settings.ts', 'WorkerOptions']],
  },
  {
    title: 'worker.stop',
    words:
      'The worker takes no new jobs. Running jobs have the grace time to finish, and the rest is given back without counting as an attempt.',
    of: [['src/engine/worker/worker.ts', 'StopOptions']],
  },
  {
    title: 'defineJob',
    words: 'Beside `run` (the handler) and `params` (any Standard Schema).',
    of: [['src/engine/handler.ts', 'JobDefaults']],
  },
  {
    title: 'retry',
    words: 'For a definition, a template, a path or a submission. Everything you leave out has its default.',
    isPartial: true,
    of: [['src/core/job/job.ts', 'RetryPolicy']],
  },
  {
    title: 'stint.submit',
    words: 'The third argument of `submit`. See [concepts](../concepts.md) for what the words mean.',
    of: [
      ['src/engine/submit-options.ts', 'SubmitOptions'],
      ['src/engine/slots/take-slots.ts', 'NeedOptions'],
    ],
  },
  {
    title: 'startServer',
    words: '`stint/server`. See [the server](../server.md).',
    without: ['isOpen'],
    of: [
      ['src/http/server.ts', 'ServerOptions'],
      ['src/http/app.ts', 'AppOptions'],
    ],
  },
  {
    title: 'webhooks',
    words: 'An option of `startServer`. See [webhooks](../webhooks.md).',
    of: [
      ['src/http/webhooks/target.ts', 'TargetPolicy'],
      ['src/http/webhooks/send.ts', 'SendOptions'],
      ['src/http/webhooks/delivery.ts', 'DeliveryOptions'],
      ['src/http/webhooks/webhooks.ts', 'WebhookOptions'],
    ],
  },
  { title: 'connect', words: '`stint/client`.', of: [['src/client/transport.ts', 'ConnectOptions']] },
  {
    title: 'createTestStint',
    words:
      'From `stint/testing`: these options, and those of `createStint` except the clock. See [the recipe](../recipes/testing.md).',
    of: [['src/testing/test-stint.ts', 'TestStintOptions']],
  },
]

export function configPage(root: string): string {
  return page([
    '# Configuration',
    generatedNote,
    'Unless it is marked as required, every option has a default. A wrong value is refused at once, with `invalid_argument`. Options whose names end in `Ms` are in milliseconds.',
    ...sections.flatMap(({ title, words, of, without = [], isPartial = false }) => {
      const all = unique(of.flatMap(([file, name]) => fieldsOf(join(root, file), name)))
      const shown = all.filter(({ name }) => !without.includes(name))
      const rows = shown.map((field) => fieldRow(isPartial ? { ...field, isOptional: true } : field))
      return [`## ${title}`, words, table(['Option', 'Type', 'What it is'], rows)]
    }),
    '## Environment variables',
    table(['Variable', 'Read by', 'What it is'], environmentRows(root)),
  ])
}

/** What an interface says anew of a field that it takes over is said once, by the first. */
function unique(fields: readonly Field[]): readonly Field[] {
  return [...new Map(fields.toReversed().map((field) => [field.name, field])).values()].toReversed()
}

function fieldRow({ name, isOptional, type, words }: Field): readonly string[] {
  return [`${code(name)}${isOptional ? '' : ', required'}`, code(type), words]
}
