import type { Client } from '../../client/client.ts'
import { command } from '../command.ts'
import { reference } from '../names.ts'
import { slotShape } from '../shapes/records.ts'
import { jsonOrText, text } from '../values.ts'
import { recordCommands, required } from './records.ts'

const slot = { about: 'Its path or id.', complete: 'slot' } as const

const create = command({
  name: 'slot create',
  summary: 'Makes a slot that somebody has to fill.',
  needs: 'server',
  prints: true,
  args: { path: { about: 'Its place in the tree.' } },
  options: { label: { value: text('text'), about: 'The question, for people.' } },
  examples: [["stint slot create /deploys/monday/approval --label 'May we deploy?'", 'Jobs wait for it with --after.']],
  run: async (call) => {
    const { label } = call.options
    const client = await call.client()
    const { id } = await client.slots.create(reference(call, call.args.path), label === undefined ? {} : { label })
    call.print.one(await required('slot', client.slots, id), slotShape)
  },
})

const fill = command({
  name: 'slot fill',
  summary: 'Fills a slot. Filling it again with another value is refused.',
  needs: 'server',
  prints: true,
  args: { slot, value: { about: 'JSON, or text. Default null.', optional: true } },
  examples: [['stint slot fill /deploys/monday/approval true', 'Those who wait for it go on.']],
  run: async (call) => {
    const client = await call.client()
    const { value } = call.args
    call.print.one(
      await client.slots.fill(reference(call, call.args.slot), value === undefined ? null : jsonOrText(value)),
      slotShape,
    )
  },
})

const fail = command({
  name: 'slot fail',
  summary: 'Says that a slot will never have a value, so that nobody waits for it any longer.',
  needs: 'server',
  prints: true,
  args: { slot, error: { about: 'Why.' } },
  examples: [["stint slot fail /deploys/monday/approval 'not today'", 'What waited for it is skipped.']],
  run: async (call) => {
    const client = await call.client()
    call.print.one(await client.slots.fail(reference(call, call.args.slot), call.args.error), slotShape)
  },
})

export const slotCommands = [
  ...recordCommands({
    noun: 'slot',
    shape: slotShape,
    api: (client: Client) => client.slots,
    hides: 'at paths that others have since',
  }),
  create,
  fill,
  fail,
]
