import { StintError } from '../core/errors.ts'

/** What the exit codes of all commands mean. The reference page shows the same table. */
export const exitCodes = {
  fine: { code: 0, means: 'It worked.' },
  failed: {
    code: 1,
    means: 'The job failed, was cancelled or was skipped; or something else went wrong that has no code of its own.',
  },
  usage: { code: 2, means: 'The command was not understood, or a value is not allowed.' },
  notFound: { code: 3, means: 'There is nothing with this name or id.' },
  access: { code: 4, means: 'No key was given, or it does not allow this.' },
  conflict: { code: 5, means: 'The current state does not allow it, or a name is taken.' },
  timeout: { code: 6, means: 'The job did not end within the time to wait.' },
  unreachable: { code: 7, means: 'The server or the database cannot be reached.' },
  interrupted: { code: 130, means: 'You pressed Ctrl-C.' },
} as const

export type Exit = keyof typeof exitCodes

export function exitOf(error: unknown): Exit {
  if (error instanceof Failure) return error.exit
  if (error instanceof StintError) return exitOfStint(error)
  return isConnectionError(error) ? 'unreachable' : 'failed'
}

function exitOfStint({ code, status }: StintError): Exit {
  if (code === 'job_failed' || code === 'job_cancelled' || code === 'job_skipped') return 'failed'
  if (code === 'wait_timeout') return 'timeout'
  if (code === 'unreachable' || code === 'store_busy' || code === 'unsupported_store') return 'unreachable'
  if (status === 401 || status === 403) return 'access'
  if (status === 404) return 'notFound'
  if (status === 409 || status === 422) return 'conflict'
  return status < 500 ? 'usage' : 'failed'
}

const connectionErrors = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAI_AGAIN'])

/** What a driver of a database says when there is none. */
export function isConnectionError(error: unknown): boolean {
  return connectionErrors.has(String((error as NodeJS.ErrnoException | null)?.code))
}

/** Something that the command line itself has to say: what happened and why, and what to do. Without a message all was said before. */
export class Failure extends Error {
  readonly exit: Exit
  readonly hint: string | null

  constructor(exit: Exit, message: string, hint: string | null = null) {
    super(message)
    this.exit = exit
    this.hint = hint
  }
}
