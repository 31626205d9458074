import { z } from 'zod'
import { instant, json, path, shownInstant } from './common.ts'

/** A slot as the API shows it. */
export const slot = z
  .object({
    id: z.string().meta({ description: 'A SlotId.' }),
    path: z.string(),
    label: z.string().nullable(),
    status: z.enum(['OPEN', 'FILLED', 'FAILED']),
    value: json,
    error: z.string().nullable().meta({ description: 'Why it will never have a value.' }),
    filledBy: z.string().nullable(),
    dueAt: shownInstant.nullable().meta({ description: 'When it fills itself.' }),
    createdAt: shownInstant,
    settledAt: shownInstant.nullable(),
  })
  .meta({ id: 'Slot' })

export const newSlot = z
  .strictObject({
    path: path.meta({ description: 'Its place in the tree, `/reports/approval`.' }),
    label: z.string().min(1).max(255).optional().meta({ description: 'A name for people.' }),
    dueAt: instant.optional().meta({ description: 'When it fills itself. Without it somebody has to fill it.' }),
    value: json.optional().meta({ description: 'What it fills itself with. Default null.' }),
  })
  .refine(({ dueAt, value }) => dueAt !== undefined || value === undefined, {
    path: ['value'],
    error: 'is only for a slot that fills itself: give dueAt, too',
  })
  .meta({ id: 'NewSlot' })
