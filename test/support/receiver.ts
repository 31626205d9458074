import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { onTestFinished } from 'vitest'
import type { WebhookOptions } from '../../src/http/webhooks/webhooks.ts'
import { until } from './stint.ts'

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect, and fail where it is not.
  readonly json: any
}

export interface Receiver {
  readonly url: string
  /** What came, in its order. */
  readonly received: Received[]
  /** Waits until so many have come. */
  count(wanted: number): Promise<readonly Received[]>
}

export type Behaviour = (response: ServerResponse, nth: number, request: IncomingMessage) => void

/** Sends to this machine, looks often, and tries again at once. */
export const quickWebhooks: WebhookOptions = {
  allowPrivate: true,
  allowHttp: true,
  pollMs: 5,
  deadlineMs: 60_000,
  retry: { baseMs: 1, factor: 1, capMs: 1 },
}

/** Somebody who is told, and answers as the test says: 200 at once by default. */
export async function startReceiver(behave: Behaviour = (response) => void response.end()): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    response.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const headers = request.headers as Record<string, string>
      received.push({ path: request.url ?? '', headers, body, json: JSON.parse(body) })
      behave(response, received.length, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const count = async (wanted: number) => {
    await until(
      () => received.length,
      (length) => length >= wanted,
    )
    return received
  }
  return { url: `http://127.0.0.1:${port}/`, received, count }
}

/** Throws unless the message was signed with the secret, as somebody else's code sees it. */
export function verified(secret: string, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, headers)
}
