import type { Client } from '../../client/client.ts'
import type { JsonObject } from '../../core/json.ts'
import { command } from '../command.ts'
import { reference } from '../names.ts'
import { templateShape } from '../shapes/records.ts'
import { count, duration, json, pair, text } from '../values.ts'
import { recordCommands } from './records.ts'

const template = { about: 'Its path or id.', complete: 'template' } as const

const create = command({
  name: 'template create',
  summary: 'Makes a template: default params and settings for jobs of one type.',
  needs: 'server',
  prints: true,
  args: {
    path: { about: 'Its place in the tree.' },
    type: { about: 'The type of its jobs.', complete: 'type' },
  },
  options: {
    params: { value: json, about: 'Default params, as JSON.' },
    param: { short: 'p', value: pair, many: true, about: 'One of the params: who=Ada.' },
    paramsSchema: { value: json, about: 'A JSON Schema that the params of its jobs must fit: @schema.json.' },
    label: { value: text('text'), about: 'A name for people.' },
    description: { value: text('text'), about: 'What it is for.' },
    priority: { value: count(-2_147_483_648, 2_147_483_647), about: 'Higher runs sooner. Default 0.' },
    attemptTimeout: { value: duration, about: 'How long one attempt may take. Default no limit.' },
    maxAttempts: { value: count(), about: 'How often to try it. Default 4.' },
  },
  examples: [
    ['stint template create /mail/welcome mail -p subject=Welcome', 'Its jobs have a subject.'],
    ['stint submit --template /mail/welcome -p to=ada@example.com', 'Makes a job from it.'],
  ],
  run: async (call) => {
    const { params, param, paramsSchema, label, description, priority, attemptTimeout, maxAttempts } = call.options
    const all = { ...(params as JsonObject | undefined), ...Object.fromEntries(param) }
    const said = {
      ...{ label, description, priority, timeoutMs: attemptTimeout, schema: paramsSchema },
      params: Object.keys(all).length === 0 ? undefined : all,
      retry: maxAttempts === undefined ? undefined : { maxAttempts },
    }
    const options = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
    const client = await call.client()
    call.print.one(
      await client.templates.create({ path: reference(call, call.args.path), type: call.args.type, ...options }),
      templateShape,
    )
  },
})

export const templateCommands = [
  ...recordCommands({
    noun: 'template',
    shape: templateShape,
    api: (client: Client) => client.templates,
    hides: 'archived',
  }),
  create,
  ...(['activate', 'archive'] as const).map((verb) =>
    command({
      name: `template ${verb}`,
      summary:
        verb === 'activate'
          ? 'CREATED becomes ACTIVE, which its first use does, too.'
          : 'No more jobs are made of it, and its schedules stop.',
      needs: 'server',
      prints: true,
      args: { template },
      examples: [[`stint template ${verb} /mail/welcome`, 'By path.']],
      run: async (call) => {
        call.print.one(await (await call.client()).templates[verb](reference(call, call.args.template)), templateShape)
      },
    }),
  ),
]
