import { z } from 'zod'
import { instant, path, shownInstant, uuid } from './common.ts'
import { jsonObject, settingsFields, shownTextureFields } from './settings.ts'

const overlap = z.enum(['allow', 'skip', 'queue-one', 'cancel-running'])

const timingFields = {
  cron: z
    .string()
    .max(1_000)
    .nullable()
    .optional()
    .meta({ description: '5 fields, or 6 with the seconds first, or a name such as `@daily`. Or say `intervalMs`.' }),
  intervalMs: z.int().min(1).nullable().optional(),
  anchor: instant
    .nullable()
    .optional()
    .meta({ description: 'An instant from which all fires of an interval are counted.' }),
  timezone: z.string().max(255).nullable().optional().meta({ description: 'Such as `Europe/Berlin`. Default UTC.' }),
  gap: z.enum(['shift', 'skip']).nullable().optional().meta({
    description:
      'What becomes of a local time that clocks are set forward over. Default `shift`: the first moment after.',
  }),
  fold: z.enum(['first', 'second', 'both']).nullable().optional().meta({
    description: 'Which to take of a local time that comes twice. Default `first`.',
  }),
  startAt: instant.nullable().optional().meta({ description: 'No fire before.' }),
  endAt: instant.nullable().optional().meta({ description: 'No fire after.' }),
  excludedDates: z
    .array(z.string())
    .nullable()
    .optional()
    .meta({ description: 'Local dates, `2026-12-24`, on which nothing fires.' }),
}

/** Either all settings of a mode, or its name. */
const catchUp = z.union([
  z.enum(['none', 'latest', 'all']),
  z.strictObject({
    mode: z.literal('all'),
    windowMs: z.int().min(1).optional(),
    max: z.int().min(1).max(1_000).optional(),
  }),
  z.strictObject({ mode: z.enum(['none', 'latest']) }),
])

/** A schedule as the API shows it. */
export const schedule = z
  .object({
    id: uuid,
    path: z.string(),
    label: z.string().nullable(),
    templateId: uuid.nullable(),
    type: z.string().nullable(),
    status: z.enum(['CREATED', 'ENABLED', 'DISABLED', 'DELETED']),
    enabled: z.boolean(),
    blocked: z.string().nullable().meta({ description: 'Why it stopped by itself.' }),
    cron: z.string().nullable(),
    intervalMs: z.int().nullable(),
    anchor: shownInstant.nullable(),
    timezone: z.string(),
    gap: z.enum(['shift', 'skip']),
    fold: z.enum(['first', 'second', 'both']),
    startAt: shownInstant.nullable(),
    endAt: shownInstant.nullable(),
    excludedDates: z.array(z.string()),
    description: z.string().meta({ description: 'When it fires, in words.' }),
    overlap,
    catchUp: z.union([
      z.object({ mode: z.literal('all'), windowMs: z.int(), max: z.int() }),
      z.object({ mode: z.enum(['none', 'latest']) }),
    ]),
    jitterMs: z.int(),
    overrides: z.object(shownTextureFields).meta({ description: 'What its jobs have over the template.' }),
    lastTriggeredAt: shownInstant.nullable(),
    nextTriggerAt: shownInstant.nullable(),
    createdAt: shownInstant,
    updatedAt: shownInstant,
  })
  .meta({ id: 'Schedule' })

/** What can be said about a schedule, and changed. */
export const scheduleChanges = z
  .strictObject({
    ...timingFields,
    label: z.string().min(1).max(255).nullable().optional().meta({ description: 'A name for people.' }),
    template: z
      .string()
      .max(1_000)
      .nullable()
      .optional()
      .meta({ description: 'What its jobs are made of: a template, by id or path; or say `type`.' }),
    type: z.string().min(1).max(128).nullable().optional().meta({ description: 'The type of its jobs.' }),
    params: jsonObject.optional().meta({ description: 'Merged over those of the template by their first level.' }),
    overlap: overlap
      .optional()
      .meta({ description: 'What becomes of a fire while a job of an earlier one lives. Default `allow`.' }),
    catchUp: catchUp
      .optional()
      .meta({ description: 'What becomes of instants that passed while nobody was there. Default `latest`.' }),
    jitterMs: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Jobs are put off by up to so long, each by its own share. Default 0.' }),
    ...settingsFields,
  })
  .meta({ id: 'ScheduleChanges' })

export const newSchedule = scheduleChanges
  .extend({
    path: path.meta({ description: 'Its place in the tree. Its jobs are named below it, by their instants.' }),
    enabled: z.boolean().optional().meta({ description: 'Default true.' }),
  })
  .meta({ id: 'NewSchedule' })

export const trigger = z.strictObject({ overlap: overlap.optional() })

export const fired = z
  .object({
    at: shownInstant,
    jobId: uuid.nullable(),
    outcome: z.enum(['created', 'skipped', 'refused']),
    error: z.string().nullable(),
  })
  .meta({ id: 'Fired' })

export const backfill = z.strictObject({
  from: instant,
  to: instant,
  reprocess: z
    .enum(['none', 'failed', 'all'])
    .optional()
    .meta({ description: 'What happens to instants that fired before. Default none.' }),
  dryRun: z.boolean().optional().meta({ description: 'Only tells what it would do. Default false.' }),
})

export const backfilled = z
  .object({
    at: shownInstant,
    action: z.enum(['run', 'again', 'keep']),
    jobId: uuid.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Backfilled' })

export const preview = z.strictObject({
  ...timingFields,
  count: z.int().min(1).max(1_000).optional().meta({ description: 'At most so many. Default 10.' }),
  from: instant.optional().meta({ description: 'Only later ones. Default now.' }),
  until: instant.optional().meta({ description: 'Only up to then. Default any.' }),
})

const clockChange = z
  .object({
    at: shownInstant,
    beforeMs: z.int().meta({ description: 'What is added to UTC before.' }),
    afterMs: z.int(),
    effect: z.enum(['none', 'shifted', 'skipped', 'first', 'second', 'both']).meta({
      description:
        'What becomes of fires at local times that clocks are set forward over; or which fires of a local time that comes twice.',
    }),
    localTime: z.string().nullable().meta({ description: 'The first that it concerns, `2027-03-28T02:30:00`.' }),
  })
  .meta({ id: 'ClockChange' })

export const fires = z
  .object({
    description: z.string().meta({ description: 'When it fires, in words.' }),
    fires: z.array(shownInstant),
    changes: z
      .array(clockChange)
      .meta({ description: 'When the clocks of its zone are changed meanwhile, within the first two years.' }),
  })
  .meta({ id: 'Fires' })
