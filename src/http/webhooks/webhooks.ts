import { randomUUID } from 'node:crypto'
import { StintError, show } from '../../core/errors.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { Page, RetryOptions } from '../../engine/jobs-api.ts'
import type { Stint } from '../../engine/stint.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import type { Log } from '../log.ts'
import {
  branchOf,
  type DeliveryOptions,
  deliveriesPath,
  deliveryJob,
  deliveryOf,
  deliveryType,
  limitKeyOf,
} from './delivery.ts'
import { Dispatcher } from './dispatcher.ts'
import { targetOf } from './target.ts'
import { type DeliveryDetails, type DeliveryView, deliveryView, detailsOf } from './view.ts'

export interface WebhookOptions extends DeliveryOptions {
  /** How often to look for events, in milliseconds. Default 250. */
  readonly pollMs?: number
}

/** Deliveries that are on their way at once. Each only waits for an answer, and no receiver has more than four of them. */
const concurrency = 256

/** What is still being sent when the server stops: then it is given back, and sent once more by another. */
const graceMs = 1_000

/** Makes messages of events, and sends them. Both are done by every server; each message is made and sent once. */
export class Webhooks {
  readonly #stint: Stint
  readonly #options: WebhookOptions
  readonly #dispatcher: Dispatcher
  #worker: Worker | null = null
  #isClosed = false

  constructor(stint: Stint, options: WebhookOptions & { readonly log?: Log | undefined }) {
    this.#stint = stint.within({ actor: 'webhooks' })
    this.#options = options
    this.#dispatcher = new Dispatcher(this.#stint, { ...options, onActive: () => this.#work() })
  }

  /** Begins to make and to send messages. */
  async start(): Promise<void> {
    const { items } = await this.#stint.store.control('webhook.list', { limit: 1 })
    if (items.length > 0) await this.#work()
    this.#dispatcher.start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#dispatcher.close()
    await this.#worker?.stop({ graceMs })
    await this.#stint.close()
  }

  /** Throws when messages may not be sent to a URL. */
  async requireTarget(url: string): Promise<void> {
    await targetOf(url, this.#options)
  }

  /** Sends a message that tells of nothing, to see whether it arrives. */
  async ping(webhook: string, message: string = randomUUID()): Promise<DeliveryView> {
    const type = 'webhook.ping'
    const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data: { webhook } })
    const [result] = await this.#stint.submitMany([deliveryOf({ webhook, message, type, body }, this.#options)])
    if (result?.status !== 'fulfilled') throw result?.reason
    return deliveryView(result.value)
  }

  /** The newest first. */
  async deliveries(webhook: string, page: { cursor?: string; limit?: number }): Promise<Page<DeliveryView>> {
    const { items, cursor } = await this.#stint.jobs.list({ ...page, branch: branchOf(webhook) })
    return { items: items.map(deliveryView), cursor }
  }

  async delivery(webhook: string, id: string): Promise<DeliveryDetails> {
    return await detailsOf(this.#stint, await this.#require(webhook, id))
  }

  /** Sends a message once more, as the same message. */
  async redeliver(webhook: string, id: string, options: RetryOptions): Promise<DeliveryView> {
    const { id: job } = await this.#require(webhook, id)
    return deliveryView(await this.#stint.jobs.retry(job, options))
  }

  /** What is still to be sent to a webhook that is deleted is not. */
  async forget(webhook: string): Promise<void> {
    const { store } = this.#stint
    await store.cancelBranch({ name: branchOf(webhook), reason: 'the webhook is deleted' })
    await store.removeLimit(limitKeyOf(webhook))
  }

  async #require(webhook: string, id: string): Promise<JobView> {
    const found = await this.#stint.jobs.get(id)
    if (found?.type === deliveryType && found.name.startsWith(`${branchOf(webhook)}/`)) return found
    throw new StintError('not_found', `There is no delivery ${show(id)}.`, { delivery: id })
  }

  /** A server that nobody has told of a webhook has nothing to send, and no worker. */
  async #work(): Promise<void> {
    if (this.#worker !== null || this.#isClosed) return
    this.#worker = this.#stint.worker({
      name: 'webhooks',
      jobs: [deliveryJob(this.#stint, this.#options)],
      paths: [deliveriesPath],
      concurrency,
      prefetchMax: 0,
    })
    await this.#worker.start()
  }
}
