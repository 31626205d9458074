import type { Client } from '../../client/client.ts'
import type { RemoteEntry } from '../../client/views.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { placeOf, reference } from '../names.ts'
import { entryText } from '../output/entry-text.ts'
import type { Shape } from '../output/print.ts'
import type { Screen } from '../terminal.ts'
import { count, instant, json, text } from '../values.ts'
import { JobNames } from '../watch/job-names.ts'
import { missingJob } from './show.ts'

const shape: Pick<Shape<RemoteEntry>, 'name'> = { name: ({ eventId }) => eventId }

export const events = command({
  name: 'events',
  summary: 'Prints the log: everything that happened, in order.',
  needs: 'server',
  prints: true,
  args: { job: { about: 'Only what happened to this job.', optional: true, complete: 'job' } },
  options: {
    follow: { short: 'f', about: 'Keeps printing what happens from now on.' },
    type: { value: text('type'), about: 'Only this type, or types that begin like this: job.run.*' },
    path: { value: text('path'), about: 'Only at this name and below; with --follow.' },
    since: { value: instant('past'), about: 'Only since a time, or since this long ago (2h).' },
    limit: {
      value: count(1, 1_000_000),
      about: 'At most this many, the newest. Default 100; with --follow, none from before now.',
    },
  },
  examples: [
    ['stint events /reports/daily', 'The history of a job.'],
    ["stint events --follow --type 'job.run.*'", 'Every start and end, as they come.'],
    ['stint events --follow -o jsonl | jq .eventType', 'For programs.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const { follow, type, path, since, limit } = call.options
    const job = call.args.job === undefined ? undefined : reference(call, call.args.job)
    const names = new JobNames(client)
    const line = (entry: RemoteEntry, screen: Screen) => entryText(entry, names.of(entry), screen)
    const past = async () => {
      const entries = await newest(client, { job, type, since, limit: limit ?? 100 })
      if (call.print.isForPeople) await names.learn(entries)
      return entries
    }
    if (!follow) {
      if (path !== undefined) throw new Failure('usage', 'Only --follow looks at the --path; a job can be named alone.')
      const entries = await past()
      if (entries.length === 0 && job !== undefined && (await client.jobs.get(job)) === null) throw missingJob(job)
      call.print.lines(entries, shape, line)
      return
    }
    if (limit !== undefined || since !== undefined)
      for (const entry of await past()) call.print.item(entry, shape, line)
    const place = placeOf(call, path)
    const filter = {
      ...(type === undefined ? {} : { type }),
      ...(place === null ? {} : { path: place }),
      ...(job === undefined ? {} : { job }),
    }
    for await (const entry of client.events.stream({ ...filter, signal: call.interrupted })) {
      if (call.print.isForPeople) await names.learn([entry])
      call.print.item(entry, shape, line)
    }
  },
})

interface Wanted {
  readonly job: string | undefined
  readonly type: string | undefined
  readonly since: Date | undefined
  readonly limit: number
}

const pageMax = 1_000

/** The history of a job is read from its beginning, and the whole log, which may be very long, from its end. */
async function newest(client: Client, wanted: Wanted): Promise<readonly RemoteEntry[]> {
  const { job, type, since, limit } = wanted
  const pageSize = type === undefined ? Math.min(limit, pageMax) : pageMax
  const fits = (entry: RemoteEntry) =>
    isOfType(entry.eventType, type) && (since === undefined || entry.receivedAt >= since)
  const kept: RemoteEntry[] = []
  for await (const page of pagesOf(client, job, pageSize)) {
    kept.push(...page.filter(fits))
    if (job === undefined && (kept.length >= limit || page.some(({ receivedAt }) => isBefore(receivedAt, since)))) break
  }
  return job === undefined ? kept.slice(0, limit).reverse() : kept.slice(-limit)
}

async function* pagesOf(
  client: Client,
  job: string | undefined,
  limit: number,
): AsyncGenerator<readonly RemoteEntry[]> {
  const of = job === undefined ? { newestFirst: true } : { job }
  let cursor: string | null = null
  for (;;) {
    const page: Awaited<ReturnType<Client['events']['list']>> = await client.events.list({ ...of, cursor, limit })
    yield page.items
    // A key that sees a branch gets short pages of it, so only one that leads nowhere is the last.
    if (page.cursor === cursor || page.cursor === null) return
    cursor = page.cursor
  }
}

/** Entries are not quite in the order of their times: transactions that were long end later than they began. */
const slackMs = 60_000

function isBefore(at: Date, since: Date | undefined): boolean {
  return since !== undefined && at.getTime() < since.getTime() - slackMs
}

function isOfType(type: string, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

export const emit = command({
  name: 'emit',
  summary: 'Sends an event, for the jobs that wait for it and for the log.',
  needs: 'server',
  args: {
    type: { about: 'Its type: parcel.arrived.' },
    attributes: { about: 'What it says, as a JSON object.', optional: true, value: json },
  },
  options: {
    job: { short: 'j', value: text('job'), about: 'The job it is about.', complete: 'job' },
    id: { value: text('id'), about: 'Sending the same id again changes nothing. Default a new one.' },
    source: { value: text('source'), about: 'Where it comes from. Default stint.' },
  },
  examples: [
    [`stint emit parcel.arrived '{"parcel":1}' --job /parcels/order-7 --id parcel-1`, 'Lets it count for a job, once.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const { type, attributes = {} } = call.args
    const { job, id, source } = call.options
    const { outcome } = await client.events.append({
      type,
      attributes: attributes as NonNullable<Parameters<Client['events']['append']>[0]['attributes']>,
      ...(job === undefined ? {} : { job: reference(call, job) }),
      ...(id === undefined ? {} : { id }),
      ...(source === undefined ? {} : { source }),
    })
    call.say(`${type}: ${outcome}`)
  },
})
