import type { Client } from '../../client/client.ts'
import type { JsonObject } from '../../core/json.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { reference } from '../names.ts'
import { agoText } from '../output/times.ts'
import { shapeOf } from '../shapes/fields.ts'
import { backfillShape, firedShape, scheduleShape } from '../shapes/records.ts'
import { choice, count, duration, instant, json, pair, text } from '../values.ts'
import { recordCommands } from './records.ts'

const schedule = { about: 'Its path or id.', complete: 'schedule' } as const
const zone = { short: 'z', value: text('zone'), about: 'An IANA zone: Europe/Berlin. Default UTC.' } as const

const create = command({
  name: 'schedule create',
  summary: 'Makes a schedule, which fires from now on.',
  needs: 'server',
  prints: true,
  args: { path: { about: 'Its place in the tree. Its jobs get names below it.' } },
  options: {
    cron: { short: 'c', value: text('cron'), about: "Five or six fields: '30 8 * * 1-5', or @daily." },
    every: { short: 'e', value: duration, about: 'An interval, instead of cron: 15m.' },
    zone,
    type: { value: text('type'), about: 'The type of its jobs.', complete: 'type' },
    template: {
      short: 't',
      value: text('path'),
      about: 'The template for its jobs, instead of a type.',
      complete: 'template',
    },
    params: { value: json, about: 'Params of its jobs, as JSON.' },
    param: { short: 'p', value: pair, many: true, about: 'One of the params: who=Ada.' },
    overlap: {
      value: choice('allow', 'skip', 'queue-one', 'cancel-running'),
      about: 'What to do while an earlier job has not ended. Default allow.',
    },
    catchUp: {
      value: choice('none', 'latest', 'all'),
      about: 'What to do about times missed while nothing was running. Default latest.',
    },
    jitter: { value: duration, about: 'Delays each job by a random part of this.' },
    label: { value: text('text'), about: 'A name for people.' },
    disabled: { about: 'Does not fire until `stint schedule enable`.' },
  },
  examples: [
    [
      "stint schedule create /reports/daily --cron '0 6 * * *' --zone Europe/Berlin --type report",
      'Every morning at six.',
    ],
    [
      'stint schedule create /mail/digest --every 15m --template /mail/digest-template --overlap skip',
      'Every quarter of an hour, never twice at once.',
    ],
  ],
  run: async (call) => {
    const client = await call.client()
    const {
      cron,
      every,
      zone: timezone,
      type,
      template,
      params,
      param,
      overlap,
      catchUp,
      jitter,
      label,
      disabled,
    } = call.options
    if ((cron === undefined) === (every === undefined))
      throw new Failure('usage', 'When does it fire? Say either --cron or --every.')
    if ((type === undefined) === (template === undefined))
      throw new Failure('usage', 'What does it make? Say either --type or --template.')
    const all = { ...(params as JsonObject | undefined), ...Object.fromEntries(param) }
    const said = {
      ...{ cron, intervalMs: every, timezone, type, template, overlap, catchUp, jitterMs: jitter, label },
      params: Object.keys(all).length === 0 ? undefined : all,
      enabled: disabled ? false : undefined,
    }
    const options = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
    call.print.one(await client.schedules.create({ path: reference(call, call.args.path), ...options }), scheduleShape)
  },
})

interface Fire {
  readonly at: string
}

/** Instants as the clocks of the schedule's zone show them, of this machine's if it is another, and of nobody's. */
function fireShape(zone: string) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  const timeIn = (timeZone: string) => (fire: Fire) => {
    const at = new Date(fire.at)
    return `${at.toLocaleDateString('en', { timeZone, weekday: 'short' })} ${at.toLocaleString('sv', { timeZone })}`
  }
  return shapeOf<Fire>({
    name: ({ at }) => at,
    none: 'It does not fire any more.',
    fields: [
      { title: zone, text: timeIn(zone), column: 'plain' },
      ...(here === zone ? [] : [{ title: 'here', text: timeIn(here), column: 'plain' } as const]),
      { title: 'instant', text: ({ at }) => at.replace('.000Z', 'Z'), column: 'plain' },
      { title: 'in', text: ({ at }) => agoText(new Date(at)), column: 'plain' },
    ],
  })
}

