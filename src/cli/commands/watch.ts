import type { Client } from '../../client/client.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { branchOf, reference } from '../names.ts'
import { changeText, follow } from '../watch/follow.ts'
import { type Look, lookAtBranch, lookAtGroup, lookAtJob } from '../watch/watched.ts'

export const watch = command({
  name: 'watch',
  summary: 'Shows the progress of jobs, groups and shards until they have ended.',
  details:
    'Without a name it shows everything that runs, until Ctrl-C. Without a terminal it prints a line for each change.',
  needs: 'server',
  prints: true,
  args: {
    what: {
      about: 'Names or ids of jobs or groups, or a branch: /reports/**.',
      many: true,
      optional: true,
      complete: 'job',
    },
  },
  examples: [
    ['stint watch /reports/yearly', 'One job, or a group, with its members.'],
    ["stint watch '/reports/**'", 'Everything that runs in a branch.'],
    ['stint watch', 'Everything that runs.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const { args, terminal, print } = call
    const looks = await Promise.all(args.what.map((each) => lookAt(client, each, reference(call, each))))
    const things = await follow(looks.length === 0 ? [lookAtBranch(client, null)] : looks, {
      screen: print.isForPeople ? terminal.out : { ...terminal.out, isTerminal: false },
      signal: call.interrupted,
      keep: true,
      onChange: (thing) => print.item(thing, { name: ({ name }) => name }, changeText),
    })
    const failed = things.filter(({ isOver, status }) => isOver && status !== 'COMPLETED')
    if (failed.length > 0) throw new Failure('failed', '')
  },
})

/** A job, a group or a branch, whichever has the name. */
async function lookAt(client: Client, typed: string, named: string): Promise<Look> {
  const branch = branchOf(typed)
  if (branch !== null) return lookAtBranch(client, branch)
  if ((await client.groups.get(named)) !== null) return lookAtGroup(client, named)
  const job = await client.jobs.get(named)
  if (job !== null) return lookAtJob(client, job.id)
  throw new Failure(
    'notFound',
    `There is no job or group ${named}.`,
    `All that runs below it: stint watch '${named}/**'`,
  )
}
