import { onTestFinished } from 'vitest'
import { until } from './stint.ts'

export interface SseEvent {
  readonly id: string | null
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect, and fail where it is not.
  readonly data: any
}

export interface Sse {
  readonly status: number
  readonly events: readonly SseEvent[]
  /** The id from which this stream goes on, as a browser would keep it. */
  lastId(): string | null
  comments(): number
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>
  /** Waits for that many events. */
  count(n: number): Promise<readonly SseEvent[]>
  close(): void
}

/** Reads server-sent events as the standard says. */
export async function openSse(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Sse> {
  const stop = new AbortController()
  const response = await fetch(url, { headers, signal: stop.signal })
  const events: SseEvent[] = []
  let lastId: string | null = null
  let [comments, parts] = [0, 0]
  const onPart = (part: string) => {
    parts += 1
    const fields = new Map<string, string>()
    for (const line of part.split('\n')) {
      const [name = '', ...value] = line.split(': ')
      if (name === '') comments += 1
      fields.set(name, value.join(': '))
    }
    lastId = fields.get('id') ?? lastId
    const data = fields.get('data')
    if (data === undefined) return
    events.push({ id: fields.get('id') ?? null, event: fields.get('event') ?? 'message', data: JSON.parse(data) })
  }
  const read = async () => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body ?? []) {
      const whole = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
      text = whole.pop() ?? ''
      for (const part of whole) onPart(part)
    }
  }
  const ended = read().catch(() => {})
  onTestFinished(() => stop.abort())
  const sse: Sse = {
    status: response.status,
    events,
    ended,
    lastId: () => lastId,
    comments: () => comments,
    count: (n) =>
      until(
        () => events,
        ({ length }) => length >= n,
      ),
    close: () => stop.abort(),
  }
  // Whoever has this knows from where the stream goes on.
  if (response.ok)
    await until(
      () => parts,
      (seen) => seen > 0,
    )
  return sse
}
