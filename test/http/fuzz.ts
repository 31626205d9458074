import type { Role } from '../../src/core/access/key.ts'
import { errorCodes } from '../../src/core/errors.ts'
import type { Random } from '../simulation/random.ts'
import type { HttpFixture, Reply } from '../support/http.ts'
import { strangeTexts } from '../support/zoo.ts'
import {
  askOnce,
  type Operation,
  operations,
  optionsOf,
  pathOf,
  resolved,
  type Samples,
  type Schema,
  samplesIn,
} from './surface.ts'

/** Requests that nobody thought of: of the right form, nearly so, or of none. */

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'] as const

const extremes: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, -1e308, 5e-324, 0.1],
  ...['', ' ', '\0', '\ud800', 'x'.repeat(300), 'x'.repeat(70_000), [], {}, [[]], [null], { a: {} }],
  ...['0000-00-00T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-02-30T00:00:00Z', '-271821-04-20T00:00:00Z'],
]

const namesOfFields = ['id', 'type', 'state', '__proto__', 'constructor', '', '\0', 'x'.repeat(300)] as const

class Fuzzer {
  readonly #random: Random
  readonly #texts: readonly string[]

  constructor(random: Random, samples: readonly Samples[]) {
    this.#random = random
    this.#texts = [
      ...samples.flatMap((each) => Object.values(each)),
      ...samples.flatMap((each) => Object.values(each)),
      ...strangeTexts,
    ]
  }

  text(): string {
    return this.#random.pick(this.#texts) ?? ''
  }

  anything(): unknown {
    return this.#random.chance(0.5) ? this.#random.pick(extremes) : this.text()
  }

  /** Mostly what a schema allows. `wild` is how often it is something else. */
  value(given: Schema, wild: number, depth = 0): unknown {
    const random = this.#random
    if (random.chance(wild)) return this.anything()
    const schema = resolved(given)
    const option = random.pick(optionsOf(schema))
    if (option !== undefined) return this.value(option, wild, depth + 1)
    if ('const' in schema) return schema['const']
    if (Array.isArray(schema['enum'])) return random.pick(schema['enum'])
    switch (schema['type']) {
      case 'object':
        return this.#object(schema, wild, depth)
      case 'array':
        return Array.from({ length: random.between(0, 3) }, () =>
          this.value((schema['items'] ?? {}) as Schema, wild, depth + 1),
        )
      case 'string':
        return schema['format'] === 'date-time' ? new Date(random.between(0, 4e12)).toISOString() : this.text()
      case 'integer':
      case 'number':
        return random.chance(0.2) ? random.pick([schema['minimum'], schema['maximum']]) : random.between(-3, 1_000)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      default:
        return depth > 6 ? null : { [this.text()]: this.anything() }
    }
  }

  #object(schema: Schema, wild: number, depth: number): object {
    const random = this.#random
    const required = new Set((schema['required'] ?? []) as readonly string[])
    const fields: [string, unknown][] = []
    for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)) {
      const isThere = required.has(name) ? !random.chance(wild) : random.chance(0.25)
      if (isThere) fields.push([name, this.value(property, wild, depth + 1)])
    }
    const more = schema['additionalProperties']
    if (typeof more === 'object' && more !== null) {
      for (let n = random.between(0, 2); n > 0; n--)
        fields.push([this.text(), this.value(more as Schema, wild, depth + 1)])
    }
    if (random.chance(wild)) fields.push([random.pick(namesOfFields), this.anything()])
    return Object.fromEntries(fields)
  }
}

/** What was asked, to be asked again by hand. */
export interface Try {
  readonly method: string
  readonly path: string
  readonly raw: string | undefined
  readonly key: string | undefined
}

/** Asks so many times, and gives what was answered as it must not be. */
export async function fuzz(http: HttpFixture, random: Random, count: number): Promise<readonly string[]> {
  const { stint, server } = http
  const samples = [await samplesIn(stint, 'own'), await samplesIn(stint, 'other')]
  const keys: (string | undefined)[] = [undefined, 'stint_nothing']
  for (const role of ['read', 'submit', 'work', 'admin'] satisfies Role[])
    keys.push(await http.key(role, '/own'), await http.key(role))
  const fuzzer = new Fuzzer(random, samples)
  const wrong: string[] = []
  for (let i = 0; i < count; i++) {
    const operation = random.pick(operations) as Operation
    const wild = random.pick([0, 0, 0.02, 0.1, 0.5])
    const tried = tryOf(operation, fuzzer, random, samples, wild)
    const key = random.chance(0.7) ? undefined : random.pick(keys)
    const headers: Record<string, string> = tried.raw === undefined ? {} : { 'content-type': 'application/json' }
    const reply = await askOnce(server.url, tried.method, tried.path, {
      ...(tried.raw === undefined || tried.method === 'GET' ? {} : { raw: tried.raw }),
      ...(key === undefined ? {} : { key }),
      headers,
    })
    const fault = faultOf(reply)
    if (fault !== null)
      wrong.push(
        `${fault}: ${tried.method} ${tried.path} ${tried.raw?.slice(0, 2_000)} gave ${reply.text.slice(0, 500)}`,
      )
  }
  return wrong
}

function tryOf(
  operation: Operation,
  fuzzer: Fuzzer,
  random: Random,
  samples: readonly Samples[],
  wild: number,
): Omit<Try, 'key'> {
  const others: Record<string, string> = {}
  for (const name of operation.params) if (random.chance(wild)) others[name] = fuzzer.text().toWellFormed()
  const query = Object.entries(operation.query).flatMap(([name, schema]) => {
    // Whoever waits long holds up all that come after.
    if (name === 'waitMs' || !random.chance(0.3)) return []
    const value = fuzzer.value(schema, wild)
    return [`${inUrl(name)}=${inUrl(typeof value === 'string' ? value : JSON.stringify(value))}`]
  })
  if (random.chance(wild)) query.push(`${inUrl(fuzzer.text())}=${inUrl(fuzzer.text())}`)
  const at = pathOf(operation, random.pick(samples) as Samples, others)
  const body = operation.body === null ? undefined : JSON.stringify(fuzzer.value(operation.body, wild))
  return {
    method: random.chance(wild / 2) ? random.pick(methods) : operation.method,
    path: query.length === 0 ? at : `${at}?${query.join('&')}`,
    raw: body !== undefined && random.chance(wild) ? damaged(body, random) : body,
  }
}

/** As it can stand in an address. A longer one is refused by Node.js itself, before anything of ours sees it. */
function inUrl(text: string): string {
  return encodeURIComponent(text.slice(0, 1_000).toWellFormed())
}

/** The same with one place changed. */
function damaged(text: string, random: Random): string {
  const at = random.between(0, text.length)
  const insert = random.pick(['', '"', '{', ']', ',', '\\', '\0', '9'.repeat(400), '\ufeff'])
  return text.slice(0, at) + insert + text.slice(at + random.between(0, 3))
}

function faultOf({ status, headers, json, text }: Reply): string | null {
  if (status >= 500) return `status ${status}`
  if (/\bat .+:\d+:\d+|node_modules/.test(text) && status >= 400) return 'something of the inside'
  if (status < 400) return null
  if (headers.get('content-type') !== 'application/problem+json') return `no problem, status ${status}`
  const code = json?.code
  if (typeof code !== 'string' || !Object.hasOwn(errorCodes, code)) return 'an unknown code'
  return errorCodes[code as keyof typeof errorCodes].status === status ? null : 'a code of another status'
}
