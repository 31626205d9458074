import type { Json, JsonObject } from 'stint/client'

/** What a field of a form is made of: the part of JSON Schema that people write. */
export interface FieldSchema {
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'lines' | 'object' | 'json'
  readonly title: string | null
  readonly about: string | null
  readonly isRequired: boolean
  readonly fallback: Json | undefined
  /** Of a choice. */
  readonly options: readonly Json[]
  /** Of an object. */
  readonly fields: readonly (readonly [string, FieldSchema])[]
  /** Attributes of its input. */
  readonly input: Readonly<Record<string, string | number>>
}

/** The fields of a schema; null where it describes no object whose parts are known. */
export function fieldsOf(schema: Json): FieldSchema['fields'] | null {
  if (!isObject(schema) || !isObject(schema['properties'])) return null
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(schema['properties']).map(([name, part]) => {
    return [name, fieldOf(isObject(part) ? part : {}, required.includes(name))] as const
  })
}

function fieldOf(schema: JsonObject, isRequired: boolean): FieldSchema {
  const { title, description, default: fallback } = schema
  const options = optionsOf(schema)
  const fields = fieldsOf(schema)
  return {
    kind: kindOf(schema, options, fields),
    title: typeof title === 'string' ? title : null,
    about: typeof description === 'string' ? description : null,
    isRequired,
    fallback,
    options,
    fields: fields ?? [],
    input: inputOf(schema),
  }
}

function kindOf(schema: JsonObject, options: readonly Json[], fields: unknown): FieldSchema['kind'] {
  if (options.length > 0) return 'choice'
  const type = schema['type']
  if (type === 'string') return 'text'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'flag'
  if (type === 'object' && fields !== null) return 'object'
  const items = schema['items']
  const isTexts = type === 'array' && isObject(items) && items['type'] === 'string' && items['enum'] === undefined
  // What says more than one thing, or refers to what stands elsewhere, is written as what it is.
  return isTexts ? 'lines' : 'json'
}

function optionsOf(schema: JsonObject): readonly Json[] {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return schema['const'] === undefined ? [] : [schema['const']]
}

const types: Readonly<Record<string, string>> = { date: 'date', email: 'email', uri: 'url', time: 'time' }

function inputOf(schema: JsonObject): FieldSchema['input'] {
  const { type, format, minimum, maximum, minLength, maxLength } = schema
  if (type === 'integer' || type === 'number') {
    return {
      type: 'number',
      step: type === 'integer' ? 1 : 'any',
      ...(typeof minimum === 'number' ? { min: minimum } : {}),
      ...(typeof maximum === 'number' ? { max: maximum } : {}),
    }
  }
  return {
    type: (typeof format === 'string' && types[format]) || 'text',
    ...(typeof minLength === 'number' ? { minLength } : {}),
    ...(typeof maxLength === 'number' ? { maxLength } : {}),
  }
}

/** What a form begins with: what is said already, and for the rest what the schema says. */
export function initialOf(fields: FieldSchema['fields'], given: JsonObject): JsonObject {
  const values = fields.flatMap(([name, field]): readonly (readonly [string, Json])[] => {
    const own = given[name] ?? field.fallback
    if (field.kind === 'object') {
      const inner = initialOf(field.fields, isObject(own) ? own : {})
      return Object.keys(inner).length === 0 && !field.isRequired ? [] : [[name, inner]]
    }
    if (own !== undefined) return [[name, own]]
    return field.kind === 'flag' && field.isRequired ? [[name, false]] : []
  })
  return { ...given, ...Object.fromEntries(values) }
}

/** The first level of params that says something else than the template does. */
export function changesOver(given: JsonObject, value: JsonObject): JsonObject {
  const changed = Object.entries(value).filter(([name, own]) => JSON.stringify(own) !== JSON.stringify(given[name]))
  return Object.fromEntries(changed)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
