import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import { StintError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { toJsonText } from '../core/json.ts'
import { refuse } from './check-input.ts'
import type { JsonSchema } from './controls.ts'

/** Nobody reads more than a few at once. */
const problemMax = 5

/** Checks that a value can serve as a schema: one that cannot is found now and not when the first job comes. */
export function checkSchema(value: unknown, field: string): JsonSchema | null {
  if (value === null) return null
  if (typeof value !== 'boolean' && (typeof value !== 'object' || Array.isArray(value))) {
    throw refuse(field, value, 'must be a JSON Schema: an object, true or false')
  }
  // It is kept as text, like params: what no store can hold is found here.
  toJsonText(value, field)
  const schema = value as JsonSchema
  checkKeywords(schema, field)
  try {
    validatorOf(schema).validate({})
  } catch (error) {
    throw refuse(field, value, `must be a JSON Schema that can be used: ${(error as Error).message}`)
  }
  return schema
}

const types = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']
const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const singles = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']

/** What is most often written wrong: a misspelt type, a pattern that is no pattern. A wrong schema would refuse every job. */
function checkKeywords(schema: unknown, field: string): void {
  if (typeof schema === 'boolean') return
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw refuse(field, schema, 'must be a JSON Schema: an object, true or false')
  }
  const given = schema as { readonly [keyword: string]: unknown }
  const { type, required, pattern } = given
  if (type !== undefined && ![type].flat().every((name) => types.includes(String(name)))) {
    throw refuse(`${field}.type`, type, `must be one or more of ${types.join(', ')}`)
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string'))) {
    throw refuse(`${field}.required`, required, 'must be an array of names')
  }
  if (pattern !== undefined) checkPattern(pattern, `${field}.pattern`)
  for (const name of Object.keys(given['patternProperties'] ?? {})) checkPattern(name, `${field}.patternProperties`)
  for (const name of singles) if (given[name] !== undefined) checkKeywords(given[name], `${field}.${name}`)
  for (const name of lists) checkAll(given[name], `${field}.${name}`)
  for (const name of maps) checkAll(given[name], `${field}.${name}`)
}

function checkAll(schemas: unknown, field: string): void {
  if (schemas === undefined) return
  if (typeof schemas !== 'object' || schemas === null) throw refuse(field, schemas, 'must hold schemas')
  for (const [name, schema] of Object.entries(schemas)) checkKeywords(schema, `${field}.${name}`)
}

function checkPattern(pattern: unknown, field: string): void {
  try {
    new RegExp(pattern as string, 'u')
  } catch {
    throw refuse(field, pattern, 'must be a regular expression')
  }
}

/** Throws `invalid_params` with the places that do not fit. */
export function requireFit(schema: JsonSchema, params: string | null, what: string): void {
  const value: Json = params === null ? {} : JSON.parse(params)
  const { valid, errors } = validatorOf(schema).validate(value)
  if (valid) return
  const problems = errors.filter(isLeaf).slice(0, problemMax).map(sentence).join('; ')
  const rule = `must fit the schema of ${what}`
  throw new StintError('invalid_params', `params ${rule}: ${problems}.`, { field: 'params', rule, problems })
}

const validators = new WeakMap<object, Validator>()

/** Many jobs of one template come together: what a schema refers to is looked up once for all of them. */
function validatorOf(schema: JsonSchema): Validator {
  const known = typeof schema === 'object' ? validators.get(schema) : undefined
  const validator = known ?? new Validator(schema as Schema, '2020-12', false)
  if (typeof schema === 'object') validators.set(schema, validator)
  return validator
}

/** Of "does not match properties" and what is wrong with the property, the latter says more. */
function isLeaf({ keyword }: OutputUnit): boolean {
  return keyword !== 'properties' && keyword !== 'items' && keyword !== '$ref' && keyword !== 'allOf'
}

function sentence({ instanceLocation, error }: OutputUnit): string {
  const place = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.')
  return `${place === '' ? 'params' : place}: ${error.replace(/\.$/, '')}`
}
