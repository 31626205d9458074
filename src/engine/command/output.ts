import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { CommandRun, OutputStream } from './command-run.ts'
import { LineSplitter } from './line-splitter.ts'

const tailMaxBytes = 2 * 1024
const quietMs = 200
const quietRounds = 10

/** Reads what a program prints, and hands it on line by line. */
export class CommandOutput {
  readonly #streams: readonly Readable[]
  readonly #splitters: readonly LineSplitter[]
  readonly #closed: Promise<void>
  readonly #onBroken: () => void
  #broken: { readonly error: unknown } | null = null
  #isOver = false
  #chunks = 0
  #tail = ''

  /** `onBroken` is called when the listener throws; the error itself comes out of `end`. */
  constructor(child: ChildProcess, onOutput: CommandRun['onOutput'], onBroken: () => void) {
    this.#onBroken = onBroken
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()))
    const splitter = (stream: OutputStream, onText?: (text: string) => void) =>
      new LineSplitter((text) => onOutput({ stream, text }), onText)
    const stdout = splitter('stdout')
    const stderr = splitter('stderr', (text) => this.#keepTail(text))
    this.#splitters = [stdout, stderr]
    this.#streams = [this.#read(child.stdout, stdout), this.#read(child.stderr, stderr)].filter(
      (stream) => stream !== null,
    )
  }

  /**
   * Reads what is left after the program has exited. Somebody outside of its group may hold the other end of a pipe for
   * ever, and may even go on printing, so both the silence and the rounds are bounded.
   */
  async end(): Promise<void> {
    let isClosed = false
    const closed = this.#closed.then(() => {
      isClosed = true
    })
    for (let round = 0; round < quietRounds && !isClosed; round += 1) {
      const before = this.#chunks
      await Promise.race([closed, quiet()])
      if (this.#chunks === before) break
    }
    for (const stream of this.#streams) stream.destroy()
    for (const splitter of this.#splitters) this.#guarded(() => splitter.end())
    this.#isOver = true
    if (this.#broken) throw this.#broken.error
  }

  /** The last 2 KiB of stderr, beginning with a whole character. */
  get stderrTail(): string {
    const bytes = Buffer.from(this.#tail).subarray(-tailMaxBytes)
    const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
    return bytes.subarray(Math.max(start, 0)).toString()
  }

  #read(stream: Readable | null, splitter: LineSplitter): Readable | null {
    // Whatever breaks a pipe also closes it, and `end` looks at nothing else.
    stream?.on('error', () => {})
    stream?.on('data', (bytes: Buffer) => {
      this.#chunks += 1
      this.#guarded(() => splitter.add(bytes))
      // One chunk for each turn of the event loop: a program that prints without end must not keep the worker from its
      // timers, of which one renews the lease and another ends this program.
      stream.pause()
      setImmediate(() => stream.resume())
    })
    return stream
  }

  /** After the listener has thrown, output is read and dropped, so that the program can end. */
  #guarded(deliver: () => void): void {
    if (this.#broken || this.#isOver) return
    try {
      deliver()
    } catch (error) {
      this.#broken = { error }
      this.#onBroken()
    }
  }

  #keepTail(text: string): void {
    // No UTF-16 unit takes less than a byte, so the last units hold the last bytes.
    this.#tail = (this.#tail + text.slice(-tailMaxBytes)).slice(-tailMaxBytes)
  }
}

/** The turn after the pause lets a worker that was busy all the time look at its pipes before it calls them quiet. */
async function quiet(): Promise<void> {
  await sleep(quietMs, undefined, { ref: false })
  await turn()
}
