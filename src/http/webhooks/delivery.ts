import { z } from 'zod'
import { JobRunId } from '../../core/names/ids.ts'
import { defineJob } from '../../engine/define-job.ts'
import type { JobContext, JobDefaults } from '../../engine/handler.ts'
import { TerminalError } from '../../engine/later.ts'
import type { Stint } from '../../engine/stint.ts'
import type { SubmitItem } from '../../engine/submitter.ts'
import { messageOf } from '../../engine/worker/outcome.ts'
import type { WebhookTarget } from '../../store/controls.ts'
import { systemPath } from '../../store/system-path.ts'
import type { Message } from './message.ts'
import { type Answer, type SendOptions, send } from './send.ts'
import { signatureHeaders } from './sign.ts'

export const deliveryType = 'stint.webhook'

/** Where deliveries stand in the tree. */
export const deliveriesPath = systemPath('webhooks')

/** How many messages are on their way to one receiver at once: however slow it is, it holds no more. */
const perReceiver = 4

const dayMs = 86_400_000

/**
 * Twelve attempts within three days on the average: after 5 s at the latest, then up to 40 s, 5 min, 43 min, 6 h, and then a
 * day, each time by chance between that and nothing, so that what failed together is not tried again together.
 */
export const deliveryRetry = { maxAttempts: 12, baseMs: 5_000, factor: 8, capMs: dayMs, maxSnoozes: 100 } as const

/** Whoever asks for more time than that is asked again. */
const retryAfterMaxMs = 3_600_000

const params = z.strictObject({ webhook: z.string(), message: z.string(), type: z.string(), body: z.string() })

export type DeliveryParams = z.output<typeof params>

export interface DeliveryOptions extends SendOptions {
  /** How failed deliveries are tried again. */
  readonly retry?: JobDefaults['retry']
}

/** The limit that all deliveries of a webhook share. No path: that would slow down every claim of every job. */
export function limitKeyOf(webhook: string): string {
  return `${deliveryType}:${webhook}`
}

export function branchOf(webhook: string): string {
  return systemPath('webhooks', webhook)
}

/** A message as a job to submit. Its id follows from the message, so it cannot be made twice. */
export function deliveryOf(message: Message, { retry, deadlineMs = 20_000 }: DeliveryOptions): SubmitItem {
  return {
    id: message.message,
    job: deliveryType,
    params: message,
    options: {
      name: systemPath('webhooks', message.webhook, message.message),
      limits: [{ key: limitKeyOf(message.webhook), concurrency: perReceiver }],
      retry: { ...deliveryRetry, ...retry },
      // Sending ends by itself; this is for whatever else may hang.
      timeoutMs: 2 * deadlineMs + 10_000,
    },
  }
}

/** The job that sends a message. */
export function deliveryJob(stint: Stint, options: DeliveryOptions) {
  return defineJob(deliveryType, {
    params,
    run: async (ctx) => {
      const { webhook } = ctx.params
      const target = await stint.store.control('webhook.target', { webhook })
      if (target === null) throw new TerminalError('The webhook is deleted.')
      if (target.status === 'DISABLED') throw new TerminalError(`The webhook is disabled: ${target.reason}.`)
      try {
        const answer = await sent(ctx, target, options)
        if (isSuccess(answer)) {
          if (target.failures > 0) await stint.store.control('webhook.tell', { webhook, fate: 'delivered' })
          return { status: answer.status }
        }
        const delayMs = askedDelay(answer, Date.now())
        if (delayMs !== null) {
          return ctx.retryIn(
            Math.max(options.retry?.baseMs ?? deliveryRetry.baseMs, Math.min(delayMs, retryAfterMaxMs)),
          )
        }
        if (answer.status !== 410) throw new Error(shownAnswer(answer))
        await stint.store.control('webhook.tell', { webhook, fate: 'gone' })
        throw new TerminalError(shownAnswer(answer))
      } catch (error) {
        const isStopped = ctx.signal.aborted || error instanceof TerminalError
        if (!isStopped && (await isLast(stint, ctx.id))) {
          await stint.store.control('webhook.tell', { webhook, fate: 'failed' })
        }
        throw error
      }
    },
  })
}

async function sent(
  ctx: JobContext<DeliveryParams>,
  { url, secrets }: WebhookTarget,
  options: DeliveryOptions,
): Promise<Answer> {
  const { message: id, body } = ctx.params
  const begin = performance.now()
  const took = () => `${Math.round(performance.now() - begin)} ms`
  try {
    const headers = signatureHeaders({ id, at: Date.now(), body }, secrets)
    const answer = await send({ url, headers, body, signal: ctx.signal }, options)
    ctx.log(`${shownAnswer(answer)} (${took()})`)
    return answer
  } catch (error) {
    ctx.log(`No answer: ${messageOf(error)} (${took()})`)
    throw error
  }
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

function shownAnswer({ status, excerpt }: Answer): string {
  return excerpt === '' ? `HTTP ${status}` : `HTTP ${status}: ${excerpt}`
}

/** The status of the answer that a line of the log or an error tells of; null when there was none. */
export function statusIn(text: string | null): number | null {
  const digits = /^HTTP (\d{3})/.exec(text ?? '')?.[1]
  return digits === undefined ? null : Number(digits)
}

/** How long a receiver that is busy asks to be left alone: seconds, or until a date. */
function askedDelay({ status, retryAfter }: Answer, now: number): number | null {
  if ((status !== 429 && status !== 503) || retryAfter === null) return null
  const delayMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return Number.isNaN(delayMs) ? null : delayMs
}

/** Whether the job has failed for good if this attempt fails. */
async function isLast(stint: Stint, id: string): Promise<boolean> {
  const [stored] = await stint.store.find([{ id: JobRunId.parse(id).name }])
  return stored !== undefined && stored !== null && stored.job.charged + 1 >= stored.job.retry.maxAttempts
}
