import type { Page } from '../engine/jobs-api.ts'
import type { Transport } from './transport.ts'

type Paged = { readonly cursor?: string | null; readonly limit?: number }

export interface NewWebhook {
  readonly url: string
  /** The branch whose events it gets. Default all that the key reaches. */
  readonly path?: string | null
  /** Names, beginnings such as `job.run.*`, or `*`. Default how runs ended. */
  readonly types?: readonly string[]
  readonly label?: string | null
}

export type WebhookChanges = Partial<Omit<NewWebhook, 'path'>> & { readonly status?: WebhookView['status'] }

export interface WebhookView {
  readonly id: string
  readonly url: string
  readonly path: string | null
  readonly types: readonly string[]
  readonly label: string | null
  readonly status: 'ACTIVE' | 'DISABLED'
  /** Why it is disabled. */
  readonly reason: string | null
  /** How many messages in a row could not be delivered. */
  readonly failures: number
  readonly rotatingUntil: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The secret is in this answer, and nowhere else. */
export type WebhookWithSecret = WebhookView & { readonly secret: string }

/** The way of a message to its receiver. */
export interface DeliveryView {
  readonly id: string
  /** What the receiver gets as `webhook-id`. */
  readonly messageId: string
  readonly type: string
  readonly status: 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED'
  readonly attempts: number
  readonly responseStatus: number | null
  readonly error: string | null
  readonly redeliveryOf: string | null
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export interface DeliveryDetails extends DeliveryView {
  /** Exactly what was signed and sent. */
  readonly body: string
  readonly log: readonly {
    readonly attempt: number
    readonly startedAt: Date | null
    readonly finishedAt: Date | null
    readonly responseStatus: number | null
    /** The answer and the beginning of its body, or why there was none. */
    readonly detail: string | null
  }[]
}

/** Whom to tell of what happens, and what became of it. */
export function webhooksOf(http: () => Transport) {
  const at = (webhook: string) => `/webhooks/${encodeURIComponent(webhook)}`
  const delivery = (webhook: string, id: string) => `${at(webhook)}/deliveries/${encodeURIComponent(id)}`
  return {
    create: (webhook: NewWebhook): Promise<WebhookWithSecret> => http().post('/webhooks', webhook),
    list: (query: Paged = {}): Promise<Page<WebhookView>> => http().get('/webhooks', { query }),
    get: (webhook: string): Promise<WebhookView> => http().get(at(webhook)),
    update: (webhook: string, changes: WebhookChanges): Promise<WebhookView> => http().patch(at(webhook), changes),
    delete: (webhook: string): Promise<null> => http().delete(at(webhook)),
    /** For a day messages are signed with both secrets. */
    rotate: (webhook: string): Promise<WebhookWithSecret> => http().post(`${at(webhook)}/rotate`),
    /** Sends a message that tells of nothing, to see whether it arrives. */
    ping: (webhook: string): Promise<DeliveryView> => http().post(`${at(webhook)}/ping`),
    deliveries: (webhook: string, query: Paged = {}): Promise<Page<DeliveryView>> => {
      return http().get(`${at(webhook)}/deliveries`, { query })
    },
    delivery: (webhook: string, id: string): Promise<DeliveryDetails> => http().get(delivery(webhook, id)),
    /** Sends a message once more, as the same message. */
    redeliver: (webhook: string, id: string): Promise<DeliveryView> => {
      return http().post(`${delivery(webhook, id)}/redeliver`)
    },
  }
}
