import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { StintError } from '../../core/errors.ts'
import { carry, isPlain } from './carry.ts'
import type { Answer, Call, FromThread, ToThread } from './messages.ts'
import { unpackError, unpackResult } from './packed-error.ts'

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** A call that waits to be sent. Of one that is made by us it is known that its arguments are plain: nobody looks. */
interface Queued {
  readonly call: Call
  readonly isPlain: boolean
}

interface Listening {
  readonly onSignal: (value: unknown) => void
  /** Called once when the thread ended though nobody had closed it. */
  readonly onLost: () => void
}

/** The file where a thread begins, beside the module whose `import.meta.url` is given: sources are TypeScript, a build is not. */
export function threadFile(name: string, base: string): URL {
  return new URL(`./${name}${base.endsWith('.ts') ? '.ts' : '.js'}`, base)
}

/**
 * A thread that does what it is called for, seen from the one that started it. It keeps the process alive only while
 * somebody waits for an answer.
 */
export class Thread {
  readonly #worker: Worker
  readonly #gone: Promise<void>
  readonly #pending = new Map<number, Pending>()
  readonly #listening = new Map<number, Listening>()
  #queued: Queued[] = []
  #count = 0
  #refused: StintError | null = null
  #closing: Promise<void> | null = null

  /** Starts a thread and waits until it is ready; what its beginning throws is thrown here. */
  static async start(file: URL, workerData: unknown): Promise<Thread> {
    const thread = new Thread(file, workerData)
    await thread.#opened()
    return thread
  }

  /** Starts a thread without waiting for it. What it is told meanwhile it hears once it is ready. */
  static begin(file: URL, workerData: unknown): Thread {
    const thread = new Thread(file, workerData)
    // One that cannot begin ends, and who listens is told so.
    void thread.#opened().catch(() => {})
    return thread
  }

  private constructor(file: URL, workerData: unknown) {
    // Options of the program, loaders among them, are not for our file, and would make its start slow.
    this.#worker = new Worker(file, { workerData, execArgv: [], env: environmentFor(file), name: 'stint' })
    let cause = 'it ended'
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('error', (error: Error) => {
      cause = error.message
    })
    this.#gone = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#end(cause)
        resolve()
      })
    })
  }

  /** It has ended, or will once it is closed: it does nothing new. */
  get isOver(): boolean {
    return this.#refused !== null
  }

  async #opened(): Promise<void> {
    try {
      await this.#wait(0)
    } catch (error) {
      await this.#worker.terminate()
      throw error
    }
  }

  call(method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#refused !== null) return Promise.reject(this.#refused)
    this.#count += 1
    const answered = this.#wait(this.#count)
    // A turn of the event loop, so that calls made together go together.
    const call = { nth: this.#count, method, args, carried: false }
    if (this.#queued.push({ call, isPlain: false }) === 1) setImmediate(() => this.#send())
    return answered
  }

  /** A call that is worth a message of its own: it goes at once, with what was to go before it. Its arguments must be plain data. */
  callNow(method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#refused !== null) return Promise.reject(this.#refused)
    this.#count += 1
    const answered = this.#wait(this.#count)
    this.#queued.push({ call: { nth: this.#count, method, args, carried: false }, isPlain: true })
    this.#send()
    return answered
  }

  /** Begins a stream and tells how to stop it. */
  listen(stream: string, request: unknown, listening: Listening): () => void {
    if (this.#refused !== null) throw this.#refused
    this.#count += 1
    const nth = this.#count
    this.#post({ start: { nth, stream, request } })
    this.#listening.set(nth, listening)
    return () => {
      if (this.#listening.delete(nth) && this.#refused === null) this.#post({ stop: nth })
    }
  }

  /** Ends the thread after its `close` was called, which comes after all calls made before. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const closed = this.#refused === null ? this.call('close', []) : Promise.resolve()
    this.#refused ??= storeClosed('The store was closed; nothing was done.')
    this.#listening.clear()
    try {
      await closed
    } finally {
      await this.#worker.terminate()
      await this.#gone
    }
  }

  #wait(nth: number): Promise<unknown> {
    this.#worker.ref()
    return new Promise((resolve, reject) => this.#pending.set(nth, { resolve, reject }))
  }

  #send(): void {
    const queued = this.#queued
    if (queued.length === 0) return
    this.#queued = []
    const sendable = queued.flatMap(({ call, isPlain }) => this.#prepared(call, !isPlain && !isPlainCall(call)) ?? [])
    try {
      this.#post({ calls: sendable })
    } catch {
      // Something in it, a proxy for example, only looked plain. A copy of it is.
      this.#post({ calls: sendable.flatMap((call) => this.#prepared(call, !call.carried) ?? []) })
    }
  }

  /** The call as it can travel. What throws when it is looked at, a getter for example, fails its own call alone. */
  #prepared(call: Call, isToCarry: boolean): Call | null {
    try {
      return isToCarry ? { ...call, args: carry(call.args) as readonly unknown[], carried: true } : call
    } catch (error) {
      this.#settle(call.nth)?.reject(error instanceof Error ? error : new Error(String(error)))
      return null
    }
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #receive(message: FromThread): void {
    if ('answers' in message) for (const answer of message.answers) this.#answer(answer)
    else if ('signal' in message) this.#hear(message.signal, message.value)
    else if ('ready' in message) this.#settle(0)?.resolve(undefined)
    else this.#settle(0)?.reject(unpackError(message.failed))
  }

  #answer(answer: Answer): void {
    const pending = this.#settle(answer.nth)
    if ('error' in answer) pending?.reject(unpackError(answer.error))
    else pending?.resolve(unpackResult(answer.result))
  }

  #hear(nth: number, value: unknown): void {
    const listening = this.#listening.get(nth)
    if (listening === undefined) return
    this.#post({ seen: nth })
    listening.onSignal(value)
  }

  #settle(nth: number): Pending | undefined {
    const pending = this.#pending.get(nth)
    this.#pending.delete(nth)
    if (this.#pending.size === 0) this.#worker.unref()
    return pending
  }

  #end(cause: string): void {
    const message = `The thread of the store is gone (${cause}).`
    this.#refused ??= storeClosed(`${message} Open the store again.`)
    for (const { reject } of this.#pending.values()) {
      reject(storeClosed(`${message} Nobody knows whether the call was carried out; repeating it is safe.`))
    }
    for (const { onLost } of this.#listening.values()) onLost()
    this.#pending.clear()
    this.#listening.clear()
  }
}

/** Every thread that begins from sources would strip their types anew, which takes longer than all else it does. */
function environmentFor(file: URL): NodeJS.ProcessEnv {
  if (!file.pathname.endsWith('.ts')) return process.env
  return { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env }
}

function isPlainCall({ args }: Call): boolean {
  try {
    return isPlain(args)
  } catch {
    return false
  }
}

function storeClosed(message: string): StintError {
  return new StintError('store_closed', message)
}
