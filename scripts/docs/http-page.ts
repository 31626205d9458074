import { type Operation, openApiDocument } from '../../src/http/openapi.ts'
import { routes } from '../../src/http/routes/routes.ts'
import { anchorOf, code, generatedNote, page, table } from './markdown.ts'
import { fieldsTable, type Schema, typeText } from './schema-text.ts'

const document = openApiDocument(routes)

interface Call {
  readonly title: string
  readonly operation: Operation
}

const calls: readonly Call[] = Object.entries(document.paths).flatMap(([path, methods]) => {
  return Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation }))
})

export function httpPage(): string {
  const tags = document['tags'] as readonly { readonly name: string; readonly description: string }[]
  const schemas = Object.entries(document.components['schemas'] as Readonly<Record<string, Schema>>)
  return page([
    '# HTTP',
    generatedNote,
    `JSON over HTTP, below \`/v1\`. A server tells the same at \`/v1/openapi.json\` (OpenAPI 3.1, for programs) and at \`/reference\` (for people). [The server](../server.md) explains
keys, idempotency and waiting; [workers in any language](../http-workers.md) the calls below \`/v1/work\`; [errors](../errors.md) every code.`,
    'Beside these there are `GET /healthz`, `GET /readyz`, `GET /metrics` ([metrics](metrics.md)), `GET /reference` and `GET /errors`.',
    '*Role* is what a key needs at least: `read`, `submit`, `work` or `admin`, each with all before it. Lists are pages: give the `cursor` of one to get the next; null is the end. Every `POST` but those that show a secret takes an `Idempotency-Key`, and with one is done once however often it is sent.',
    ...tags.flatMap(({ name, description }) => {
      const own = calls.filter(({ operation }) => operation.tags.includes(name))
      const rows = own.map(({ title, operation }) => [`[${code(title)}](#${anchorOf(title)})`, operation.summary])
      return [`## ${name}`, description, table(['Call', ''], rows), ...own.flatMap(callParts)]
    }),
    '## Schemas',
    ...schemas.flatMap(([name, schema]) => [`### ${name}`, fieldsTable(schema) || typeText(schema)]),
  ])
}

function callParts({ title, operation }: Call): readonly string[] {
  const { summary, parameters, 'x-role': role } = operation
  const words = [summary, operation['description'] ?? '', `*Role: ${role}.*`].filter((text) => text !== '').join(' ')
  const own = parameters.filter((parameter) => parameter.in !== 'header')
  const rows = own.map(({ name, in: where, required, schema }) => {
    return [
      code(name),
      `${where}${required ? ', required' : ''}`,
      typeText(schema),
      String(schema['description'] ?? ''),
    ]
  })
  return [
    `### ${title}`,
    words,
    rows.length === 0 ? '' : table(['Parameter', 'In', 'Type', ''], rows),
    bodyPart(operation),
    answerPart(operation),
  ]
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

function bodyPart(operation: Operation): string {
  const schema = (operation['requestBody'] as Content | undefined)?.content?.['application/json']?.schema
  if (schema === undefined) return ''
  const fields = fieldsTable(schema)
  return fields === '' ? `Body: ${typeText(schema)}.` : `Body:\n\n${fields}`
}

function answerPart(operation: Operation): string {
  const answers = Object.entries(operation['responses'] as Readonly<Record<string, Content>>)
  const [status, { content }] = answers.find(([each]) => each.startsWith('2')) as [string, Content]
  const [media, { schema }] = Object.entries(content ?? {})[0] ?? ['', { schema: null }]
  if (schema === null) return `Answer: ${status}, without a body.`
  return `Answer: ${status}, ${media === 'application/json' ? typeText(schema) : code(media)}.`
}
