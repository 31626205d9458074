import type { z } from 'zod'

type Schema = z.core.$ZodType

/** What has more entries is looked at one by one. */
const fewMax = 16

/**
 * The first part of a value that breaks its schema, where something in it is large; null when nothing is, or nothing breaks it.
 * A schema collects all that is wrong: with a million wrong fields that takes long, and nobody reads on after the first.
 */
export function firstWrong(schema: Schema, value: unknown): Wrong | null {
  return isToBeLookedAt(value) ? firstIn(schema, value, []) : null
}

/** Whether anything in it is large, or has a name that schemas pass over. Nearly nothing does, and that costs little to see. */
function isToBeLookedAt(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length > fewMax || value.some(isToBeLookedAt)
  const names = Object.keys(value)
  return (
    names.length > fewMax ||
    names.some((name) => name === '__proto__' || isToBeLookedAt((value as Readonly<Record<string, unknown>>)[name]))
  )
}

function firstIn(schema: Schema, value: unknown, path: readonly PropertyKey[]): Wrong | null {
  const inner = bare(schema)
  const size = sizeOf(value)
  const isLarge = size > fewMax
  // Whoever sends far too many must not be able to have each of them looked at.
  if (isLarge && size > maxOf(inner, value)) return { path, schema: null, value, rule: tooMany(inner, value) }
  for (const [name, entry, of] of entriesOf(inner, value, isLarge)) {
    const at = [...path, name]
    const wrong = of === null ? { path: at, schema: null, value: entry } : firstIn(of, entry, at)
    if (wrong !== null) return wrong
    if (of !== null && isLarge && !isFine(of, entry)) return { path: at, schema: of, value: entry }
  }
  return null
}

export interface Wrong {
  readonly path: readonly PropertyKey[]
  /** Null for a field that is not allowed at all, or not with so many entries. */
  readonly schema: Schema | null
  readonly value: unknown
  /** What is wrong, if it is not the schema that says it. */
  readonly rule?: string
}

/** More names than that are no labels, and no places of values to come. Of what is users' own, only the bytes are counted. */
const namesMax = 10_000

/** How many entries a list or an object may have. */
function maxOf(schema: Schema, value: unknown): number {
  const { type, valueType, checks = [] } = schema._zod.def as Container
  if (type === 'array' && Array.isArray(value))
    return Math.min(...checks.map(({ _zod: { def } }) => def.maximum ?? Number.POSITIVE_INFINITY))
  const isOurs = type === 'record' && valueType !== undefined && bare(valueType)._zod.def.type !== 'unknown'
  return isOurs ? namesMax : Number.POSITIVE_INFINITY
}

function tooMany(schema: Schema, value: unknown): string {
  return `must be at most ${maxOf(schema, value)} ${Array.isArray(value) ? 'items long' : 'entries'}`
}

function isFine(schema: Schema, value: unknown): boolean {
  return (schema as z.ZodType).safeParse(value).success
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** Without what says that it may be absent or null. */
function bare(schema: Schema): Schema {
  const def = schema._zod.def as { readonly innerType?: Schema }
  return def.innerType === undefined ? schema : bare(def.innerType)
}

interface Container {
  readonly type: string
  readonly element?: Schema
  readonly valueType?: Schema
  readonly shape?: Readonly<Record<string, Schema>>
  readonly catchall?: Schema
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly maximum?: number } } }[]
}

/** The entries of a list or an object with the schema of each; null for one that is not allowed. */
function* entriesOf(
  schema: Schema,
  value: unknown,
  isLarge: boolean,
): Generator<readonly [PropertyKey, unknown, Schema | null]> {
  const { type, element, valueType, shape, catchall } = schema._zod.def as Container
  if (type === 'array' && element !== undefined && Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield [i, item, element]
    return
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const isStrict = catchall?._zod.def.type === 'never'
  for (const name of Object.keys(value)) {
    // Schemas of records pass over this one without a word.
    if (name === '__proto__' && type === 'record') yield [name, null, null]
    const of =
      type === 'record' ? valueType : shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : undefined
    if (of !== undefined) yield [name, Reflect.get(value, name), of]
    else if (type === 'object' && isStrict && isLarge) yield [name, null, null]
  }
}
