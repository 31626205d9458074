import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { type Target, type TargetPolicy, targetOf } from './target.ts'

export interface SendOptions extends TargetPolicy {
  /** How long all of it may take, in milliseconds: to resolve, to connect, to send and to be answered. Default 20,000. */
  readonly deadlineMs?: number
}

export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  /** The beginning of its body, for people. */
  readonly excerpt: string
  readonly retryAfter: string | null
}

/** No answer needs more. What is beyond is not read. */
const answerBytesMax = 64 * 1_024
const excerptMax = 300

/**
 * Posts a message. Redirects are not followed, nothing is unpacked, no connection is kept: each time the host is resolved, checked, and
 * connected to at the addresses that were checked.
 */
export async function send({ url, headers, body, signal }: Outgoing, options: SendOptions): Promise<Answer> {
  const { deadlineMs = 20_000 } = options
  const deadline = AbortSignal.timeout(deadlineMs)
  const over = AbortSignal.any([signal, deadline])
  try {
    const target = await orOver(targetOf(url, options), over)
    return await post(target, headers, Buffer.from(body), over)
  } catch (error) {
    if (deadline.aborted && !signal.aborted) throw new Error(`There was no answer within ${deadlineMs} ms.`)
    throw error
  }
}

function post(
  { url, addresses }: Target,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  signal: AbortSignal,
): Promise<Answer> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      lookup: lookupOf(addresses),
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': body.byteLength,
        'accept-encoding': 'identity',
        'user-agent': 'stint-webhooks',
        ...headers,
      },
    })
    // Once there is an answer, however it goes on, nothing is left to fail.
    sent.on('error', reject)
    sent.on('response', (response) => {
      sent.off('close', closed)
      sent.off('error', reject)
      sent.on('error', () => {})
      resolve(answerOf(response))
    })
    const closed = () => reject(new Error('The connection was closed without an answer.'))
    sent.on('close', closed)
    sent.end(body)
  })
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const excerpt = await excerptOf(response)
  response.destroy()
  return { status: response.statusCode ?? 0, excerpt, retryAfter: response.headers['retry-after'] ?? null }
}

/** The status is the answer: a body that does not end, or breaks off, changes nothing about it. */
async function excerptOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size >= answerBytesMax) break
    }
  } catch {
    // What came until then is all there is.
  }
  const text = Buffer.concat(chunks).subarray(0, answerBytesMax).toString()
  return text
    .replaceAll(/[\p{Cc}\s\ufffd]+/gu, ' ')
    .trim()
    .slice(0, excerptMax)
    .toWellFormed()
}

/** Gives what was checked, and asks nobody. */
function lookupOf(addresses: readonly { readonly address: string; readonly family: number }[]): LookupFunction {
  return (_host, { all }, done) => {
    if (all === true) done(null, [...addresses])
    else done(null, addresses[0]?.address ?? '', addresses[0]?.family)
  }
}

/** A resolver cannot be stopped, but nobody has to wait for it. */
async function orOver<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const over = Promise.withResolvers<never>()
  const abort = () => over.reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([promise, over.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
