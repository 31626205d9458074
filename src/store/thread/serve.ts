import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import { revive } from './carry.ts'
import type { Answer, Call, FromThread, Stream, ToThread } from './messages.ts'
import { packError, packResult } from './packed-error.ts'

/** What a thread offers to the one that started it. */
export interface Served {
  call(method: string, args: readonly unknown[]): Promise<unknown>
  /** Begins a stream and tells how to stop it. */
  start(stream: string, request: unknown, signal: (value: unknown) => void): () => void
}

/** Answers the thread that started this one, once what it offers is open. */
export async function serve(open: () => Promise<Served>): Promise<void> {
  if (parentPort === null) throw new Error('This module is the beginning of a thread, not of a program.')
  const port = parentPort
  const post = (message: FromThread) => port.postMessage(message)
  try {
    const server = new Server(await open(), post)
    port.on('message', (message: ToThread) => {
      server.receive(message)
      // What has come besides is taken in the same moment: calls that are there together share a commit.
      for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
        server.receive(more.message as ToThread)
      }
    })
    post({ ready: true })
  } catch (error) {
    post({ failed: packError(error) })
  }
}

class Server {
  readonly #served: Served
  readonly #post: (message: FromThread) => void
  readonly #streams = new Map<number, OneStream>()
  #answers: Answer[] = []

  constructor(served: Served, post: (message: FromThread) => void) {
    this.#served = served
    this.#post = post
  }

  receive(message: ToThread): void {
    if ('calls' in message) for (const call of message.calls) void this.#answer(call)
    else if ('start' in message) this.#start(message.start)
    else if ('seen' in message) this.#streams.get(message.seen)?.seen()
    else this.#stop(message.stop)
  }

  async #answer({ nth, method, args, carried }: Call): Promise<void> {
    try {
      const given = carried ? (revive(args) as readonly unknown[]) : args
      this.#tell({ nth, result: packResult(await this.#served.call(method, given)) })
    } catch (error) {
      this.#tell({ nth, error: packError(error) })
    }
  }

  /** Calls that shared a commit end one right after the other: their answers share a message. */
  #tell(answer: Answer): void {
    if (this.#answers.push(answer) > 1) return
    queueMicrotask(() => {
      const answers = this.#answers
      this.#answers = []
      this.#post({ answers })
    })
  }

  #start({ nth, stream, request }: Stream): void {
    const one = new OneStream((value) => this.#post({ signal: nth, value }))
    this.#streams.set(nth, one)
    one.stop = this.#served.start(stream, request, (value) => one.tell(value))
  }

  #stop(nth: number): void {
    this.#streams.get(nth)?.stop()
    this.#streams.delete(nth)
  }
}

/** Tells one thing at a time and then the newest: a listener that is busy for long does not find a heap of old news. */
class OneStream {
  stop: () => void = () => {}
  readonly #post: (value: unknown) => void
  #isUnseen = false
  #newest: { readonly value: unknown } | null = null

  constructor(post: (value: unknown) => void) {
    this.#post = post
  }

  tell(value: unknown): void {
    if (this.#isUnseen) {
      this.#newest = { value }
      return
    }
    this.#isUnseen = true
    this.#post(value)
  }

  seen(): void {
    const newest = this.#newest
    this.#isUnseen = false
    this.#newest = null
    if (newest !== null) this.tell(newest.value)
  }
}
