import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { Orders } from './store-of.ts'

export type Program = 'work' | 'submit-for-ever' | 'come-and-go' | 'open-together' | 'leave-open'

/** A real process that runs one of the programs beside this file. It does not outlive its test. */
export class RunningProgram {
  readonly lines: string[] = []
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #said = ''
  #waiting: { readonly count: number; readonly resolve: () => void }[] = []

  constructor(program: Program, orders: Orders) {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, `${program}.ts`), JSON.stringify(orders)], {
      stdio: ['ignore', 'pipe', 'pipe'],
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
    const heard = new Promise<void>((resolve) => this.#waiting.push({ count, resolve }))
    this.#hear()
    await Promise.race([heard, this.#ended])
    if (this.lines.length < count) throw new Error(`The program ended early: ${this.#said}`)
  }

  /** kill -9: no handler runs, nothing is flushed, nothing is closed. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  /** What the program said, once it has ended by itself and without an error. */
  async finished(): Promise<readonly string[]> {
    await this.#ended
    if (this.#child.exitCode !== 0) throw new Error(`The program failed (${this.#child.exitCode}): ${this.#said}`)
    return this.lines
  }

  #hear(line?: string): void {
    if (line !== undefined) this.lines.push(line)
    for (const { count, resolve } of this.#waiting) if (this.lines.length >= count) resolve()
    this.#waiting = this.#waiting.filter(({ count }) => this.lines.length < count)
  }
}
