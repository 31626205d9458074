import { hashOf } from '../../src/http/access/keyring.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { operationType } from '../../src/http/operations/operation-job.ts'
import { routes } from '../../src/http/routes/routes.ts'
import { deliveryOf } from '../../src/http/webhooks/delivery.ts'
import type { Stint } from '../../src/index.ts'
import { systemPath } from '../../src/store/system-path.ts'
import { newId } from '../support/fixture.ts'
import type { Asked, Reply } from '../support/http.ts'

/** The API as its document describes it: tests that are made of it hold for routes that are added later, too. */

export type Schema = Readonly<Record<string, unknown>>

export interface Operation {
  readonly id: string
  readonly method: string
  /** With its params in braces. */
  readonly path: string
  readonly role: string
  readonly params: readonly string[]
  readonly query: Readonly<Record<string, Schema>>
  /** Null where no body is taken. */
  readonly body: Schema | null
}

const document = openApiDocument(routes)

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) => {
  return Object.entries(methods).map(([method, operation]): Operation => {
    const named = (where: string) => operation.parameters.filter((parameter) => parameter.in === where)
    const { requestBody } = operation as { requestBody?: { content: { 'application/json': { schema: Schema } } } }
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      role: operation['x-role'],
      params: named('path').map(({ name }) => name),
      query: Object.fromEntries(named('query').map(({ name, schema }) => [name, schema])),
      body: requestBody?.content['application/json'].schema ?? null,
    }
  })
})

/** Things of one namespace, to be named in requests. */
export interface Samples {
  readonly job: string
  readonly jobUuid: string
  readonly jobName: string
  readonly template: string
  readonly templatePath: string
  readonly schedule: string
  readonly schedulePath: string
  readonly group: string
  readonly groupPath: string
  readonly slot: string
  readonly slotUuid: string
  readonly slotPath: string
  readonly key: string
  readonly operation: string
  readonly webhook: string
  readonly delivery: string
  readonly namespace: string
  readonly branch: string
}

/** One of everything, in a namespace. */
export async function samplesIn(stint: Stint, namespace: string): Promise<Samples> {
  const own = stint.within({ path: `/${namespace}` })
  const job = await own.submit('x', {}, { name: 'one', key: `key-of-${namespace}` })
  const template = await own.templates.create({ path: 'template', job: 'x' })
  const schedule = await own.schedules.create({ path: 'schedule', job: 'x', cron: '0 0 1 1 *', timezone: 'UTC' })
  const group = await own.groups.create({ path: 'group', mode: 'parallel' })
  const slot = await own.slots.create('slot')
  const key = { id: newId(), label: namespace, hash: hashOf(newId()), scope: `/${namespace}`, role: 'read' as const }
  await stint.store.control('key.create', { ...key, expiresAt: null })
  const asked = { action: 'cancel', filter: { branch: '/nothing' }, scope: `/${namespace}`, actor: namespace }
  // Far ahead: nobody is to do it while others look at it.
  const later = { name: systemPath('operations', newId()), scheduledFor: new Date('2100-01-01') }
  const operation = await stint.submit(operationType, asked, later)
  const webhook = newId()
  const hook = { id: webhook, url: 'https://receiver.example', secret: `whsec_${'A'.repeat(32)}` }
  await stint.store.control('webhook.create', { ...hook, scope: `/${namespace}` })
  const delivery = newId()
  await stint.submitMany([deliveryOf({ webhook, message: delivery, type: 'webhook.ping', body: '{}' }, {})])
  return {
    ...{ job: job.id, jobUuid: uuidOf(job.id), jobName: job.name },
    ...{ template: template.id, templatePath: template.path, schedule: schedule.id, schedulePath: schedule.path },
    ...{ group: group.id, groupPath: group.path, slot: slot.id, slotUuid: uuidOf(slot.id) },
    ...{ key: key.id, operation: operation.id, webhook, delivery },
    ...{ slotPath: `/${namespace}/slot`, namespace, branch: `/${namespace}` },
  }
}

/** The same in form, of which there is nothing. */
export function missing(samples: Samples, uuid: string): Samples {
  const unknown = (id: string) => id.replace(/[0-9a-f-]{36}$/, uuid).replace(/^(\/[^/]+)\/.+$/, '$1/nothing')
  const entries = Object.entries(samples).map(([name, id]) => [name, unknown(id)])
  return { ...Object.fromEntries(entries), namespace: 'nowhere', branch: '/nowhere' } as Samples
}

function uuidOf(id: string): string {
  return id.slice(-36)
}

