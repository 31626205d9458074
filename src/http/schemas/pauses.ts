import { z } from 'zod'
import { path, shownInstant } from './common.ts'

/** A pause as the API shows it. */
export const pause = z
  .object({
    path: z.string().nullable(),
    type: z.string().nullable(),
    reason: z.string().nullable(),
    since: shownInstant,
  })
  .meta({ id: 'Pause' })

/** What is paused. That it is one of the two is a rule of the library. */
export const pauseTarget = z.strictObject({
  path: path.optional().meta({ description: 'A branch; or say `type`.' }),
  type: z.string().min(1).max(128).optional().meta({ description: 'A type of jobs, wherever they are.' }),
})

export const newPause = pauseTarget
  .extend({ reason: z.string().min(1).max(1_000).optional().meta({ description: 'For people.' }) })
  .meta({ id: 'NewPause' })
