import { createHmac, randomBytes } from 'node:crypto'

/** A new secret, as Standard Webhooks writes them. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

export interface Signed {
  readonly id: string
  /** When it is sent, in epoch milliseconds. */
  readonly at: number
  readonly body: string
}

/** The headers by which a receiver knows who sent a message, and that nobody changed it: one signature for each secret. */
export function signatureHeaders({ id, at, body }: Signed, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
