import { z } from 'zod'
import { isOnce, type Route } from './route.ts'
import { json } from './schemas/common.ts'
import { problem } from './schemas/problem.ts'
import { tags } from './tags.ts'

type Schema = Readonly<Record<string, unknown>>

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Schema
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Schema
  readonly [field: string]: unknown
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly 'x-role': string
  readonly parameters: readonly Parameter[]
  readonly [field: string]: unknown
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
}

/** The document of the API, made of the schemas that check it. */
export function openApiDocument(routes: readonly Route[]): OpenApi {
  const components: Record<string, Schema> = {}
  const problemSchema = schemaOf(problem, 'output', components)
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    paths[`/v1${route.path}`] = {
      ...paths[`/v1${route.path}`],
      [route.method]: operationOf(route, components, problemSchema),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stint',
      version: '1',
      summary: 'Durable jobs: submit them, run them in any language, and see all that happened.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
    security: [{ key: [] }],
    paths,
    components: {
      schemas: components,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'A key, `stint_…`.' } },
    },
  }
}

function operationOf(route: Route, components: Record<string, Schema>, problemSchema: Schema): Operation {
  const { id, summary, description, tag, role, status = 200, response, media, body } = route
  const problemContent = { 'application/problem+json': { schema: problemSchema } }
  const content =
    response === undefined
      ? media === undefined
        ? undefined
        : { [media]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: schemaOf(response, 'output', components) } }
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    'x-role': role,
    parameters: [
      ...parametersOf(route.params, 'path', components),
      ...parametersOf(route.query, 'query', components),
      ...(isOnce(route) ? [idempotencyKey] : []),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(body, 'input', components) } },
          },
        }),
    responses: {
      [status]: { description: 'Done.', ...(content === undefined ? {} : { content }) },
      '4XX': { description: 'Refused; the code says why.', content: problemContent },
      '5XX': { description: 'Not done; the code says whether to try again.', content: problemContent },
    },
  }
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255, description: 'The same key with the same request is done once.' },
}

function parametersOf(
  schema: z.ZodType | undefined,
  where: 'path' | 'query',
  components: Record<string, Schema>,
): readonly Parameter[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || !field.safeParse(undefined).success,
    schema: schemaOf(field, 'output', components),
  }))
}

/** A schema with the parts that have a name by reference. They go to `components`, where all share them. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Record<string, Schema>): Schema {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => {
      if (zodSchema === (json as unknown)) delete jsonSchema.type
      // The format says it, and whoever reads the document need not read this pattern.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      // What is shown may have more fields one day, and clients must not mind.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  }) as Record<string, unknown>
  const { $schema: _, $defs = {}, ...rest } = made
  for (const [name, definition] of Object.entries($defs as Record<string, Schema>)) {
    components[name] = moved(definition) as Schema
  }
  return moved(rest) as Schema
}

/** The same with references that lead to `components`. */
function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isReference = name === '$ref' && typeof member === 'string'
      return [name, isReference ? member.replace('#/$defs/', '#/components/schemas/') : moved(member)]
    }),
  )
}
