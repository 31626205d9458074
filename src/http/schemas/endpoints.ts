import { z } from 'zod'
import { shownInstant } from './common.ts'

/** Where a running job is found. */
export const endpoint = z
  .object({
    name: z.string(),
    url: z.string(),
    job: z.string().meta({ description: 'The name of the job.' }),
    registeredAt: shownInstant,
  })
  .meta({ id: 'Endpoint' })
