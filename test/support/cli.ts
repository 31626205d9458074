import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { screenOf } from './screen.ts'

const program = join(import.meta.dirname, '../../bin/stint.js')

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  readonly input?: string
}

/** Nothing of whoever runs the tests may decide what a command does. */
function environment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(STINT_|NO_COLOR$|FORCE_COLOR$|npm_)/.test(name))
  return { ...Object.fromEntries(own), ...env }
}

/** Runs `stint` as a program would: no terminal. */
export async function stint(args: readonly string[], { cwd, env, input = '' }: RunOptions): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], { cwd, env: environment(env) })
  child.stdin.end(input)
  const texts = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    texts.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    texts.err += chunk
  })
  const [code] = await once(child, 'close')
  return { code, ...texts }
}

/** Runs commands one after the other in one process, which knows `stint` already. */
export interface Commands {
  run(args: readonly string[], options: Pick<RunOptions, 'cwd'>): Promise<Ran>
  end(): Promise<void>
}

export function startCommands(): Commands {
  const child = fork(join(import.meta.dirname, 'processes/run-commands.ts'), { execArgv: [], env: environment() })
  const waiting: PromiseWithResolvers<Ran>[] = []
  child.on('message', (ran: Ran) => waiting.shift()?.resolve(ran))
  const ended = once(child, 'close').then(() => {
    for (const { reject } of waiting) reject(new Error('The process in which commands run has ended.'))
  })
  return {
    run: (args, { cwd }) => {
      const asked = Promise.withResolvers<Ran>()
      waiting.push(asked)
      child.send({ args, cwd, env: environment() })
      return asked.promise
    },
    end: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A process that goes on until it is stopped, and what it has printed. */
export interface Running {
  readonly child: ChildProcess
  /** All that was printed so far. */
  text(): string
  /** Resolves when it has printed something that matches, with the match. */
  says(pattern: RegExp): Promise<RegExpMatchArray>
  /** Resolves with its exit code. */
  ended: Promise<number | null>
}

function running(child: ChildProcess): Running {
  let text = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += chunk
      for (const look of waiting) look()
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const says = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text)
        if (match === null) return
        waiting.delete(look)
        resolve(match)
      }
      waiting.add(look)
      look()
      void ended.then((code) => reject(new Error(`It ended with ${code} and never said ${pattern}:\n${text}`)))
    })
  return { child, text: () => text, says, ended }
}

/** Starts `stint`, to be stopped at the end of the test at the latest. */
export function start(args: readonly string[], { cwd, env }: RunOptions, atEnd = onTestFinished): Running {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  atEnd(() => void child.kill('SIGKILL'))
  return running(child)
}

export interface OnScreen extends Running {
  /** What somebody sees who looks at the terminal now. */
  screen(): readonly string[]
  type(keys: string): void
}

/** Starts `stint` in a pseudo-terminal of a size, which `script` makes: it is part of every system that has terminals. */
export function startInTerminal(args: readonly string[], { cwd, env }: RunOptions, columns = 100, rows = 30): OnScreen {
  const quoted = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const line = `stty cols ${columns} rows ${rows} && exec ${quoted}`
  const [command, ...rest] =
    process.platform === 'darwin'
      ? ['script', '-q', '/dev/null', 'sh', '-c', line]
      : ['script', '-qec', line, '/dev/null']
  const child = spawn(command as string, rest, {
    cwd,
    env: { ...environment(env), TERM: 'xterm-256color', SHELL: '/bin/sh' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const on = running(child)
  return { ...on, screen: () => screenOf(on.text(), columns, rows), type: (keys) => void child.stdin.write(keys) }
}

/** Files of a project. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

/** The file report.txt that the first attempt of a job left, as a server gives it. */
export async function artifactOf(url: string, name: string, headers: Record<string, string> = {}): Promise<string> {
  const found = await fetch(`${url}/v1/jobs?name=${name}`, { headers })
  const { items } = (await found.json()) as { items: readonly { id: string }[] }
  const file = await fetch(`${url}/v1/jobs/${items[0]?.id}/runs/1/artifact?path=report.txt`, { headers })
  return await file.text()
}
