import { StintError, show } from './errors.ts'
import { utf8Length } from './names/utf8-length.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json }

export const jsonLimits = { depth: 100, bytes: 1_048_576 } as const

/**
 * Turns a value into the JSON text that both stores keep and give back unchanged. Whatever one of them could not hold is
 * refused here, before anything is written: NUL, lone surrogates, numbers that are not finite, values that JSON drops or
 * changes in silence, too deep, too large. `field` names the value in the error.
 */
export function toJsonText(value: unknown, field: string, maxBytes: number = jsonLimits.bytes): string | null {
  if (value === undefined) return null
  const text = JSON.stringify(plain(value, field, { bytesLeft: maxBytes, maxBytes, field }, 0))
  // A UTF-16 unit takes three bytes at most, so only texts that come near the limit are counted.
  if (text.length * 3 > maxBytes && utf8Length(text) > maxBytes) throw tooLarge(field, maxBytes)
  return text
}

/**
 * Every node takes a byte at least, and so does every unit of text. Counting them stops a small graph that unfolds into
 * an endless tree, or into a text longer than a string can be, before it is written out.
 */
interface Budget {
  bytesLeft: number
  readonly maxBytes: number
  /** The value as a whole: no one part of it is what is too large. */
  readonly field: string
}

function spend(budget: Budget, bytes: number): void {
  budget.bytesLeft -= bytes
  if (budget.bytesLeft < 0) throw tooLarge(budget.field, budget.maxBytes)
}

/** A copy that holds only what JSON can hold. Copying first means that getters and `toJSON` are asked once. */
function plain(value: unknown, field: string, budget: Budget, depth: number): Json {
  spend(budget, 1)
  if (depth > jsonLimits.depth) throw refused(field, value, `not nested deeper than ${jsonLimits.depth} levels`)
  switch (typeof value) {
    case 'string':
      spend(budget, value.length)
      return checkedText(value, field)
    case 'number':
      if (!Number.isFinite(value)) throw refused(field, value, 'numbers must be finite')
      return value
    case 'boolean':
      return value
    case 'object':
      return value === null ? null : plainObject(value, field, budget, depth)
    default:
      throw refused(field, value, `JSON cannot hold a ${typeof value}`)
  }
}

function plainObject(value: object, field: string, budget: Budget, depth: number): Json {
  if (Array.isArray(value))
    return Array.from(value, (item, i) => plain(item ?? null, `${field}[${i}]`, budget, depth + 1))
  if ('toJSON' in value && typeof value.toJSON === 'function') return plain(value.toJSON(), field, budget, depth + 1)
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw refused(field, value, 'only plain objects and arrays keep their content as JSON')
  }
  const copy: Record<string, Json> = {}
  for (const name of Object.keys(value)) {
    const member: unknown = (value as Record<string, unknown>)[name]
    if (member === undefined) continue
    spend(budget, name.length)
    if (!isStorable(name)) checkedText(name, `a name in ${field}`)
    const kept = plain(member, `${field}.${name}`, budget, depth + 1)
    // An assignment to this name would change what the copy is.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: kept, enumerable: true })
    else copy[name] = kept
  }
  return copy
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Text that both stores can hold: PostgreSQL refuses NUL, and UTF-8 has no lone surrogates. */
export function checkedText(text: string, field: string): string {
  if (isStorable(text)) return text
  const rule = text.includes('\0') ? 'NUL (U+0000)' : 'lone surrogates'
  throw refused(field, text, `text must not contain ${rule}`)
}

function refused(field: string, value: unknown, rule: string): StintError {
  return new StintError('invalid_json', `${field} cannot be stored: ${rule}; got ${show(value)}.`, { field, rule })
}

function tooLarge(field: string, maxBytes: number): StintError {
  const rule = `at most ${maxBytes} bytes of JSON are kept`
  return new StintError('payload_too_large', `${field} is too large: ${rule}.`, { field, rule })
}

const errorTextMax = 65_536

/**
 * Text that a handler produced, such as an error message, in a form that both stores hold. It never throws: a job must
 * reach its end whatever its handler threw.
 */
export function sanitisedText(text: string, max: number = errorTextMax): string {
  const clean = text.slice(0, max).replaceAll('\0', '\ufffd').toWellFormed()
  return text.length > max ? `${clean}… (cut, ${text.length} characters)` : clean
}
