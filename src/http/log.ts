import { StintError } from '../core/errors.ts'

export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error'
  readonly [field: string]: unknown
}

/** Takes what is worth to be written down. */
export type Log = (entry: LogEntry) => void

/** A line of JSON for each entry. Keys and secrets never come here: entries are made of what is listed, not of requests. */
export function jsonLines(write: (line: string) => void): Log {
  return ({ level, error, ...fields }) => {
    const entry = { time: new Date().toISOString(), level, ...fields, ...(error === undefined ? {} : described(error)) }
    write(`${JSON.stringify(entry)}\n`)
  }
}

function described(error: unknown): object {
  if (!(error instanceof Error)) return { error: String(error) }
  const code = error instanceof StintError ? { code: error.code } : {}
  return { error: error.message, stack: error.stack, ...code }
}
