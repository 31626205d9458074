import { type ErrorCode, errorCodes, StintError } from '../core/errors.ts'
import { isOutage } from '../engine/worker/completer.ts'

/** What went wrong, as RFC 9457 has it. `code` is what programs branch on; `field` and `rule` say what to change. */
export interface Problem {
  /** Where the code is explained. */
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly [detail: string]: string | number | boolean | null
}

/** What is no error of Stint's own is ours to look into: nothing of it is told to whoever asked. */
export function problemOf(error: unknown): Problem {
  if (error instanceof StintError && !isHidden(error.code)) return made(error.code, error.message, error.details)
  if (isOutage(error)) return made('store_busy', 'The database cannot be reached at the moment. Try again.')
  return made('internal_error', 'Something went wrong here that should not have. It stands in the log of the server.')
}

/** Messages that may hold something of the inside. */
function isHidden(code: ErrorCode): boolean {
  return code === 'internal_error'
}

function made(code: ErrorCode, detail: string, details: StintError['details'] = {}): Problem {
  const { status, retryable, means } = errorCodes[code]
  return { ...details, type: `/errors#${code}`, title: means, status, detail, code, retryable }
}

export function problemResponse(problem: Problem, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  })
}
