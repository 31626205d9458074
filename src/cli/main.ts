import { readFileSync } from 'node:fs'
import { Call } from './call.ts'
import { commands } from './commands/commands.ts'
import { completionsOf } from './complete.ts'
import { type Exit, exitCodes, exitOf } from './exit.ts'
import { failureText } from './failure.ts'
import { Printer } from './output/print.ts'
import { isShown, isUsage, programOf, type Typed } from './program.ts'
import { readSettings } from './settings.ts'
import { type Terminal, terminalOf } from './terminal.ts'

/** Understands what was typed, does it, and gives the code to exit with. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = terminalOf(process)
  const typed = understood(argv, terminal)
  if (typeof typed === 'string') return exitCodes[typed].code
  const interrupts = new Interrupts()
  try {
    const exit = await run(typed, terminal, interrupts)
    return exitCodes[interrupts.signal.aborted && !interrupts.areTaken ? 'interrupted' : exit].code
  } catch (error) {
    const isInterrupted = interrupts.signal.aborted && !interrupts.areTaken
    if (!isInterrupted || exitOf(error) === 'interrupted') terminal.err.write(failureText(error, terminal.err))
    if (isInterrupted) return exitCodes.interrupted.code
    return exitCodes[exitOf(error)].code
  } finally {
    interrupts.end()
  }
}

export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version

function understood(argv: readonly string[], terminal: Terminal): Typed | Exit {
  let typed: Typed | null = null
  const program = programOf(commands, {
    terminal,
    version,
    onTyped: (each) => {
      typed = each
    },
  })
  try {
    program.parse([...argv], { from: 'user' })
  } catch (error) {
    if (isShown(error)) return 'fine'
    if (isUsage(error)) return 'usage'
    throw error
  }
  return typed ?? 'usage'
}

async function run(typed: Typed, terminal: Terminal, interrupts: Interrupts): Promise<Exit> {
  const { command, args, options, common, format } = typed
  const call = new Call({
    ...{ args, options, common, terminal },
    settings: await readSettings(process.cwd(), process.env),
    print: new Printer(terminal, format),
    interrupted: interrupts.signal,
    takeInterrupts: () => interrupts.take(),
    env: process.env,
    completions: (words, client) => completionsOf(words, commands, client),
  })
  try {
    await command.run(call as Parameters<typeof command.run>[0])
    return 'fine'
  } finally {
    await call.close()
  }
}

/** Ctrl-C asks the command to end; one that does not within a moment, or a second Ctrl-C, ends it here. */
class Interrupts {
  readonly #controller = new AbortController()
  readonly #onSignal = () => this.#interrupt()
  areTaken = false

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, this.#onSignal)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The command decides on its own what Ctrl-C means. */
  take(): void {
    this.areTaken = true
    this.end()
  }

  end(): void {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, this.#onSignal)
  }

  #interrupt(): void {
    if (this.signal.aborted) process.exit(exitCodes.interrupted.code)
    this.#controller.abort()
    setTimeout(() => process.exit(exitCodes.interrupted.code), patienceMs).unref()
  }
}

const patienceMs = 2_000
