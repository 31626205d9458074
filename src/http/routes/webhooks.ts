import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { pageOf, requestOf } from '../../engine/record-pages.ts'
import type { Stint } from '../../engine/stint.ts'
import type { WebhookRow } from '../../store/controls.ts'
import { missingRecord } from '../../store/missing.ts'
import { idOnce } from '../idempotency.ts'
import { type Route, route } from '../route.ts'
import { page, pageQuery } from '../schemas/common.ts'
import {
  delivery,
  deliveryDetails,
  newWebhook,
  webhook,
  webhookChanges,
  webhookWithSecret,
} from '../schemas/webhooks.ts'
import { newSecret } from '../webhooks/sign.ts'
import { defined } from './common.ts'

const tag = 'Webhooks'

const byId = z.strictObject({ webhook: z.uuid() })
const byDelivery = byId.extend({ delivery: z.uuid() })

/** How long a receiver has to learn a new secret. */
const rotationMs = 24 * 3_600_000

export const webhookRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/webhooks',
    id: 'createWebhook',
    tag,
    summary: 'Makes a webhook. Its secret is shown this once.',
    role: 'admin',
    body: newWebhook,
    status: 201,
    response: webhookWithSecret,
    isSecret: true,
    run: async ({ stint, access, services, body }) => {
      const { path: scope = access.path, ...about } = body
      await services.webhooks.requireTarget(body.url)
      const secret = newSecret()
      const made = { ...defined(about), id: randomUUID(), scope, secret }
      return { ...viewOf(await stint.store.control('webhook.create', made)), secret }
    },
  }),
  route({
    method: 'get',
    path: '/webhooks',
    id: 'listWebhooks',
    tag,
    summary: 'Webhooks, the newest first.',
    role: 'read',
    query: z.strictObject(pageQuery),
    response: page(webhook),
    run: async ({ stint, query }) => {
      const { before = null, limit } = requestOf(defined(query))
      return pageOf(await stint.store.control('webhook.list', { before, limit }), viewOf)
    },
  }),
  route({
    method: 'get',
    path: '/webhooks/{webhook}',
    id: 'getWebhook',
    tag,
    summary: 'A webhook.',
    role: 'read',
    params: byId,
    response: webhook,
    run: async ({ stint, params }) => viewOf(await requireWebhook(stint, params.webhook)),
  }),
  route({
    method: 'patch',
    path: '/webhooks/{webhook}',
    id: 'changeWebhook',
    tag,
    summary: 'Changes a webhook, disables it, or enables it again.',
    role: 'admin',
    params: byId,
    body: webhookChanges,
    response: webhook,
    run: async ({ stint, params, services, body }) => {
      await requireWebhook(stint, params.webhook)
      if (body.url !== undefined) await services.webhooks.requireTarget(body.url)
      return viewOf(await stint.store.control('webhook.change', { ...params, changes: defined(body) }))
    },
  }),
  route({
    method: 'delete',
    path: '/webhooks/{webhook}',
    id: 'deleteWebhook',
    tag,
    summary: 'Deletes a webhook. What is still on its way to it is not sent.',
    role: 'admin',
    params: byId,
    status: 204,
    run: async ({ stint, params, services }) => {
      await stint.store.control('webhook.delete', params)
      await services.webhooks.forget(params.webhook)
    },
  }),
  route({
    method: 'post',
    path: '/webhooks/{webhook}/rotate',
    id: 'rotateWebhook',
    tag,
    summary: 'Gives a webhook a new secret, which is shown this once. For a day messages are signed with both.',
    role: 'admin',
    params: byId,
    response: webhookWithSecret,
    isSecret: true,
    run: async ({ stint, params }) => {
      const secret = newSecret()
      const row = await stint.store.control('webhook.rotate', { ...params, secret, keepMs: rotationMs })
      return { ...viewOf(row), secret }
    },
  }),
  route({
    method: 'post',
    path: '/webhooks/{webhook}/ping',
    id: 'pingWebhook',
    tag,
    summary: 'Sends a message of the type `webhook.ping`, to see whether it arrives.',
    role: 'admin',
    params: byId,
    status: 202,
    response: delivery,
    run: async ({ stint, params, services, once }) => {
      await requireWebhook(stint, params.webhook)
      return await services.webhooks.ping(params.webhook, idOnce(once).id)
    },
  }),
  route({
    method: 'get',
    path: '/webhooks/{webhook}/deliveries',
    id: 'listDeliveries',
    tag,
    summary: 'Messages of a webhook and what became of them, the newest first.',
    role: 'read',
    params: byId,
    query: z.strictObject(pageQuery),
    response: page(delivery),
    run: async ({ stint, params, query, services }) => {
      await requireWebhook(stint, params.webhook)
      return await services.webhooks.deliveries(params.webhook, defined(query))
    },
  }),
  route({
    method: 'get',
    path: '/webhooks/{webhook}/deliveries/{delivery}',
    id: 'getDelivery',
    tag,
    summary: 'A message, and how each attempt to deliver it was answered.',
    role: 'read',
    params: byDelivery,
    response: deliveryDetails,
    run: async ({ stint, params, services }) => {
      await requireWebhook(stint, params.webhook)
      return await services.webhooks.delivery(params.webhook, params.delivery)
    },
  }),
  route({
    method: 'post',
    path: '/webhooks/{webhook}/deliveries/{delivery}/redeliver',
    id: 'redeliver',
    tag,
    summary: 'Sends a message once more, with the same `webhook-id`. It must not be on its way.',
    role: 'admin',
    params: byDelivery,
    status: 202,
    response: delivery,
    run: async ({ stint, params, services, once }) => {
      await requireWebhook(stint, params.webhook)
      return await services.webhooks.redeliver(params.webhook, params.delivery, idOnce(once))
    },
  }),
]

/** One that is not here and one of somebody else are the same to who asks. */
async function requireWebhook(stint: Stint, id: string): Promise<WebhookRow> {
  const row = await stint.store.control('webhook.get', { webhook: id })
  if (row === null) throw missingRecord('webhook', id)
  return row
}

function viewOf({ scope, rotatingUntil, createdAt, updatedAt, ...row }: WebhookRow) {
  return {
    ...row,
    path: scope,
    rotatingUntil: rotatingUntil === null ? null : new Date(rotatingUntil),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}
