import { StintError } from '../core/errors.ts'
import type { LogEntry } from '../store/log-entry.ts'
import { withDates } from './dates.ts'
import type { Transport } from './transport.ts'

export interface StreamOptions {
  /** Only what happens at these paths or below, of these types, or to these jobs. */
  readonly path?: string
  readonly type?: string
  readonly job?: string
  /** Goes on after this entry; without it with what happens from now on. */
  readonly after?: string
  readonly signal?: AbortSignal
  /** Is told when the connection stands, and when it broke and is made anew. */
  readonly onConnected?: (isConnected: boolean) => void
}

/** An entry of the log, and from where a stream goes on after it. */
export interface StreamedEntry extends Omit<LogEntry, 'occurredAt' | 'receivedAt'> {
  readonly occurredAt: Date
  readonly receivedAt: Date
  readonly cursor: string
}

const firstPauseMs = 200
const pauseMaxMs = 10_000

/** Entries of the log as they are written. A connection that breaks is made anew, from the last entry on. */
export async function* streamed(transport: Transport, options: StreamOptions = {}): AsyncGenerator<StreamedEntry> {
  const { signal, after: from, onConnected, ...filters } = options
  let after = from
  for (let failures = 0; !signal?.aborted; ) {
    try {
      const headers = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) }
      const response = await transport.open('/stream', { query: filters, ...(signal && { signal }) }, headers)
      onConnected?.(true)
      for await (const { id, data } of messagesOf(response)) {
        failures = 0
        if (id !== null) after = id
        if (data !== '') yield { ...(withDates(JSON.parse(data)) as StreamedEntry), cursor: after ?? '' }
      }
    } catch (error) {
      if (signal?.aborted) return
      // What the server refuses, it refuses again.
      if (error instanceof StintError && !error.retryable) throw error
    }
    failures += 1
    onConnected?.(false)
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMaxMs, firstPauseMs * 2 ** failures)))
  }
}

interface Message {
  readonly id: string | null
  readonly data: string
}

/** The messages of an event stream, as far as ours use its format. */
async function* messagesOf(response: Response): AsyncGenerator<Message> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of chunksOf(response)) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      yield messageOf(text.slice(0, end))
      text = text.slice(end + 2)
    }
  }
}

/** Not every browser can iterate over a body. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  try {
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read())
      yield part.value
  } finally {
    await reader?.cancel()
  }
}

function messageOf(block: string): Message {
  const lines = block.split('\n')
  const field = (name: string) =>
    lines
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
  return { id: field('id') ?? null, data: field('data') ?? '' }
}
