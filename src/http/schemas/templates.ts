import { z } from 'zod'
import { json, path, shownInstant, uuid } from './common.ts'
import { newJob } from './jobs.ts'
import { jsonObject, settingsFields, shownTextureFields } from './settings.ts'

/** A template as the API shows it. */
export const template = z
  .object({
    id: uuid,
    path: z.string(),
    status: z.enum(['CREATED', 'ACTIVE', 'ARCHIVED']),
    type: z.string(),
    label: z.string().nullable(),
    description: z.string().nullable(),
    schema: z.union([jsonObject, z.boolean()]).nullable(),
    version: z.int(),
    createdAt: shownInstant,
    updatedAt: shownInstant,
    ...shownTextureFields,
  })
  .meta({ id: 'Template' })

/** What can be said about a template, and changed. */
export const templateChanges = z
  .strictObject({
    label: z.string().min(1).max(255).nullable().optional().meta({ description: 'A name for people.' }),
    description: z.string().min(1).nullable().optional(),
    params: jsonObject.optional().meta({ description: 'What a job says is merged over them, by the first level.' }),
    schema: z
      .union([z.record(z.string(), json), z.boolean()])
      .nullable()
      .optional()
      .meta({ description: 'JSON Schema that the params of its jobs must fit.' }),
    ...settingsFields,
  })
  .meta({ id: 'TemplateChanges' })

export const newTemplate = templateChanges
  .extend({
    path: path.meta({ description: 'Its place in the tree, `/reports/daily`.' }),
    type: z.string().min(1).max(128).meta({ description: 'The type of its jobs.' }),
  })
  .meta({ id: 'NewTemplate' })

/** A job that is made of a template, which says its type. */
export const templateJob = newJob.omit({ type: true, template: true }).meta({ id: 'TemplateJob' })
