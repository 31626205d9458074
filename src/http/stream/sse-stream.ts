/** How many bytes may wait for a client that reads slowly. */
const waitingMax = 262_144

const utf8 = new TextEncoder()

/** One part of a stream of server-sent events, ready to be sent to any number of clients. */
export function frameOf(fields: Readonly<Record<string, string>>): Uint8Array {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  return utf8.encode(`${lines.join('\n')}\n\n`)
}

/** A client that is sent events until it leaves or is told to go. */
export class SseStream {
  readonly response: Response
  readonly #over = new AbortController()
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null
  #room: PromiseWithResolvers<void> = Promise.withResolvers()

  /** Ends when one of these aborts. */
  constructor(...ends: readonly AbortSignal[]) {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#room.resolve(),
        cancel: () => this.end(),
      },
      { highWaterMark: waitingMax, size: ({ byteLength }) => byteLength },
    )
    this.response = new Response(body, { headers: sseHeaders })
    for (const end of ends) {
      if (end.aborted) this.end()
      else end.addEventListener('abort', () => this.end(), { once: true, signal: this.over })
    }
  }

  /** Aborts at the end. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  send(frame: Uint8Array): void {
    if (!this.over.aborted) this.#controller?.enqueue(frame)
  }

  /** Resolves when the client has read most of what was sent, or at the end. */
  async room(): Promise<void> {
    while (this.isFull && !this.over.aborted) {
      this.#room = Promise.withResolvers()
      await this.#room.promise
    }
  }

  end(): void {
    if (this.over.aborted) return
    this.#over.abort('the stream is over')
    this.#room.resolve()
    try {
      this.#controller?.close()
    } catch {
      // The client was faster.
    }
  }

  /** Whether more than enough waits for the client already. */
  get isFull(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0
  }
}

const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // A proxy that gathers what it passes on would keep events from those who wait for them.
  'x-accel-buffering': 'no',
}
