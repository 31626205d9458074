import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { CommandEnd, CommandRun, OutputLine } from '../../../src/engine/command/command-run.ts'
import { runCommand } from '../../../src/engine/command/run-command.ts'

/** Longer than any test may take: whoever relies on the grace in such a test fails. */
export const endlessMs = 600_000

/** A command under test: what it printed so far, how to stop it, and its end. */
export class Running {
  readonly lines: OutputLine[] = []
  readonly end: Promise<CommandEnd>
  readonly #abort = new AbortController()
  #isSettled = false

  constructor(program: string, args: readonly string[], options: Partial<CommandRun> = {}) {
    const { onOutput } = options
    this.end = runCommand({
      killGraceMs: endlessMs,
      artifactsDirectory: '/nowhere',
      signal: this.#abort.signal,
      ...options,
      program,
      args,
      onOutput: (line) => {
        this.lines.push(line)
        onOutput?.(line)
      },
    })
    const settle = () => {
      this.#isSettled = true
    }
    this.end.then(settle, settle)
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  abort(): void {
    this.#abort.abort()
  }

  /** The texts of one stream. */
  texts(stream: OutputLine['stream'] = 'stdout'): string[] {
    return this.lines.filter((line) => line.stream === stream).map(({ text }) => text)
  }

  /** Waits for so many lines on stdout, and gives the last one as a number: programs here print process ids. */
  async said(count: number): Promise<number> {
    await until(() => this.texts().length >= count || this.#isSettled)
    return Number(this.texts()[count - 1])
  }
}

export function sh(script: string, options?: Partial<CommandRun>): Running {
  return new Running('sh', ['-c', script], options)
}

export function node(script: string, options?: Partial<CommandRun>): Running {
  return new Running(process.execPath, ['-e', script], options)
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(10)
}

/** Whether a process can still do anything. An orphan that nobody collects stays as a zombie, and that is dead enough. */
export function isAlive(pid: number): boolean {
  if (!(pid > 1)) throw new Error(`${pid} is not a process id.`)
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

export function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stint-command-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
