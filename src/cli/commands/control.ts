import type { Client } from '../../client/client.ts'
import type { PauseTarget } from '../../engine/gates-api.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { placeOf, reference } from '../names.ts'
import { jobShape } from '../shapes/job.ts'
import { limitShape, pauseShape, workerShape } from '../shapes/records.ts'
import { count, jsonOrText, text } from '../values.ts'

const target = {
  args: { path: { about: 'A branch: all jobs at this name and below.', optional: true, complete: 'job' } },
  type: { value: text('type'), about: 'A type of jobs, instead of a branch.', complete: 'type' },
} as const

type TargetCall = Parameters<typeof reference>[0] & {
  readonly args: { readonly path: string | undefined }
  readonly options: { readonly type: string | undefined }
}

function targetOf(call: TargetCall): PauseTarget {
  const { path } = call.args
  const { type } = call.options
  if ((path === undefined) === (type === undefined)) throw new Failure('usage', 'What? Say a path, or --type.')
  if (type !== undefined) return { type }
  const place = placeOf(call, path)
  if (place === null) throw new Failure('usage', 'Everything at once cannot be paused. Name a branch: /reports.')
  return { path: place }
}

const pause = command({
  name: 'pause',
  summary: 'Stops jobs of a branch or a type from starting. Running jobs carry on.',
  needs: 'server',
  args: target.args,
  options: { type: target.type, reason: { value: text('text'), about: 'Why, for people who wonder.' } },
  examples: [
    ["stint pause /reports --reason 'the printer is being repaired'", 'A branch.'],
    ['stint pause --type mail', 'A type.'],
  ],
  run: async (call) => {
    const { reason } = call.options
    const what = targetOf(call)
    await (await call.client()).pause(what, reason === undefined ? {} : { reason })
    call.say(`${describe(what)} is paused. \`stint resume\` lets it go on.`)
  },
})

const resume = command({
  name: 'resume',
  summary: 'Lets the jobs of a branch or a type start again.',
  needs: 'server',
  args: target.args,
  options: { type: target.type },
  examples: [['stint resume /reports', 'A branch.']],
  run: async (call) => {
    const what = targetOf(call)
    await (await call.client()).resume(what)
    call.say(`${describe(what)} goes on.`)
  },
})

function describe(what: PauseTarget): string {
  if (typeof what === 'string') return what
  return 'path' in what ? what.path : `Type ${what.type}`
}

const pauses = command({
  name: 'pauses',
  summary: 'Lists what is paused.',
  needs: 'server',
  prints: true,
  examples: [['stint pauses', 'All of it.']],
  run: async (call) => call.print.list((await (await call.client()).pauses.list()).items, pauseShape),
})

const workers = command({
  name: 'workers',
  summary: 'Lists the workers that are alive, and those lost within the last day.',
  needs: 'server',
  prints: true,
  examples: [['stint workers', 'All of them.']],
  run: async (call) => call.print.list((await (await call.client()).workers.list()).items, workerShape),
})

const limitList = command({
  name: 'limit list',
  summary: 'Lists limits and how full they are.',
  needs: 'server',
  prints: true,
  examples: [['stint limit list', 'All of them.']],
  run: async (call) => call.print.list((await (await call.client()).limits.list()).items, limitShape),
})

const limitSet = command({
  name: 'limit set',
  summary: 'Sets a limit for all attempts that start from now on.',
  needs: 'server',
  args: { key: { about: 'A key that jobs name, or a path: all jobs at it and below.' } },
  options: {
    concurrency: { short: 'c', value: count(), about: 'The most attempts at once.' },
    rate: { short: 'r', value: text('n/time'), about: 'The most starts within a time: 100/min, 5/s, 3/10s.' },
  },
  examples: [
    ['stint limit set customer:42 --concurrency 2', 'By key.'],
    ['stint limit set /reports --rate 100/min', 'A branch.'],
  ],
  run: async (call) => {
    const { concurrency, rate } = call.options
    if (concurrency === undefined && rate === undefined)
      throw new Failure('usage', 'What is the limit? Say --concurrency, --rate or both.')
    const settings = { ...(concurrency === undefined ? {} : { concurrency }), ...(rate === undefined ? {} : { rate }) }
    await (await call.client()).limits.set(call.args.key, settings)
    call.say(`${call.args.key} is limited.`)
  },
})

const limitRemove = command({
  name: 'limit remove',
  summary: 'Removes a limit.',
  needs: 'server',
  args: { key: { about: 'Its key.' } },
  examples: [['stint limit remove customer:42', 'By key.']],
  run: async (call) => {
    await (await call.client()).limits.remove(call.args.key)
    call.say(`${call.args.key} is not limited any more.`)
  },
})

const answered = { about: 'Its name or id.', complete: 'job' } as const

const complete = command({
  name: 'complete',
  summary: 'Completes a job that waits for an answer from outside.',
  needs: 'server',
  prints: true,
  args: { job: answered, result: { about: 'JSON, or text. Default null.', optional: true } },
  examples: [[`stint complete /payments/order-7 '{"receipt":"R-99"}'`, 'What it waited for has come.']],
  run: async (call) => {
    const { job, result } = call.args
    const client = await call.client()
    const view = await client.complete(
      { id: await idOf(client, reference(call, job)) },
      result === undefined ? null : jsonOrText(result),
    )
    call.print.list([view], jobShape)
  },
})

const fail = command({
  name: 'fail',
  summary: 'Fails an attempt from outside. The job is retried as usual.',
  needs: 'server',
  prints: true,
  args: { job: answered, error: { about: 'Why.' } },
  examples: [["stint fail /payments/order-7 'card declined'", 'The next attempt follows.']],
  run: async (call) => {
    const client = await call.client()
    const view = await client.fail({ id: await idOf(client, reference(call, call.args.job)) }, call.args.error)
    call.print.list([view], jobShape)
  },
})

/** Answers go by id, which belongs to one job; a name is free again after the end. */
async function idOf(client: Client, named: string): Promise<string> {
  const job = await client.jobs.get(named)
  if (job === null) throw new Failure('notFound', `There is no job ${named}.`)
  return job.id
}

export const answerCommands = [complete, fail]
export const controlCommands = [pause, resume, pauses, workers, limitList, limitSet, limitRemove]
