import type { Client } from '../../client/client.ts'
import type { JsonObject } from '../../core/json.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { reference } from '../names.ts'
import { groupShape, memberShape } from '../shapes/records.ts'
import { choice, count, text } from '../values.ts'
import { follow } from '../watch/follow.ts'
import { lookAtGroup } from '../watch/watched.ts'
import { recordCommands, required } from './records.ts'

const group = { about: 'Its path or id.', complete: 'group' } as const

const create = command({
  name: 'group create',
  summary: 'Makes a group. Add jobs with `stint submit --group`, then seal it to let them run.',
  needs: 'server',
  prints: true,
  args: { path: { about: 'Its place in the tree.' } },
  options: {
    mode: {
      short: 'm',
      value: choice('parallel', 'sequential'),
      about: 'All at once, or one after the other. Default parallel.',
    },
    width: { value: count(), about: 'How many members of a parallel group may run at once.' },
    onFailure: {
      value: choice('stop', 'continue'),
      about: 'What a sequential group does when a member fails. Default stop.',
    },
    label: { value: text('text'), about: 'A name for people.' },
    finish: { value: text('type'), about: 'The type of a job to run when the group has ended.', complete: 'type' },
  },
  examples: [
    ['stint group create /reports/nightly --width 4', 'At most four at once.'],
    ['stint submit render -p day=monday --group /reports/nightly', 'A member.'],
    ['stint group seal /reports/nightly', 'Lets them run.'],
  ],
  run: async (call) => {
    const { mode = 'parallel', ...rest } = call.options
    const options = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as JsonObject
    const client = await call.client()
    call.print.one(await client.groups.create({ path: reference(call, call.args.path), mode, ...options }), groupShape)
  },
})

const members = command({
  name: 'group members',
  summary: 'Lists the members of a group, in their order.',
  needs: 'server',
  prints: true,
  args: { group },
  options: { limit: { value: count(1, 1_000), about: 'At most this many. Default 100.' } },
  examples: [['stint group members /reports/nightly', 'By path.']],
  run: async (call) => {
    const client = await call.client()
    const { id } = await required('group', client.groups, reference(call, call.args.group))
    const { items } = await client.groups.members(id, { limit: call.options.limit ?? 100 })
    call.print.list(items, memberShape)
  },
})

const cancel = command({
  name: 'group cancel',
  summary: 'Cancels all members that have not ended.',
  needs: 'server',
  prints: true,
  args: { group },
  options: { reason: { value: text('text'), about: 'Why, for the log.' } },
  examples: [['stint group cancel /reports/nightly', 'By path.']],
  run: async (call) => {
    const { reason } = call.options
    const client = await call.client()
    call.print.one(
      await client.groups.cancel(reference(call, call.args.group), reason === undefined ? {} : { reason }),
      groupShape,
    )
  },
})

const seal = command({
  name: 'group seal',
  summary: 'Lets the members of a group run. No more can be added.',
  needs: 'server',
  prints: true,
  args: { group },
  options: { wait: { short: 'w', about: 'Waits until all have ended; the exit code says whether they completed.' } },
  examples: [['stint group seal /reports/nightly --wait', 'With progress bars.']],
  run: async (call) => {
    const client = await call.client()
    const sealed = await client.groups.seal(reference(call, call.args.group))
    if (!call.options.wait) {
      call.print.one(sealed, groupShape)
      return
    }
    await follow([lookAtGroup(client, sealed.id)], { screen: call.terminal.err, signal: call.interrupted, keep: true })
    const ended = await required('group', client.groups, sealed.id)
    call.print.one(ended, groupShape)
    if (ended.status !== 'COMPLETED' && !call.interrupted.aborted) throw new Failure('failed', '')
  },
})

const reorder = command({
  name: 'group reorder',
  summary: 'Changes the order of the members that have not started.',
  needs: 'server',
  prints: true,
  args: { group, jobs: { about: 'All of them, in their new order.', many: true, complete: 'job' } },
  examples: [['stint group reorder /deploys/monday /deploys/b /deploys/a', 'First b, then a.']],
  run: async (call) => {
    const client = await call.client()
    const jobs = call.args.jobs.map((each) => reference(call, each))
    call.print.one(await client.groups.reorder(reference(call, call.args.group), jobs), groupShape)
  },
})

export const groupCommands = [
  ...recordCommands({ noun: 'group', shape: groupShape, api: (client: Client) => client.groups, hides: 'over' }),
  members,
  create,
  seal,
  cancel,
  reorder,
]
