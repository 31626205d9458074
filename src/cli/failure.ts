import { StintError } from '../core/errors.ts'
import { Failure, isConnectionError } from './exit.ts'
import { harmlessLine } from './output/text.ts'
import type { Screen } from './terminal.ts'

/** What happened and why, and what to do. */
export function failureText(error: unknown, screen: Screen): string {
  const { colors } = screen
  if (error instanceof Failure && error.message === '') return ''
  const hint = hintOf(error)
  const code = error instanceof StintError ? colors.dim(` (${error.code})`) : ''
  const message = messageOf(error)
    .split('\n')
    .map((line) => harmlessLine(line, false))
    .join('\n')
  return `${colors.red('✖')} ${message}${code}\n${hint === null ? '' : `  ${hint.replaceAll('\n', '\n  ')}\n`}`
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A driver that tried several addresses has no message of its own.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error.message || error.name
}

function hintOf(error: unknown): string | null {
  if (error instanceof Failure) return error.hint
  if (error instanceof StintError) return hints[error.code] ?? null
  if (isConnectionError(error))
    return 'Is the database there, and is the address right? `stint doctor` looks at all of it.'
  return error instanceof Error && process.env['STINT_DEBUG'] !== undefined ? (error.stack ?? null) : null
}

/** What to do about errors whose message cannot know that it is read in a terminal. */
const hints: Partial<Record<StintError['code'], string>> = {
  unreachable:
    'Start one with `stint dev`, or say where it is: --url, STINT_API_URL or stint.config.ts. `stint doctor` finds out what is wrong.',
  unauthorized: 'Give a key with --key or STINT_API_KEY. Whoever has the database makes one: stint keys create --db …',
  forbidden: 'Ask for a key with a higher role or a wider path: stint keys create.',
  name_taken: 'A live job has this name. --on-conflict keep gives that one, replace puts this in its place.',
  key_taken: 'A live job of this type has this key. --on-conflict keep gives that one, replace puts this in its place.',
  wait_timeout: 'The job goes on. Wait longer with --timeout, or follow it with `stint watch`.',
  schema_newer: 'Update Stint here: npm install stint@latest.',
  store_busy: 'Something else holds the database. Try again.',
  internal_error: 'Please report it, with what you did.',
}
