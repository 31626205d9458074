import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answer, Call, Commands } from './child.ts'
import type { Contestant } from './contestants.ts'

type Result<Name extends keyof Commands> = Awaited<ReturnType<Commands[Name]>>

/** A fresh process with one system opened in it. */
export class SystemProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #calls = 0

  private constructor(child: ChildProcess, label: string) {
    this.#child = child
    child.on('message', ({ id, value, error }: Answer) => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(value)
      else waiting?.reject(new Error(`${label}: ${error}`))
    })
    child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting.values())
        reject(new Error(`${label} ended by itself (${signal ?? code}).`))
      this.#waiting.clear()
    })
  }

  static async start(contestant: Contestant, url: string): Promise<SystemProcess> {
    const { system, store } = contestant
    const child = fork(join(import.meta.dirname, 'child.ts'), [JSON.stringify(contestant), url], {
      // What it prints is for people; standard output is kept for the results.
      stdio: ['ignore', 2, 2, 'ipc'],
    })
    const started = new SystemProcess(child, `${system} on ${store}`)
    await started.#answerTo(0)
    return started
  }

  async call<Name extends keyof Commands>(name: Name, ...args: Parameters<Commands[Name]>): Promise<Result<Name>> {
    this.#calls += 1
    const answer = this.#answerTo(this.#calls)
    this.#child.send({ id: this.#calls, name, args } satisfies Call)
    return (await answer) as Result<Name>
  }

  async end(): Promise<void> {
    await this.call('close')
    const ended = once(this.#child, 'exit')
    // Some systems leave a timer or a connection behind that would keep the process alive.
    this.#child.kill('SIGKILL')
    await ended
  }

  /** For when something went wrong: nothing is asked any more. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  #answerTo(id: number): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    return waiting.promise
  }
}
