import { z } from 'zod'
import { shownRate } from './settings.ts'

/** A limit as the API shows it, with how full it is. */
export const limit = z
  .object({
    key: z.string(),
    concurrency: z.int().nullable(),
    rate: shownRate.nullable(),
    held: z.int().meta({ description: 'How many attempts hold it now.' }),
    started: z.int().meta({ description: 'How many have started within the time of its rate.' }),
    waiting: z.int().meta({ description: 'How many jobs wait at it.' }),
  })
  .meta({ id: 'Limit' })

const key = z
  .string()
  .min(1)
  .max(255)
  .meta({ description: 'One that begins with a slash is a path, and holds for every job at it or below.' })

export const limitKey = z.strictObject({ key })

export const newLimit = z
  .strictObject({
    key,
    concurrency: z
      .int()
      .min(0)
      .nullable()
      .optional()
      .meta({ description: 'The most attempts that may be open at once; null for any number.' }),
    rate: z
      .string()
      .max(40)
      .nullable()
      .optional()
      .meta({ description: 'The most attempts that may start within a time, such as `100/min` or `3/10s`.' }),
  })
  .meta({ id: 'NewLimit' })
