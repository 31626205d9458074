import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Commands as SystemCommands } from './child.ts'
import type { Contestant } from './contestants.ts'
import type { Answer, Call, Commands } from './serve.ts'

/** A fresh process that does what it is told, and can be told to `close`. */
export class CommandProcess<All extends Commands> {
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

  static async fork<All extends Commands>(
    file: string,
    args: readonly string[],
    label: string,
  ): Promise<CommandProcess<All>> {
    // What it prints is for people; standard output is kept for the results.
    const child = fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 2, 2, 'ipc'] })
    const started = new CommandProcess<All>(child, label)
    await started.#answerTo(0)
    return started
  }

  async call<Name extends keyof All & string>(
    name: Name,
    ...args: Parameters<All[Name]>
  ): Promise<Awaited<ReturnType<All[Name]>>> {
    return (await this.#send(name, args)) as Awaited<ReturnType<All[Name]>>
  }

  async end(): Promise<void> {
    await this.#send('close', [])
    const ended = once(this.#child, 'exit')
    // Some systems leave a timer or a connection behind that would keep the process alive.
    this.#child.kill('SIGKILL')
    await ended
  }

  /** For when something went wrong: nothing is asked any more. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async #send(name: string, args: readonly unknown[]): Promise<unknown> {
    this.#calls += 1
    const answer = this.#answerTo(this.#calls)
    this.#child.send({ id: this.#calls, name, args } satisfies Call)
    return await answer
  }

  #answerTo(id: number): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    return waiting.promise
  }
}

/** One with a system opened in it. */
export type SystemProcess = CommandProcess<SystemCommands>

export async function startSystem(contestant: Contestant, url: string): Promise<SystemProcess> {
  const { system, store } = contestant
  return await CommandProcess.fork('child.ts', [JSON.stringify(contestant), url], `${system} on ${store}`)
}
