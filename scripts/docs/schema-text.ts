import { anchorOf, code, table } from './markdown.ts'

export type Schema = Readonly<Record<string, unknown>>

type Properties = Readonly<Record<string, Schema>>

/** The type that a schema describes, in a few words; what has a name leads to it. */
export function typeText(schema: Schema): string {
  const { $ref, const: only, enum: values, anyOf, oneOf, type, items, properties } = schema
  if (typeof $ref === 'string') return linkTo($ref)
  if (only !== undefined) return code(JSON.stringify(only))
  if (Array.isArray(values)) return values.map((value) => code(String(value))).join(', ')
  const parts = (anyOf ?? oneOf) as readonly Schema[] | undefined
  if (parts !== undefined) return [...new Set(parts.map(typeText))].join(' or ')
  if (Array.isArray(type)) return type.join(' or ')
  if (type === 'array') return `list of ${typeText((items ?? {}) as Schema)}`
  if (properties !== undefined) return objectText(properties as Properties, schema)
  if (type === 'object') return mapText(schema)
  if (type === undefined) return 'any JSON'
  return `${type}${schema['format'] === undefined ? '' : ` (${schema['format']})`}`
}

function linkTo(reference: string): string {
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  return `[${name}](#${anchorOf(name)})`
}

function objectText(properties: Properties, schema: Schema): string {
  const fields = Object.keys(properties).map((name) => `${name}${isRequired(schema, name) ? '' : '?'}`)
  // What a page holds is of more interest than that it is one.
  if (fields.join() === 'items,cursor')
    return `a page: \`items\` is ${typeText(properties['items'] ?? {})}, and \`cursor\``
  return code(`{ ${fields.join(', ')} }`)
}

function mapText({ additionalProperties: values }: Schema): string {
  if (typeof values !== 'object' || values === null || Object.keys(values).length === 0) return 'object'
  return `object of ${typeText(values as Schema)}`
}

function isRequired({ required }: Schema, name: string): boolean {
  return Array.isArray(required) && required.includes(name)
}

/** The fields of an object; empty for what is no object. */
export function fieldsTable(schema: Schema): string {
  const properties = schema['properties'] as Properties | undefined
  if (properties === undefined) return ''
  const rows = Object.entries(properties).map(([name, field]) => {
    return [
      `${code(name)}${isRequired(schema, name) ? '' : ' ?'}`,
      typeText(field),
      [field['description'] ?? '', boundsOf(field)].join(' '),
    ]
  })
  return table(['Field', 'Type', ''], rows)
}

/** What a number or a text may be, where somebody chose it. */
function boundsOf({ minimum, maximum, minLength, maxLength, maxItems, default: fallback }: Schema): string {
  const chosen = (bound: unknown) =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined
  const words = [
    rangeText(chosen(minimum), chosen(maximum), ''),
    rangeText(chosen(minLength), chosen(maxLength), ' characters'),
    rangeText(undefined, chosen(maxItems), ' items'),
    fallback === undefined ? '' : `Default ${code(JSON.stringify(fallback))}.`,
  ]
  return words.filter((text) => text !== '').join(' ')
}

function rangeText(from: number | undefined, to: number | undefined, unit: string): string {
  const shown = (value: number) => value.toLocaleString('en-US')
  if (from !== undefined && to !== undefined) return `${shown(from)} to ${shown(to)}${unit}.`
  if (to !== undefined) return `At most ${shown(to)}${unit}.`
  return from === undefined ? '' : `At least ${shown(from)}${unit}.`
}
