import { StintError, show } from '../../core/errors.ts'

/** A program to run: what, with what, and who hears of it. */
export interface CommandRun {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** Added to the clean environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Aborted by a cancel, a timeout or the loss of the lease: the program is then stopped with all its children. */
  readonly signal: AbortSignal
  /** How long the program may clean up between SIGTERM and SIGKILL. */
  readonly killGraceMs: number
  /** Hears every line in the order of its stream. What it throws stops the program and fails the run. */
  readonly onOutput: (line: OutputLine) => void
  /** Exists already and belongs to this run alone. */
  readonly artifactsDirectory: string
}

export type OutputStream = 'stdout' | 'stderr'

export interface OutputLine {
  readonly stream: OutputStream
  readonly text: string
}

export interface CommandEnd {
  /** Null when a signal ended the program, or when it was never started because the run was aborted before. */
  readonly exitCode: number | null
  readonly killedBy: NodeJS.Signals | null
  /** Paths below the artifacts directory, with forward slashes, sorted. */
  readonly artifacts: readonly string[]
  /** The last 2 KiB that the program wrote to stderr. */
  readonly stderrTail: string
}

/** Refuses what the operating system would cut short or take for something else. */
export function checkRun(run: CommandRun): void {
  if (run.program === '') refuse('program', run.program, 'must not be empty')
  refuseNul('program', run.program)
  run.args.forEach((arg, i) => {
    refuseNul(`args[${i}]`, arg)
  })
  if (run.cwd !== undefined) refuseNul('cwd', run.cwd)
  for (const [name, value] of Object.entries(run.env ?? {})) checkVariable(name, value)
  if (!Number.isFinite(run.killGraceMs) || run.killGraceMs < 0) {
    refuse('killGraceMs', run.killGraceMs, 'must be a number of milliseconds, 0 or more')
  }
}

function checkVariable(name: string, value: string): void {
  const field = `env[${show(name)}]`
  if (name === '' || name.includes('=')) refuse(field, name, 'must have a name without "="')
  refuseNul(field, name)
  refuseNul(field, value, 'a value that is not shown')
}

/** Values of the environment may be secrets, so the caller says what to show in their place. */
function refuseNul(field: string, value: string, shown: string = value): void {
  if (value.includes('\0')) refuse(field, shown, 'must not contain NUL: programs would see only what stands before it')
}

function refuse(field: string, value: unknown, rule: string): never {
  throw new StintError('invalid_argument', `${field} ${rule}, but is ${show(value)}.`, { field, rule })
}
