import { setTimeout as sleep } from 'node:timers/promises'
import { StintError } from '../../core/errors.ts'
import { JobName } from '../../core/names/job-name.ts'
import { isWanted } from '../../core/webhook/webhook.ts'
import type { Stint } from '../../engine/stint.ts'
import { isOutage } from '../../engine/worker/completer.ts'
import type { ActiveWebhook } from '../../store/controls.ts'
import type { LogEntry } from '../../store/store.ts'
import { systemNamespace } from '../../store/system-path.ts'
import type { Log } from '../log.ts'
import { type DeliveryOptions, deliveryOf } from './delivery.ts'
import { bodyOf, isWithin, type Message, messageIdOf, type ToldJob, toldJobs } from './message.ts'

export interface DispatcherOptions extends DeliveryOptions {
  /** How often to look for events, in milliseconds. Default 250. */
  readonly pollMs?: number
  /** Called when there is somebody to tell. */
  readonly onActive?: () => Promise<void>
  readonly log?: Log | undefined
}

const pageSize = 500

/**
 * Follows the log and makes a job of each message. First the jobs, then the cursor: whoever dies in between leaves the same to be done
 * again, and since a job's id follows from its message, doing it again, here or on another server, makes no second one.
 */
export class Dispatcher {
  readonly #stint: Stint
  readonly #options: DispatcherOptions
  readonly #closing = new AbortController()
  #loop: Promise<void> | null = null

  constructor(stint: Stint, options: DispatcherOptions) {
    this.#stint = stint
    this.#options = options
  }

  start(): void {
    this.#loop ??= this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#loop
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    const { pollMs = 250, log } = this.#options
    while (!signal.aborted) {
      const isMore = await this.round().catch((error: unknown) => {
        if (!signal.aborted) log?.({ level: 'error', at: 'webhooks', error })
        return false
      })
      if (!isMore) await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /** Makes the messages of one page. True when there may be more. */
  async round(): Promise<boolean> {
    const webhooks = await this.#stint.store.control('webhook.active', {})
    if (webhooks.length > 0) await this.#options.onActive?.()
    let isMore = false
    // Nearly always all have come equally far. One that has not does not hold up the others.
    for (const [from, group] of Map.groupBy(webhooks, ({ cursor }) => cursor)) {
      if (this.#closing.signal.aborted) return false
      isMore = (await this.#dispatch(from, group)) || isMore
    }
    return isMore
  }

  async #dispatch(from: string, webhooks: readonly ActiveWebhook[]): Promise<boolean> {
    const { store } = this.#stint
    const { entries, cursor } = await store.events({ after: from, limit: pageSize })
    if (entries.length === 0 || cursor === null) return false
    await this.#submit(await this.#messages(webhooks, entries))
    await store.control('webhook.advance', { webhooks: webhooks.map(({ id }) => id), from, to: cursor })
    return entries.length === pageSize
  }

  async #messages(webhooks: readonly ActiveWebhook[], entries: readonly LogEntry[]): Promise<readonly Message[]> {
    // What Stint does for itself is told to nobody: each delivery would be followed by another that tells of it.
    const foreign = entries.filter(({ namespace }) => namespace !== systemNamespace)
    const wanted = foreign.filter(({ eventType }) => webhooks.some((webhook) => isWanted(webhook, eventType)))
    const jobs = await toldJobs(this.#stint, wanted)
    return wanted.flatMap((entry) => {
      const job = jobs.get(entry.jobId ?? '')
      if (isTask(job)) return []
      const told = webhooks.filter((webhook) => isFor(webhook, entry, job))
      const body = told.length === 0 ? '' : bodyOf(this.#stint, entry, job)
      return told.map(({ id }) => ({ webhook: id, message: messageIdOf(id, entry), type: entry.eventType, body }))
    })
  }

  async #submit(messages: readonly Message[]): Promise<void> {
    const results = await this.#stint.submitMany(messages.map((message) => deliveryOf(message, this.#options)))
    for (const result of results) {
      if (result.status === 'fulfilled' || isThere(result.reason)) continue
      if (isOutage(result.reason)) throw result.reason
      // One that can never be made must not keep all others from being made.
      this.#options.log?.({ level: 'error', at: 'webhooks', error: result.reason })
    }
  }
}

/** Tasks are parts of their job, which tells of its own end; there may be a million of them. */
function isTask(job: ToldJob | undefined): boolean {
  return job !== undefined && JobName.parse(job.name).isTask
}

function isFor(webhook: ActiveWebhook, entry: LogEntry, job: ToldJob | undefined): boolean {
  return entry.receivedAt >= webhook.since && isWanted(webhook, entry.eventType) && isWithin(webhook.scope, entry, job)
}

/** Another server was faster, and may have seen the job in another state. Or it is being sent once more, by hand. */
function isThere(error: unknown): boolean {
  return error instanceof StintError && (error.code === 'id_taken' || error.code === 'name_taken')
}