/** The things that may be meant by a place, by its name; some of everything where the name says nothing. */
export function samplesFor(place: string): readonly (keyof Samples)[] {
  const name = place.split('.').at(-1) ?? place
  const fitting = kinds.filter(([words]) => words.test(name)).flatMap(([, samples]) => samples)
  return fitting.length > 0 ? fitting : ['job', 'slotUuid']
}

const kinds: readonly (readonly [RegExp, readonly (keyof Samples)[]])[] = [
  [/job|before|after|needs|\*|record/i, ['job', 'jobUuid', 'jobName']],
  [/slot|after|needs|\*|record/i, ['slot', 'slotUuid']],
  [/template|record/i, ['template', 'templatePath']],
  [/schedule|record/i, ['schedule']],
  [/group|record/i, ['group', 'groupPath']],
  [/name|path|branch/i, ['jobName', 'branch', 'templatePath']],
  [/namespace/i, ['namespace']],
  [/key|webhook|operation/i, ['key', 'webhook', 'operation']],
]

/** What stands for a param of a path. Whoever adds a route with another param adds what stands for it. */
const byParam: Readonly<Record<string, (samples: Samples) => string>> = {
  job: ({ job }) => job,
  attempt: () => '1',
  template: ({ template }) => template,
  schedule: ({ schedule }) => schedule,
  group: ({ group }) => group,
  slot: ({ slot }) => slot,
  key: ({ key }) => key,
  operation: ({ operation }) => operation,
  webhook: ({ webhook }) => webhook,
  delivery: ({ delivery }) => delivery,
  name: () => 'trainer',
}

export function pathOf({ path }: Operation, samples: Samples, others: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const sample = others[name] ?? byParam[name]?.(samples)
    if (sample === undefined) throw new Error(`There is no sample for the param ${name} of ${path}: add one.`)
    return encodeURIComponent(sample)
  })
}

/** A schema with its references followed. */
export function resolved(schema: Schema): Schema {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
  if (name === undefined) return schema
  return resolved((document.components['schemas'] as Record<string, Schema>)[name] ?? {})
}

/** The smallest value that a schema allows. */
export function minimal(given: Schema): unknown {
  const schema = resolved(given)
  const [option] = optionsOf(schema)
  if (option !== undefined) return minimal(option)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (schema['format'] === 'date-time') return '2026-11-16T09:00:00Z'
  if (schema['type'] === 'object') {
    const required = (schema['required'] ?? []) as readonly string[]
    const properties = (schema['properties'] ?? {}) as Record<string, Schema>
    return Object.fromEntries(required.map((name) => [name, minimal(properties[name] ?? {})]))
  }
  if (schema['type'] === 'array') return schema['minItems'] ? [minimal((schema['items'] ?? {}) as Schema)] : []
  if (schema['type'] === 'string') return 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)))
  if (schema['type'] === 'boolean') return true
  if (schema['type'] === 'null') return null
  return Number(schema['minimum'] ?? 1)
}

export function optionsOf(schema: Schema): readonly Schema[] {
  return (schema['anyOf'] ?? schema['oneOf'] ?? []) as readonly Schema[]
}

/** Bodies that a schema allows but for one place each, at which any text may stand, with the name of that place. */
export function* withText(given: Schema, text: string, place = '', depth = 0): Generator<readonly [string, unknown]> {
  const schema = resolved(given)
  const options = optionsOf(schema)
  if (depth > 8) return
  if (options.length > 0) {
    for (const option of options) yield* withText(option, text, place, depth + 1)
  } else if (schema['type'] === 'object') {
    const base = minimal(schema) as object
    for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
      for (const [at, value] of withText(property, text, `${place}.${name}`, depth + 1))
        yield [at, { ...base, [name]: value }]
    }
    const more = schema['additionalProperties']
    if (typeof more === 'object' && more !== null) {
      yield [`${place}.<name>`, { ...base, [text]: minimal(more as Schema) }]
      for (const [at, value] of withText(more as Schema, text, `${place}.*`, depth + 1))
        yield [at, { ...base, x: value }]
    }
  } else if (schema['type'] === 'array') {
    for (const [at, value] of withText((schema['items'] ?? {}) as Schema, text, `${place}[]`, depth + 1))
      yield [at, [value]]
  } else if (schema['type'] === 'string' || schema['type'] === undefined) yield [place, text]
}

/** A request whose answer may be a stream that never ends: of that only the beginning is looked at. */
export async function askOnce(url: string, method: string, path: string, asked: Asked = {}): Promise<Reply> {
  const { body, raw, key, headers = {} } = asked
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const over = new AbortController()
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
    signal: over.signal,
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = isStream ? '' : await response.text()
  if (isStream) over.abort()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