const preview = command({
  name: 'schedule preview',
  summary: 'Shows when a schedule fires next, or when one would.',
  details: 'With --cron or --every you can try out times without a schedule.',
  needs: 'server',
  prints: true,
  args: { schedule: { about: 'Its path or id.', optional: true, complete: 'schedule' } },
  options: {
    cron: { short: 'c', value: text('cron'), about: 'A cron expression to try out.' },
    every: { short: 'e', value: duration, about: 'An interval to try out.' },
    zone,
    count: { short: 'n', value: count(1, 1_000), about: 'How many. Default 10.' },
  },
  examples: [
    ['stint schedule preview /reports/daily', 'The next ten fires.'],
    ["stint schedule preview --cron '30 2 * * *' --zone America/New_York -n 3", 'In the time of another zone.'],
  ],
  run: async (call) => {
    const { cron, every, zone: timezone, count: number = 10 } = call.options
    const { schedule: named } = call.args
    if ((named === undefined) === (cron === undefined && every === undefined)) {
      throw new Failure('usage', 'Name a schedule, or give --cron or --every to try out.')
    }
    const show = (fires: readonly string[], { description, timezone: zone }: Described) => {
      if (call.print.isForPeople) call.say(description)
      call.print.list(
        fires.map((at) => ({ at })),
        fireShape(zone),
      )
    }
    if (named !== undefined) {
      const { schedules } = await call.client()
      const fires = await schedules.preview(reference(call, named), { count: number })
      const found = await schedules.get(reference(call, named))
      show(fires, found ?? { description: named, timezone: 'UTC' })
      return
    }
    const timing = {
      ...(cron === undefined ? { intervalMs: every } : { cron }),
      ...(timezone === undefined ? {} : { timezone }),
    }
    const [{ previewFires }, { describeTiming }, { parseTiming }] = await Promise.all([
      import('../../engine/preview-fires.ts'),
      import('../../core/schedule/describe.ts'),
      import('../../core/schedule/parse-timing.ts'),
    ])
    const fires = previewFires(timing as Parameters<typeof previewFires>[0], { count: number })
    const parsed = parseTiming(timing as Parameters<typeof parseTiming>[0])
    show(fires, { description: describeTiming(parsed), timezone: timezone ?? 'UTC' })
  },
})

interface Described {
  readonly description: string
  readonly timezone: string
}

const backfill = command({
  name: 'schedule backfill',
  summary: 'Makes the jobs of a time in the past.',
  details:
    'Times that fired before are left alone, unless --reprocess says otherwise. --dry-run shows what it would do.',
  needs: 'server',
  prints: true,
  args: { schedule },
  options: {
    from: { value: instant('past'), about: 'The first time, or how long ago (30d).' },
    to: { value: instant('past'), about: 'The last time. Default now.' },
    dryRun: { short: 'n', about: 'Only shows what it would do.' },
    reprocess: {
      value: choice('none', 'failed', 'all'),
      about: 'Which times to repeat although they fired before. Default none.',
    },
  },
  examples: [
    ['stint schedule backfill /reports/daily --from 30d --dry-run', 'What is missing from the last month.'],
    [
      'stint schedule backfill /reports/daily --from 2026-01-01 --to 2026-02-01 --reprocess failed',
      'January, and again what failed in it.',
    ],
  ],
  run: async (call) => {
    const { from, to = new Date(), dryRun, reprocess } = call.options
    if (from === undefined)
      throw new Failure(
        'usage',
        'From when on? Say --from.',
        'stint schedule backfill /reports/daily --from 30d --dry-run',
      )
    const client = await call.client()
    const how = { from, to, ...(dryRun ? { dryRun } : {}), ...(reprocess === undefined ? {} : { reprocess }) }
    const items = await client.schedules.backfill(reference(call, call.args.schedule), how)
    call.print.list(items, backfillShape)
    const made = items.filter(({ action }) => action !== 'keep').length
    if (call.print.isForPeople)
      call.say(dryRun ? `It would make ${made} jobs. Nothing was done.` : `${made} jobs were made.`)
  },
})

const trigger = command({
  name: 'schedule trigger',
  summary: 'Fires once, now, even if it is disabled.',
  needs: 'server',
  prints: true,
  args: { schedule },
  options: {
    overlap: { value: choice('allow', 'skip', 'queue-one', 'cancel-running'), about: 'Instead of its own setting.' },
  },
  examples: [['stint schedule trigger /reports/daily', 'Makes a job of it now.']],
  run: async (call) => {
    const { overlap } = call.options
    const client = await call.client()
    const fired = await client.schedules.trigger(
      reference(call, call.args.schedule),
      overlap === undefined ? {} : { overlap },
    )
    call.print.one(fired, firedShape)
    if (fired.outcome === 'refused') throw new Failure('conflict', fired.error ?? 'No job could be made.')
  },
})

export const scheduleCommands = [
  ...recordCommands({
    noun: 'schedule',
    shape: scheduleShape,
    api: (client: Client) => client.schedules,
    hides: 'deleted',
  }),
  create,
  preview,
  trigger,
  backfill,
  ...(['enable', 'disable', 'delete'] as const).map((verb) =>
    command({
      name: `schedule ${verb}`,
      summary: {
        enable: 'Lets it fire from now on.',
        disable: 'Lets it fire no more until it is enabled again.',
        delete: 'It never fires again. Its jobs stay.',
      }[verb],
      needs: 'server',
      prints: true,
      args: { schedule },
      examples: [[`stint schedule ${verb} /reports/daily`, 'By path.']],
      run: async (call) => {
        call.print.one(await (await call.client()).schedules[verb](reference(call, call.args.schedule)), scheduleShape)
      },
    }),
  ),
]
