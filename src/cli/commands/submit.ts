import type { Client } from '../../client/client.ts'
import type { RemoteSubmitOptions } from '../../client/submission.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { JobView } from '../../engine/job-view.ts'
import { Slot } from '../../engine/slots/slot.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { fullName, ownJob, reference } from '../names.ts'
import { harmless } from '../output/text.ts'
import { jobShape, valueText } from '../shapes/job.ts'
import { statusOf, statusText } from '../shapes/status.ts'
import { choice, count, duration, instant, json, pair, text, textPair } from '../values.ts'
import { endText, requireCompleted, waitForJob } from '../watch/wait-for-job.ts'

export const submit = command({
  name: 'submit',
  summary: 'Submits a job. When this returns, the job is safely stored.',
  details: `Params are JSON, @file, - for stdin, or one by one with -p. With --wait the result goes to stdout and the exit
code says how the job ended. Inside a command job, relative names are below that job, and the new job is its child.`,
  needs: 'server',
  prints: true,
  args: {
    type: { about: 'The type of the job. Not needed with --template.', optional: true, complete: 'type' },
    params: { about: 'Its params, as JSON.', optional: true, value: json },
  },
  options: {
    param: { short: 'p', value: pair, many: true, about: 'One of its params: who=Ada, count=3, list=[1,2].' },
    name: { short: 'n', value: text('name'), about: 'Its name: /reports/daily. Made up if you give none.' },
    key: { value: text('key'), about: 'A key that only one live job of its type can have.' },
    wait: { short: 'w', about: 'Waits for the job to end, and prints its result.' },
    timeout: { value: duration, about: 'How long to wait. Default no limit.' },
    priority: { value: count(-2_147_483_648, 2_147_483_647), about: 'Higher runs sooner. Default 0.' },
    at: { value: instant('future'), about: 'When to run it: a time, or a duration from now (10m).' },
    expires: { value: instant('future'), about: 'Skips it if it has not started by then.' },
    label: { short: 'l', value: textPair, many: true, about: 'A label to find it by.' },
    maxAttempts: { value: count(), about: 'How often to try it. Default 4.' },
    attemptTimeout: { value: duration, about: 'How long one attempt may take. Default no limit.' },
    template: { short: 't', value: text('path'), about: 'The template to make it from.', complete: 'template' },
    group: { short: 'g', value: text('path'), about: 'The group to add it to.', complete: 'group' },
    after: { value: text('job'), many: true, about: 'A job or slot to wait for.', complete: 'job' },
    onConflict: {
      value: choice('error', 'keep', 'skip', 'replace'),
      about: 'What to do if a live job has the same name or key. Default error.',
    },
  },
  examples: [
    [`stint submit greet '{"who":"Ada"}' --wait`, 'Runs a job and prints its result.'],
    ['stint submit greet -p who=Ada --name /mail/ada', 'The same without quotes, and with a name.'],
    ['stint submit report --at 2h --priority 5', 'Runs in two hours, ahead of others.'],
    ['stint submit --template /mail/welcome -p to=ada@example.com', 'Makes a job from a template.'],
    ['cat order.json | stint submit bill - --key order-7 --on-conflict keep', 'At most one live job for an order.'],
  ],
  run: async (call) => {
    const { args, options, print } = call
    const client = await call.client()
    const params = merged(args.params, options.param)
    const job = await submitted(client, args.type, params, await submitOptions(client, call))
    if (!options.wait) {
      print.one(job, { ...jobShape, sheet: submittedText })
      return
    }
    call.say(`${call.terminal.err.colors.dim('submitted')} ${harmless(job.name)}`)
    const ended = await waitForJob(call, job, options.timeout)
    call.say(endText(ended, call.terminal.err))
    if (!print.isForPeople || ended.result !== null) print.one(ended, { ...jobShape, sheet: resultText })
    requireCompleted(ended)
  },
})

async function submitted(
  client: Client,
  type: string | undefined,
  params: Json | undefined,
  options: RemoteSubmitOptions,
): Promise<JobView> {
  if (type !== undefined) return shown(await client.submit(type, params, options))
  const { template, ...rest } = options
  if (template === undefined)
    throw new Failure('usage', 'What is to run? Say its type, or --template.', 'stint submit greet -p who=Ada')
  return shown(await client.templates.submit(template, params as JsonObject, rest))
}

/** A handle is the job with ways to wait for it, which are no data. */
function shown({ output: _, result: __, ...job }: Awaited<ReturnType<Client['submit']>>): JobView {
  return { ...job, result: null }
}

function merged(params: Json | undefined, pairs: readonly (readonly [string, Json])[]): Json | undefined {
  if (pairs.length === 0) return params
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params))) {
    throw new Failure('usage', '-p adds to params that are an object; these are none.')
  }
  return { ...params, ...Object.fromEntries(pairs) }
}

type SubmitCall = Parameters<typeof fullName>[0] & {
  readonly options: {
    readonly name: string | undefined
    readonly key: string | undefined
    readonly priority: number | undefined
    readonly at: Date | undefined
    readonly expires: Date | undefined
    readonly label: readonly (readonly [string, string])[]
    readonly maxAttempts: number | undefined
    readonly attemptTimeout: number | undefined
    readonly template: string | undefined
    readonly group: string | undefined
    readonly after: readonly string[]
    readonly onConflict: 'error' | 'keep' | 'skip' | 'replace' | undefined
  }
}

async function submitOptions(client: Client, call: SubmitCall): Promise<RemoteSubmitOptions> {
  const { options, env } = call
  const own = ownJob(env)
  const [jobId, token] = [env['STINT_JOB_ID'], env['STINT_TOKEN']]
  const said = {
    name: options.name === undefined ? undefined : fullName(call, options.name),
    key: options.key,
    priority: options.priority,
    scheduledFor: options.at,
    expiresAt: options.expires,
    labels: options.label.length === 0 ? undefined : Object.fromEntries(options.label),
    maxAttempts: options.maxAttempts,
    timeoutMs: options.attemptTimeout,
    template: options.template === undefined ? undefined : reference(call, options.template),
    group: options.group === undefined ? undefined : reference(call, options.group),
    after:
      options.after.length === 0
        ? undefined
        : await Promise.all(options.after.map((each) => awaited(client, call, each))),
    onConflict: options.onConflict,
    parent: own === null || jobId === undefined || token === undefined ? undefined : { jobId, token },
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
}

/** The output of a job or the value of a slot, whichever has the name. */
async function awaited(client: Client, call: SubmitCall, typed: string): Promise<Slot<unknown>> {
  const named = reference(call, typed)
  const found = (await client.jobs.get(named)) ?? (await client.slots.get(named))
  if (found === null) throw new Failure('notFound', `There is no job or slot ${named} to wait for.`)
  return new Slot(found.id, found.id.slice(found.id.lastIndexOf(':') + 1))
}

function submittedText(job: JobView, screen: Parameters<typeof jobShape.sheet>[1]): string {
  const { colors } = screen
  const why = job.reason === null ? '' : colors.dim(`  ${harmless(job.reason)}`)
  return `${statusText(statusOf(job), colors)}  ${harmless(job.name)}${why}\n`
}

/** Text is printed as it is, everything else as JSON. */
function resultText({ result }: Pick<JobView, 'result'>): string {
  return `${typeof result === 'string' ? result : valueText(result)}\n`
}
