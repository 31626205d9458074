import { type ErrorCode, type ErrorDetails, StintError } from '../../core/errors.ts'

/** An error as plain data: a thread that gets an Error gets its text and nothing of what we added to it. */
export interface PackedError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** Of a StintError; null for others. */
  readonly details: ErrorDetails | null
  /** What others have beside their text: `code` of Node and `errcode` of SQLite among them. */
  readonly more: Readonly<Record<string, unknown>>
}

export function packError(error: unknown): PackedError {
  if (!(error instanceof Error)) return packError(new Error(String(error)))
  const { name, message, stack } = error
  const isData = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value)
  const more = Object.fromEntries(Object.entries(error).filter(([, value]) => isData(value)))
  return { name, message, stack, details: error instanceof StintError ? error.details : null, more }
}

export function unpackError({ name, message, stack, details, more }: PackedError): Error {
  const error =
    details === null
      ? Object.assign(new Error(message), more)
      : new StintError(more['code'] as ErrorCode, message, details)
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
  if (stack !== undefined) error.stack = stack
  return error
}

/** A result as plain data, with the places of the errors in it: what was wrong with one item stands in its `error`. */
export interface PackedResult {
  readonly value: unknown
  readonly errorsAt: readonly number[]
}

export function packResult(result: unknown): PackedResult {
  if (!Array.isArray(result)) return { value: result, errorsAt: [] }
  const errorsAt = [...result.keys()].filter((i) => result[i]?.error instanceof Error)
  if (errorsAt.length === 0) return { value: result, errorsAt }
  const value = [...result]
  for (const i of errorsAt) value[i] = { ...value[i], error: packError(value[i].error) }
  return { value, errorsAt }
}

export function unpackResult({ value, errorsAt }: PackedResult): unknown {
  const items = value as { error: unknown }[]
  for (const i of errorsAt) {
    const item = items[i]
    if (item !== undefined) item.error = unpackError(item.error as PackedError)
  }
  return value
}
