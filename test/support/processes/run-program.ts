import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { StintOrders } from './stint-of.ts'
import type { Orders } from './store-of.ts'

export type Program =
  | ('work' | 'submit-for-ever' | 'come-and-go' | 'open-together' | 'leave-open')
  | ('work-with-stint' | 'submit-with-stint')

/** A real process that runs one of the programs beside this file. It does not outlive its test. */
export class RunningProgram {
  readonly lines: string[] = []
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #said = ''
  #waiting: { readonly isHeard: () => boolean; readonly resolve: () => void }[] = []

  constructor(program: Program, orders: Orders | StintOrders) {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, `${program}.ts`), JSON.stringify(orders)], {
      // Nothing is said to the program. One that would go on for ever sees by its end that the run was killed.
      stdio: ['pipe', 'pipe', 'pipe'],
      // Options for the runner of the tests, such as loaders or coverage, are not meant for the program.
      env: { ...process.env, NODE_OPTIONS: '' },
    })
    this.#ended = once(this.#child, 'close')
    if (this.#child.stdout !== null) createInterface(this.#child.stdout).on('line', (line) => this.#hear(line))
    this.#child.stderr?.on('data', (data) => {
      this.#said += String(data)
    })
    onTestFinished(() => this.kill())
  }

  /** Waits until so many lines were said; throws when the program ends before. */
  async heard(count: number): Promise<void> {
    await this.#until(() => this.lines.length >= count)
  }

  /** Waits for a line that begins so, and gives the rest of it. */
  async heardLine(start: string): Promise<string> {
    const find = () => this.lines.find((line) => line.startsWith(start))
    await this.#until(() => find() !== undefined)
    return find()?.slice(start.length) ?? ''
  }

  /** Waits until it has said so much more than now: a sign that it goes on. */
  async heardMore(count: number): Promise<void> {
    await this.heard(this.lines.length + count)
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** kill -9: no handler runs, nothing is flushed, nothing is closed. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** Resolves when it is over, however it ended. */
  async ended(): Promise<void> {
    await this.#ended
  }

  /** What the program said, once it has ended by itself and without an error. */
  async finished(): Promise<readonly string[]> {
    await this.#ended
    const { exitCode, signalCode } = this.#child
    if (exitCode !== 0) throw new Error(`The program failed (${exitCode ?? signalCode}): ${this.#said}`)
    return this.lines
  }

  async #until(isHeard: () => boolean): Promise<void> {
    const heard = new Promise<void>((resolve) => this.#waiting.push({ isHeard, resolve }))
    this.#hear()
    await Promise.race([heard, this.#ended])
    if (!isHeard()) throw new Error(`The program ended early: ${this.#said}`)
  }

  #hear(line?: string): void {
    if (line !== undefined) this.lines.push(line)
    for (const { isHeard, resolve } of this.#waiting) if (isHeard()) resolve()
    this.#waiting = this.#waiting.filter(({ isHeard }) => !isHeard())
  }
}
