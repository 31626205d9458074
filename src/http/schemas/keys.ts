import { z } from 'zod'
import { roles } from '../../core/access/key.ts'
import { instant, path, shownInstant, uuid } from './common.ts'

/** A key as the API shows it: never the key itself. */
export const key = z
  .object({
    id: uuid,
    label: z.string(),
    role: z.enum(roles),
    path: z.string().nullable().meta({ description: 'The branch that it reaches; null for everything.' }),
    createdAt: shownInstant,
    expiresAt: shownInstant.nullable(),
    revokedAt: shownInstant.nullable(),
  })
  .meta({ id: 'Key' })

/** What whoever asks may do. */
export const access = z
  .object({
    actor: z.string().meta({ description: 'Stands in the log with whatever they do.' }),
    role: z.enum(roles),
    path: z.string().nullable().meta({ description: 'The branch that they reach; null for everything.' }),
  })
  .meta({ id: 'Access' })

/** A key with what nobody is shown again. */
export const madeKey = key
  .extend({ key: z.string().meta({ description: 'What its owner sends. It is shown only here.' }) })
  .meta({ id: 'MadeKey' })

export const newKeyBody = z
  .strictObject({
    label: z.string().min(1).max(255).meta({ description: 'A name for people. It stands in the log.' }),
    role: z.enum(roles),
    path: path
      .nullable()
      .optional()
      .meta({ description: 'The branch that it reaches; null for everything. Default all that this call reaches.' }),
    expiresAt: instant.optional(),
  })
  .meta({ id: 'NewKey' })
