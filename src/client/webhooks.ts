import type { Page } from '../engine/jobs-api.ts'
import type { Transport } from './transport.ts'

export interface NewWebhook {
  readonly url: string
  /** The branch whose events it gets. Default all that the key reaches. */
  readonly path?: string | null
  /** Names, beginnings such as `job.run.*`, or `*`. Default how runs ended. */
  readonly types?: readonly string[]
  readonly label?: string | null
}

export interface WebhookView {
  readonly id: string
  readonly url: string
  readonly path: string | null
  readonly types: readonly string[]
  readonly label: string | null
  readonly status: 'ACTIVE' | 'DISABLED'
  /** Why it is disabled. */
  readonly reason: string | null
  readonly failures: number
  readonly rotatingUntil: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface DeliveryView {
  readonly id: string
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
  readonly body: string
  readonly log: readonly {
    readonly attempt: number
    readonly startedAt: Date | null
    readonly finishedAt: Date | null
    readonly responseStatus: number | null
    readonly detail: string | null
  }[]
}

type Secret = { readonly secret: string }
type Paged = { readonly cursor?: string | null; readonly limit?: number }
type Changes = Omit<Partial<NewWebhook>, 'path'> & { readonly status?: WebhookView['status'] }

/** Who is told of events by the server. */
export function webhooksOf(http: () => Transport) {
  const at = (id: string) => `/webhooks/${encodeURIComponent(id)}`
  const deliveryAt = (id: string, delivery: string) => `${at(id)}/deliveries/${encodeURIComponent(delivery)}`
  return {
    /** Its secret is in this answer, and nowhere else. */
    create: (webhook: NewWebhook): Promise<WebhookView & Secret> => http().post('/webhooks', webhook),
    get: (id: string): Promise<WebhookView> => http().get(at(id)),
    list: (query: Paged = {}): Promise<Page<WebhookView>> => http().get('/webhooks', { query }),
    update: (id: string, changes: Changes): Promise<WebhookView> => http().patch(at(id), changes),
    delete: (id: string): Promise<void> => http().delete(at(id)),
    /** A new secret. For a day messages are signed with both. */
    rotate: (id: string): Promise<WebhookView & Secret> => http().post(`${at(id)}/rotate`),
    ping: (id: string): Promise<DeliveryView> => http().post(`${at(id)}/ping`),
    deliveries: (id: string, query: Paged = {}): Promise<Page<DeliveryView>> => {
      return http().get(`${at(id)}/deliveries`, { query })
    },
    delivery: (id: string, delivery: string): Promise<DeliveryDetails> => http().get(deliveryAt(id, delivery)),
    redeliver: (id: string, delivery: string): Promise<DeliveryView> => {
      return http().post(`${deliveryAt(id, delivery)}/redeliver`)
    },
  }
}
