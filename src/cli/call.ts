import { Client } from '../client/client.ts'
import type { Stint } from '../engine/stint.ts'
import { openDatabase } from './database.ts'
import { runningDev } from './dev/dev-file.ts'
import type { Printer } from './output/print.ts'
import type { CommonOptions, Setting, Settings } from './settings.ts'
import type { Terminal } from './terminal.ts'

interface Given<Args, Options> {
  readonly args: Args
  readonly options: Options
  readonly common: CommonOptions
  readonly settings: Settings
  readonly terminal: Terminal
  readonly print: Printer
  /** Aborts on Ctrl-C. */
  readonly interrupted: AbortSignal
  /** Tells that Ctrl-C is the command's own affair, from now on. */
  readonly takeInterrupts: () => void
  readonly env: NodeJS.ProcessEnv
  /** What may stand after words that were typed. */
  readonly completions: (words: readonly string[], client: () => Promise<Client>) => Promise<readonly string[]>
}

const defaultUrl = 'http://127.0.0.1:4600'

/** What a command gets: what was typed, and ways to what it works on, which are made when they are wanted. */
export class Call<Args = unknown, Options = unknown> {
  readonly args: Args
  readonly options: Options
  readonly common: CommonOptions
  readonly settings: Settings
  readonly terminal: Terminal
  readonly print: Printer
  readonly interrupted: AbortSignal
  readonly takeInterrupts: () => void
  readonly env: NodeJS.ProcessEnv
  readonly #completions: Given<Args, Options>['completions']
  #client: Promise<Client> | null = null
  readonly #closing: (() => Promise<void>)[] = []

  constructor(given: Given<Args, Options>) {
    this.args = given.args
    this.options = given.options
    this.common = given.common
    this.settings = given.settings
    this.terminal = given.terminal
    this.print = given.print
    this.interrupted = given.interrupted
    this.takeInterrupts = given.takeInterrupts
    this.env = given.env
    this.#completions = given.completions
  }

  /** Tells people something. It is no data. */
  say(text: string): void {
    this.terminal.err.write(`${text}\n`)
  }

  /** What may stand at the cursor. */
  complete(words: readonly string[]): Promise<readonly string[]> {
    return this.#completions(words, () => this.client())
  }

  /** Where the server is, and who says so. */
  server(): Setting {
    const dev = runningDev(this.settings.root)
    return (
      this.settings.get('url', this.common.url) ??
      (dev === null
        ? { value: defaultUrl, from: 'the default' }
        : { value: dev.url, from: '`stint dev`, which runs here' })
    )
  }

  /** The server; or with `--db` a database, as if there were one. */
  client(): Promise<Client> {
    this.#client ??= this.#connect()
    return this.#client
  }

  async #connect(): Promise<Client> {
    if (this.common.db !== undefined) {
      const { clientOf } = await import('./embedded-client.ts')
      const { client, close } = clientOf(await this.stint())
      this.#closing.unshift(close)
      return client
    }
    const key = this.settings.get('key', this.common.key)
    return new Client({ url: this.server().value, retries: 1, ...(key === null ? {} : { key: key.value }) })
  }

  /** Stint on the database itself. */
  async stint(): Promise<Stint> {
    const stint = await openDatabase(this.settings, this.common)
    this.#closing.push(() => stint.close())
    return stint
  }

  /** For commands that go on until somebody stops them, which is then no interruption. A second Ctrl-C ends the process. */
  async untilInterrupted(): Promise<void> {
    this.takeInterrupts()
    await new Promise<void>((resolve) => {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve())
    })
  }

  /** Lets go of everything that was opened. */
  async close(): Promise<void> {
    for (const close of this.#closing) await close()
  }
}
