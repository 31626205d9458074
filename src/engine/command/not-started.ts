import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import { StintError, show } from '../../core/errors.ts'

/** Why a child process without a process id was not started. Node says so one turn later. */
export function startError(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once('error', resolve))
}

export function notStarted(program: string, cause: unknown, cwd?: string): StintError {
  const errno = String((cause as NodeJS.ErrnoException | null)?.code ?? 'unknown error')
  const because = cwd !== undefined && !isDirectory(cwd) ? `: ${show(cwd)} is not a directory to work in` : ''
  const details = { program, errno, ...(cwd === undefined ? {} : { cwd }) }
  return new StintError('command_not_started', `${show(program)} could not be started (${errno})${because}.`, details)
}

/** The system has the same answer (ENOENT) for a missing program and a missing directory; people need to know which. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
