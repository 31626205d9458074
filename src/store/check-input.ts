import { StintError, show } from '../core/errors.ts'
import type { Context } from '../core/job/commands.ts'
import { checkedText } from '../core/json.ts'
import { utf8Length } from '../core/names/utf8-length.ts'
import type { EventsRequest } from './store.ts'

/** Checks of single fields. Each error names the field and the rule, and is thrown before anything is written. */

export function refuse(field: string, value: unknown, rule: string): StintError {
  return new StintError('invalid_argument', `${field} ${rule}; got ${show(value)}.`, { field, rule })
}

/** What is wrong with one item must not stop the others, so its error becomes its result. Other errors are faults of ours. */
export function attempt<T>(make: () => T): T | StintError {
  try {
    return make()
  } catch (error) {
    if (error instanceof StintError) return error
    throw error
  }
}

/** Callers in JavaScript give anything. What is no object at all must be refused alone, like any other bad item. */
export function checkObject(value: unknown, field: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw refuse(field, value, 'must be an object')
}

export function checkArray(value: unknown, field: string, max: number): readonly unknown[] {
  if (Array.isArray(value) && value.length <= max) return value
  throw refuse(field, Array.isArray(value) ? value.length : value, `must be an array of at most ${max}`)
}

/** Whether both stores can hold the text. What they cannot hold, they do not have. */
export function isStorable(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
}

export function checkText(value: unknown, field: string, maxBytes: number): string {
  if (typeof value !== 'string' || value === '') throw refuse(field, value, 'must be a text that is not empty')
  // Three bytes a UTF-16 unit at most: short texts, nearly all, need no count.
  if (value.length * 3 > maxBytes && utf8Length(value) > maxBytes) {
    throw refuse(field, value, `must have at most ${maxBytes} bytes of UTF-8`)
  }
  return checkedText(value, field)
}

export function checkOptionalText(value: unknown, field: string, maxBytes: number): string | null {
  return value === undefined || value === null ? null : checkText(value, field, maxBytes)
}

export function checkInteger(value: unknown, field: string, min: number, max: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return value + 0
  throw refuse(field, value, `must be a whole number from ${min} to ${max}`)
}

/** Instants that a Date can show, from 1970 on. */
export function checkInstant(value: unknown, field: string): number {
  return checkInteger(value, field, 0, 8_640_000_000_000_000)
}

export function checkOptionalInstant(value: unknown, field: string): number | null {
  return value === undefined || value === null ? null : checkInstant(value, field)
}

const durationMaxMs = 100 * 366 * 86_400_000

export function checkDuration(value: unknown, field: string): number {
  return checkInteger(value, field, 0, durationMaxMs)
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Lower case only: PostgreSQL would fold the case, SQLite would not, and two texts would mean one job. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

export function checkUuid(value: unknown, field: string): string {
  if (typeof value === 'string' && isUuid(value)) return value
  const rule = 'must be a UUID in lower case'
  throw new StintError('invalid_id', `${field} ${rule}; got ${show(value)}.`, { field, rule })
}

/** Ids of workers, tokens and the like: they stand unescaped in log lines and in JSON that SQL builds. */
export function checkPlainId(value: unknown, field: string): string {
  if (typeof value === 'string' && /^[A-Za-z0-9._~:-]{1,128}$/.test(value)) return value
  throw refuse(field, value, 'must be 1 to 128 characters of A–Z a–z 0–9 . _ ~ : -')
}

/** A number from [0, 1), as a generator of random numbers gives it. */
export function checkRandom(value: unknown, field: string): number {
  if (typeof value === 'number' && value >= 0 && value < 1) return value + 0
  throw refuse(field, value, 'must be a number from 0 to below 1')
}

const contextLimits = { actor: 255, cause: 1_024, executionId: 255, traceId: 255, spanId: 255 } as const

/** Who and what stands behind a command: it is written to the log like any other text. */
export function checkContext(context: Context | undefined): Context {
  if (context === undefined) return {}
  const given: Context = checkObject(context, 'context')
  return {
    actor: contextText(given, 'actor'),
    cause: contextText(given, 'cause'),
    executionId: contextText(given, 'executionId'),
    traceId: contextText(given, 'traceId'),
    spanId: contextText(given, 'spanId'),
  }
}

function contextText(given: Context, name: keyof typeof contextLimits): string | null {
  const value = given[name]
  return value === undefined || value === null ? null : checkText(value, `context.${name}`, contextLimits[name])
}

/** The most entries that one page can have. */
const pageMax = 100_000

export function checkLimit(value: unknown): number {
  return checkInteger(value, 'limit', 1, pageMax)
}

/** The jobs that the log is read for; null for all. What is no UUID is the id of no job. */
export function checkJobs({ jobs, jobId, record, newestFirst }: EventsRequest): readonly string[] | null {
  if (jobs === undefined) return null
  if (newestFirst === true || jobId !== undefined || record !== undefined)
    throw refuse('jobs', jobs, 'must not be given together with jobId, record or newestFirst')
  return checkArray(jobs, 'jobs', pageMax).filter((id): id is string => typeof id === 'string' && isUuid(id))
}

/** Whether the log is read from its end. The history of one thing is short, and only read from its beginning. */
export function checkNewestFirst({ newestFirst = false, jobId, record }: EventsRequest): boolean {
  if (typeof newestFirst !== 'boolean') throw refuse('newestFirst', newestFirst, 'must be true or false')
  if (newestFirst && (jobId !== undefined || record !== undefined))
    throw refuse('newestFirst', newestFirst, 'must not be given together with a job or a record')
  return newestFirst
}

/** The row after which a page of jobs begins; null for the first page. */
export function checkAfter(value: unknown): number {
  return checkInteger(value ?? 0, 'after', 0, Number.MAX_SAFE_INTEGER)
}

export function checkNow(now: unknown): void {
  if (now !== undefined) checkInstant(now, 'now')
}

export function checkBoolean(value: unknown, field: string): boolean {
  if (typeof value === 'boolean') return value
  throw refuse(field, value, 'must be true or false')
}

/** A namespace, and what is named within one: parts of names, so they have the alphabet of namespaces. */
export function checkPart(value: unknown, field: string): string {
  const text = checkText(value, field, 128)
  if (!/^[A-Za-z0-9._~-]+$/.test(text)) throw refuse(field, value, 'must consist of A–Z a–z 0–9 . _ ~ -')
  return text
}

/** A type has its own alphabet because it stands in URLs, metrics and generated names. */
export function checkType(type: unknown, field = 'type'): string {
  const text = checkText(type, field, 128)
  if (!/^[A-Za-z0-9._~:-]+$/.test(text)) throw refuse(field, type, 'must consist of A–Z a–z 0–9 . _ ~ : -')
  return text
}
