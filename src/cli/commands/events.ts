import type { Client } from '../../client/client.ts'
import type { RemoteEntry } from '../../client/views.ts'
import { command } from '../command.ts'
import { reference } from '../names.ts'
import type { Shape } from '../output/print.ts'
import { harmless } from '../output/text.ts'
import { timeText } from '../output/times.ts'
import type { Screen } from '../terminal.ts'
import { count, instant, json, text } from '../values.ts'

const shape: Pick<Shape<RemoteEntry>, 'name'> = { name: ({ eventId }) => eventId }

export const events = command({
  name: 'events',
  summary: 'Prints the log: everything that happened, in order.',
  needs: 'server',
  prints: true,
  args: { job: { about: 'Only what happened to this job.', optional: true, complete: 'job' } },
  options: {
    follow: { short: 'f', about: 'Goes on with what happens from now on.' },
    type: { value: text('type'), about: 'Only this type, or those that begin so: job.run.*' },
    path: { value: text('path'), about: 'Only at this name and below; with --follow.' },
    since: { value: instant('past'), about: 'Only since a time, or since so long ago (2h).' },
    limit: {
      value: count(1, 1_000_000),
      about: 'At most so many, the newest. Default 100; with --follow none before now.',
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
    const write = (entry: RemoteEntry) => call.print.item(entry, shape, entryText)
    if (!follow || limit !== undefined || since !== undefined) {
      for (const entry of await newest(client, { job, type, since, limit: limit ?? 100 })) write(entry)
    }
    if (!follow) return
    const filter = {
      ...(type === undefined ? {} : { type }),
      ...(path === undefined ? {} : { path: reference(call, path) }),
      ...(job === undefined ? {} : { job }),
    }
    for await (const entry of client.events.stream({ ...filter, signal: call.interrupted })) write(entry)
  },
})

interface Wanted {
  readonly job: string | undefined
  readonly type: string | undefined
  readonly since: Date | undefined
  readonly limit: number
}

/** The log is read from its beginning, so what is kept is the end of what was read. */
async function newest(client: Client, { job, type, since, limit }: Wanted): Promise<readonly RemoteEntry[]> {
  let kept: RemoteEntry[] = []
  let cursor: string | null = null
  for (;;) {
    const page: Awaited<ReturnType<Client['events']['list']>> = await client.events.list({
      cursor,
      limit: 1_000,
      ...(job === undefined ? {} : { job }),
    })
    kept.push(
      ...page.items.filter(
        (entry) => isOfType(entry.eventType, type) && (since === undefined || entry.receivedAt >= since),
      ),
    )
    if (kept.length > limit * 2) kept = kept.slice(-limit)
    if (page.items.length < 1_000 || page.cursor === null) return kept.slice(-limit)
    cursor = page.cursor
  }
}

function isOfType(type: string, wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

function entryText(entry: RemoteEntry, { colors }: Screen): string {
  const { eventType, occurredAt, jobId, namespace, attributes, version, actor } = entry
  const of = jobId ?? String(attributes['path'] ?? `/${namespace}`)
  const who = actor === null ? '' : ` ${colors.dim(`by ${harmless(actor)}`)}`
  const place = version === null ? '' : `#${version}`
  const said = harmless(JSON.stringify(attributes))
  return `${colors.dim(timeText(occurredAt))} ${colors.cyan(eventType.padEnd(20))} ${harmless(of)}${place}${who} ${colors.dim(said.length > 200 ? `${said.slice(0, 200)}…` : said)}`
}

export const emit = command({
  name: 'emit',
  summary: 'Records an event from outside, for jobs that await it and for the log.',
  needs: 'server',
  args: {
    type: { about: 'Its type: parcel.arrived.' },
    attributes: { about: 'What it says, as a JSON object.', optional: true, value: json },
  },
  options: {
    job: { short: 'j', value: text('job'), about: 'The job that it concerns.', complete: 'job' },
    id: { value: text('id'), about: 'Unique for its source: a second delivery changes nothing. Default made up.' },
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
