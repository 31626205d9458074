import { z } from 'zod'
import { path, shownInstant } from './common.ts'

export const webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    path: z.string().nullable().meta({ description: 'The branch whose events it gets; null for everything.' }),
    types: z.array(z.string()),
    label: z.string().nullable(),
    status: z.enum(['ACTIVE', 'DISABLED']),
    reason: z.string().nullable().meta({ description: 'Why it is disabled.' }),
    failures: z.int().meta({ description: 'How many messages in a row could not be delivered.' }),
    rotatingUntil: shownInstant.nullable().meta({ description: 'Until when the secret before signs, too.' }),
    createdAt: shownInstant,
    updatedAt: shownInstant,
  })
  .meta({ id: 'Webhook' })

export const webhookWithSecret = webhook
  .extend({ secret: z.string().meta({ description: 'What messages are signed with. It is not shown again.' }) })
  .meta({ id: 'WebhookWithSecret' })

const fields = {
  url: z.string().min(1).max(2_048),
  types: z
    .array(z.string().min(1).max(255))
    .min(1)
    .max(100)
    .meta({ description: 'Names, beginnings such as `job.run.*`, or `*`. Default how runs ended.' }),
  label: z.string().min(1).max(255).nullable(),
}

export const newWebhook = z
  .strictObject({
    url: fields.url,
    path: path.nullable().optional().meta({ description: 'Default all that the key reaches.' }),
    types: fields.types.optional(),
    label: fields.label.optional(),
  })
  .meta({ id: 'NewWebhook' })

export const webhookChanges = z.strictObject({
  url: fields.url.optional(),
  types: fields.types.optional(),
  label: fields.label.optional(),
  status: z
    .enum(['ACTIVE', 'DISABLED'])
    .optional()
    .meta({ description: 'What happens while it is disabled is not told later.' }),
})

export const delivery = z
  .object({
    id: z.string(),
    messageId: z.string().meta({ description: 'The `webhook-id` that the receiver gets.' }),
    type: z.string(),
    status: z.enum(['PENDING', 'DELIVERED', 'FAILED', 'CANCELLED']),
    attempts: z.int(),
    responseStatus: z.int().nullable(),
    error: z.string().nullable(),
    redeliveryOf: z.string().nullable(),
    nextAttemptAt: shownInstant.nullable(),
    createdAt: shownInstant,
    finishedAt: shownInstant.nullable(),
  })
  .meta({ id: 'Delivery' })

export const deliveryDetails = delivery
  .extend({
    body: z.string().meta({ description: 'Exactly what was signed and sent.' }),
    log: z.array(
      z.object({
        attempt: z.int(),
        startedAt: shownInstant.nullable(),
        finishedAt: shownInstant.nullable(),
        responseStatus: z.int().nullable(),
        detail: z.string().nullable().meta({ description: 'The beginning of the answer, or why there was none.' }),
      }),
    ),
  })
  .meta({ id: 'DeliveryDetails' })
