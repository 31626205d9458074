import type { DeliveryView, NewWebhook, WebhookView } from 'stint/client'
import type { Action } from './action.ts'

type Named = Pick<WebhookView, 'id' | 'url'>
type WithSecret = WebhookView & { readonly secret: string }

export function createWebhook(webhook: NewWebhook): Action<WithSecret> {
  const { url } = webhook
  return {
    label: 'Add the webhook',
    done: `${url} is told from now on`,
    role: 'admin',
    request: { method: 'POST', path: '/webhooks', body: webhook },
    cli: null,
    code: `const { secret } = await client.webhooks.create(${JSON.stringify(webhook)})`,
    run: (client) => client.webhooks.create(webhook),
  }
}

export function setWebhookStatus({ id, url }: Named, status: WebhookView['status']): Action {
  const isOn = status === 'ACTIVE'
  return {
    label: isOn ? 'Enable' : 'Disable',
    done: isOn ? `${url} is told again` : `${url} is told of nothing`,
    role: 'admin',
    request: { method: 'PATCH', path: `/webhooks/${id}`, body: { status } },
    cli: null,
    code: `await client.webhooks.update('${id}', { status: '${status}' })`,
    run: (client) => client.webhooks.update(id, { status }),
  }
}

export function rotateWebhook({ id, url }: Named): Action<WithSecret> {
  return {
    label: 'New secret',
    done: `${url} has a new secret; for a day both hold`,
    role: 'admin',
    request: { method: 'POST', path: `/webhooks/${id}/rotate` },
    cli: null,
    code: `const { secret } = await client.webhooks.rotate('${id}')`,
    run: (client) => client.webhooks.rotate(id),
  }
}

export function pingWebhook({ id, url }: Named): Action<DeliveryView> {
  return {
    label: 'Send a ping',
    done: `A ping is on its way to ${url}`,
    role: 'admin',
    request: { method: 'POST', path: `/webhooks/${id}/ping` },
    cli: null,
    code: `await client.webhooks.ping('${id}')`,
    run: (client) => client.webhooks.ping(id),
  }
}

export function deleteWebhook({ id, url }: Named): Action {
  return {
    label: 'Delete',
    done: `${url} is told of nothing any more`,
    role: 'admin',
    request: { method: 'DELETE', path: `/webhooks/${id}` },
    cli: null,
    code: `await client.webhooks.delete('${id}')`,
    run: (client) => client.webhooks.delete(id),
  }
}

export function redeliver(webhook: string, delivery: Pick<DeliveryView, 'id' | 'type'>): Action<DeliveryView> {
  return {
    label: 'Redeliver',
    done: `${delivery.type} is sent once more, as the same message`,
    role: 'admin',
    request: { method: 'POST', path: `/webhooks/${webhook}/deliveries/${delivery.id}/redeliver` },
    cli: null,
    code: `await client.webhooks.redeliver('${webhook}', '${delivery.id}')`,
    run: (client) => client.webhooks.redeliver(webhook, delivery.id),
  }
}
