export type WebhookStatus = 'ACTIVE' | 'DISABLED'

/** Somebody outside who is told of what happens. */
export interface Webhook {
  readonly url: string
  /** The branch whose events it gets; null for everything. */
  readonly scope: string | null
  /** Types of events: names, beginnings such as `job.run.*`, or `*` for all. */
  readonly types: readonly string[]
  /** A name for people. */
  readonly label: string | null
  /** What messages are signed with. It has to be known as it is, so it is kept as it is, and shown to nobody. */
  readonly secret: string
  /** The secret before it, which signs as well until then. */
  readonly previous: { readonly secret: string; readonly until: number } | null
  readonly status: WebhookStatus
  /** Why it is disabled. */
  readonly reason: string | null
  /** Events that were received before are not for it. */
  readonly since: number
  /** The place in the log up to which its messages are made. */
  readonly cursor: string
  /** How many messages in a row could not be delivered. */
  readonly failures: number
}

/** What is told when nobody says what: how attempts ended. */
export const defaultTypes: readonly string[] = ['job.run.completed', 'job.run.failed', 'job.run.skipped']

/** So many messages in a row that nobody took, each after days of trying, and there is nobody any more. */
export const failuresMax = 5

/** Whether it is told of events of a type. */
export function isWanted({ types }: Pick<Webhook, 'types'>, type: string): boolean {
  return types.some((wanted) => (wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted))
}

/** A name, a beginning that ends with a dot, or everything. */
export function isTypePattern(pattern: string): boolean {
  return /^(?:\*|[^*]+|[^*]*[^*.]\.\*)$/.test(pattern)
}

/** Both secrets sign until the receiver has had time to learn the new one. */
export function rotated(webhook: Webhook, secret: string, until: number): Webhook {
  return { ...webhook, secret, previous: { secret: webhook.secret, until } }
}

/** What a message is signed with at an instant, the newest first. */
export function secretsAt({ secret, previous }: Webhook, now: number): readonly string[] {
  return previous === null || previous.until <= now ? [secret] : [secret, previous.secret]
}

export function disabled(webhook: Webhook, reason: string): Webhook {
  return { ...webhook, status: 'DISABLED', reason }
}

/** It begins anew: with what happens from now on. */
export function enabled(webhook: Webhook, since: number, cursor: string): Webhook {
  return { ...webhook, status: 'ACTIVE', reason: null, failures: 0, since, cursor }
}

/** What became of a message for good. `gone`: the receiver said that it wants no more. */
export type Fate = 'delivered' | 'failed' | 'gone'

export function told(webhook: Webhook, fate: Fate): Webhook {
  if (fate === 'gone') return isActive(webhook) ? disabled(webhook, 'the receiver answered 410 Gone') : webhook
  if (fate === 'delivered') return webhook.failures === 0 ? webhook : { ...webhook, failures: 0 }
  const failed = { ...webhook, failures: webhook.failures + 1 }
  if (failed.failures < failuresMax || !isActive(webhook)) return failed
  return disabled(failed, `${failed.failures} messages in a row could not be delivered`)
}

function isActive({ status }: Webhook): boolean {
  return status === 'ACTIVE'
}
