import { command } from '../command.ts'
import { reference } from '../names.ts'
import { keyShape } from '../shapes/records.ts'
import { choice, instant, text } from '../values.ts'

const create = command({
  name: 'keys create',
  summary: 'Makes a key and prints it, this one time. Make the first one with --db.',
  needs: 'server',
  prints: true,
  args: { label: { about: 'A name for people: whose it is.' } },
  options: {
    role: { short: 'r', value: choice('read', 'submit', 'work', 'admin'), about: 'What it allows. Default submit.' },
    path: { value: text('path'), about: 'The branch it can reach. Default everything.' },
    expires: { value: instant('future'), about: 'When it stops working: a time, or 90d.' },
  },
  examples: [
    ['stint keys create me --role admin --db postgres://localhost/app', 'The first key, made on the database itself.'],
    ['stint keys create ci --role submit --path /ci --expires 90d', 'One that reaches a branch, for ninety days.'],
    ['export STINT_API_KEY=$(stint keys create me -o name)', 'Only the key itself.'],
  ],
  run: async (call) => {
    const { role = 'submit', path, expires } = call.options
    const client = await call.client()
    const about = {
      ...(path === undefined ? {} : { path: reference(call, path) }),
      ...(expires === undefined ? {} : { expiresAt: expires }),
    }
    const made = await client.keys.create({ label: call.args.label, role, ...about })
    // The key is what people want to copy: it stands alone on its line.
    call.print.one(made, { name: ({ key }) => key, sheet: ({ key }) => `${key}\n` })
    if (call.print.isForPeople) call.say('Keep it: it is shown this once. Use it with --api-key or STINT_API_KEY.')
  },
})

const list = command({
  name: 'keys list',
  summary: 'Lists keys, the newest first.',
  needs: 'server',
  prints: true,
  options: { all: { about: 'Includes revoked keys.' } },
  examples: [['stint keys list', 'Those in force.']],
  run: async (call) => {
    const client = await call.client()
    call.print.list((await client.keys.list(call.options.all ? { all: true } : {})).items, keyShape)
  },
})

const revoke = command({
  name: 'keys revoke',
  summary: 'Revokes a key. It stops working within two seconds.',
  needs: 'server',
  prints: true,
  args: { key: { about: 'Its id, not the key itself.' } },
  examples: [['stint keys revoke 01a1e795-d8cc-7159-a8ec-012799ea28d7', 'By id.']],
  run: async (call) => call.print.one(await (await call.client()).keys.revoke(call.args.key), keyShape),
})

export const keyCommands = [create, list, revoke]
