import { errorAdvice } from '../core/error-advice.ts'
import { type ErrorCode, errorCodes } from '../core/errors.ts'
import type { OpenApi, Operation } from './openapi.ts'

type Schema = Readonly<Record<string, unknown>>

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
nav { columns: 4; font-size: 14px }
h3 { font: 600 14px ui-monospace, monospace; margin: 2rem 0 .2rem }
code { font: 13px ui-monospace, monospace }
table { border-collapse: collapse; margin: .5rem 0 }
th, td { text-align: left; vertical-align: top; padding: .15rem 1.2rem .15rem 0; font-weight: normal }
th { opacity: .6 }
p { margin: .2rem 0 }
`

/** The API for people who read: every call, what it takes and gives, what is in each, and what every error code means. */
export function referencePage(document: OpenApi): Response {
  const tags = document['tags'] as readonly { readonly name: string; readonly description?: string }[]
  const calls = Object.entries(document.paths).flatMap(([path, methods]) => {
    return Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  })
  const sections = tags.map(({ name, description = '' }) => {
    const own = calls.filter(({ operation }) => operation.tags.includes(name))
    return `<h2 id="${escaped(name)}">${escaped(name)}</h2><p>${escaped(description)}</p>${own.map(callHtml).join('')}`
  })
  const schemas = Object.entries(document.components['schemas'] as Record<string, Schema>).sort(([a], [b]) => {
    return a < b ? -1 : 1
  })
  const codes = (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const { status, retryable, means } = errorCodes[code]
    const words = `${escaped(means)}<br>${withCode(errorAdvice[code])}`
    return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${retryable ? 'yes' : 'no'}</td><td>${words}</td></tr>`
  })
  const links = [...tags.map(({ name }) => name), 'Data', 'Errors'].map((name) => `<a href="#${name}">${name}</a><br>`)
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stint: the API</title><style>${style}</style>
<h1>Stint: the API</h1>
<p>JSON over HTTP. The same as a machine reads it: <a href="v1/openapi.json">OpenAPI 3.1</a>.</p>
<nav>${links.join('')}</nav>
${sections.join('\n')}
<h2 id="Data">Data</h2>${schemas.map(([name, schema]) => `<h3 id="data-${name}">${name}</h3>${fieldsHtml(schema)}`).join('')}
<h2 id="Errors">Errors</h2><table><tr><th>code</th><th>status</th><th>try again</th><th>what it means, and what to do</th></tr>${codes.join('')}</table></html>`
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    },
  })
}

function callHtml({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const about = operation['description'] === undefined ? '' : ` ${String(operation['description'])}`
  const rows = operation.parameters.map(({ name, in: where, required, schema }) => {
    return rowHtml(name, schema, `${where}${required ? ', required' : ''}`)
  })
  const body = (operation['requestBody'] as Bodied | undefined)?.content['application/json']?.schema
  const answers = Object.entries(operation['responses'] as Record<string, Partial<Bodied>>)
  const [status, answer] = answers.find(([code]) => code.startsWith('2')) ?? ['', {}]
  const [media, { schema } = {}] = Object.entries(answer.content ?? {})[0] ?? ['nothing']
  const given = media === 'application/json' && schema !== undefined ? typeHtml(schema) : escaped(media)
  return `<h3 id="${operation.operationId}">${method.toUpperCase()} ${escaped(path)}</h3>
<p>${escaped(operation.summary + about)} <em>Role: ${operation['x-role']}.</em></p>${tableHtml(rows)}${
    body === undefined ? '' : `<p>Body: ${typeHtml(body)}</p>${body['$ref'] === undefined ? fieldsHtml(body) : ''}`
  }<p>Answer: ${status} ${given}</p>`
}

interface Bodied {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

/** The fields of an object, one a line; for anything else what it may be. */
function fieldsHtml(schema: Schema): string {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
  const required = new Set((schema['required'] ?? []) as readonly string[])
  if (properties.length === 0) return `<p>${typeHtml(schema)}</p>`
  return tableHtml(properties.map(([name, field]) => rowHtml(name, field, required.has(name) ? 'required' : '')))
}

function rowHtml(name: string, schema: Schema, note: string): string {
  const about = escaped(String(schema['description'] ?? ''))
  return `<tr><td><code>${escaped(name)}</code></td><td>${typeHtml(schema)}</td><td>${note}</td><td>${about}</td></tr>`
}

function tableHtml(rows: readonly string[]): string {
  return rows.length === 0 ? '' : `<table>${rows.join('')}</table>`
}

/** What a value may be, in a few words. */
function typeHtml(schema: Schema): string {
  const reference = schema['$ref'] ?? (schema['allOf'] as readonly Schema[] | undefined)?.[0]?.['$ref']
  if (typeof reference === 'string') {
    const name = escaped(reference.split('/').at(-1) ?? '')
    return `<a href="#data-${name}">${name}</a>`
  }
  const options = (schema['anyOf'] ?? schema['oneOf']) as readonly Schema[] | undefined
  if (options !== undefined) return [...new Set(options.map(typeHtml))].join(' or ')
  if ('const' in schema) return code(JSON.stringify(schema['const']))
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => code(String(value))).join(', ')
  if (Array.isArray(schema['prefixItems'])) return `[${schema['prefixItems'].map(typeHtml).join(', ')}]`
  if (schema['type'] === 'array') return `list of ${typeHtml((schema['items'] ?? {}) as Schema)}`
  const others = schema['additionalProperties']
  if (typeof others === 'object' && others !== null) return `object of ${typeHtml(others as Schema)}`
  const type = String(schema['format'] ?? schema['type'] ?? 'any JSON')
  return escaped(type + boundsOf(schema))
}

function boundsOf({ minimum, maximum, maxLength }: Schema): string {
  // What only says that a number is safe to count with is of no interest.
  const isSaid = (bound: unknown) => typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER
  const bounds = [
    ...(isSaid(minimum) ? [`from ${minimum}`] : []),
    ...(isSaid(maximum) ? [`up to ${maximum}`] : []),
    ...(isSaid(maxLength) ? [`at most ${maxLength} characters`] : []),
  ]
  return bounds.length === 0 ? '' : `, ${bounds.join(' ')}`
}

function code(text: string): string {
  return `<code>${escaped(text)}</code>`
}

/** What stands between backticks is code. */
function withCode(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
