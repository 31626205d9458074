import pc from 'picocolors'

export type Colors = ReturnType<typeof pc.createColors>

/** One of the two streams that a command writes to. */
export interface Screen {
  write(text: string): void
  readonly isTerminal: boolean
  readonly colors: Colors
  /** How wide it is; unbounded where nobody looks at it. */
  readonly columns: number
  readonly rows: number
}

/** Data goes to `out`, everything else to `err`, so that what is piped on is never mixed with talk. */
export interface Terminal {
  readonly out: Screen
  readonly err: Screen
}

export function terminalOf(process: NodeJS.Process): Terminal {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onBrokenPipe)
  return { out: screenOf(process.stdout, process.env), err: screenOf(process.stderr, process.env) }
}

/** Whoever reads has read enough: `stint list | head`. */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
}

function screenOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Screen {
  const isTerminal = stream.isTTY === true
  return {
    write: (text) => void stream.write(text),
    isTerminal,
    colors: pc.createColors(hasColors(isTerminal, env)),
    get columns() {
      return isTerminal ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY
    },
    get rows() {
      return isTerminal ? (stream.rows ?? 24) : Number.POSITIVE_INFINITY
    },
  }
}

/** https://no-color.org and what `FORCE_COLOR` has come to mean. */
function hasColors(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return isTerminal && env['TERM'] !== 'dumb'
}

/** Lines at the bottom of a terminal that are drawn again and again. Off a terminal there are none. */
export class LiveLines {
  readonly #screen: Screen
  #drawn = 0
  #text = ''

  constructor(screen: Screen) {
    this.#screen = screen
    if (screen.isTerminal) screen.write('\u001b[?25l')
  }

  /** Replaces all lines. They must not be wider than the screen: a line that wraps cannot be taken back. */
  draw(lines: readonly string[]): void {
    if (!this.#screen.isTerminal) return
    const shown = lines.slice(0, Math.max(1, this.#screen.rows - 1))
    const text = shown.map((line) => `${line}\u001b[K\n`).join('')
    if (text === this.#text && shown.length === this.#drawn) return
    this.#screen.write(`${this.#up()}\u001b[J${text}`)
    this.#drawn = shown.length
    this.#text = text
  }

  /** Writes something above the lines, which stays. */
  above(text: string): void {
    if (!this.#screen.isTerminal) return
    this.#screen.write(`${this.#up()}\u001b[J${text}${this.#text}`)
  }

  /** Removes the lines, or leaves them where they are. */
  end({ keep }: { readonly keep: boolean }): void {
    if (!this.#screen.isTerminal) return
    if (!keep) this.#screen.write(`${this.#up()}\u001b[J`)
    this.#screen.write('\u001b[?25h')
    this.#drawn = 0
    this.#text = ''
  }

  #up(): string {
    return this.#drawn === 0 ? '' : `\u001b[${this.#drawn}A\r`
  }
}
