import type { z } from 'zod'
import type { Role } from '../core/access/key.ts'
import type { Stint } from '../engine/stint.ts'
import type { Access } from './access/access.ts'
import type { Once } from './idempotency.ts'
import type { Services } from './services.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What a route gets: all of it checked, and Stint as the one who asks may see it. */
export interface Call<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly stint: Stint
  readonly access: Access
  readonly services: Services
  readonly request: Request
  /** Set for a request that is to be done once however often it is sent. */
  readonly once: Once | null
}

/** One thing that the API can do. Validation, the OpenAPI document, the tests of access and the fuzzer are made of these. */
export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: Method
  /** Below `/v1`; what stands in braces is a param. */
  readonly path: string
  /** Its name in the OpenAPI document. */
  readonly id: string
  readonly tag: string
  /** One line. */
  readonly summary: string
  readonly description?: string
  readonly role: Role
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Default 200. */
  readonly status?: 200 | 201 | 202 | 204
  /** What it gives; absent where the answer is no JSON. */
  readonly response?: z.ZodType
  /** The media type of an answer that is no JSON. */
  readonly media?: string
  /** Its answer holds a secret, so it is not kept to be given again: an Idempotency-Key means nothing to it. */
  readonly isSecret?: true
  run(call: Call<z.output<Params>, z.output<Query>, z.output<Body>>): unknown
}

/** Lets the compiler see what the schemas of a route give to its `run`. */
export function route<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(made: Route<Params, Query, Body>): Route {
  return made as unknown as Route
}

/** Whether an Idempotency-Key means something to it. What gets, sets or deletes does the same however often it is sent. */
export function isOnce({ method, isSecret }: Route): boolean {
  return (method === 'post' || method === 'patch') && !isSecret
}

/** Whether a path of a request is one of a route. */
export function matches(pattern: string, path: string): boolean {
  const parts = `/v1${pattern}`.split('/')
  const given = path.split('/')
  return (
    parts.length === given.length &&
    parts.every((part, i) => (part.startsWith('{') ? given[i] !== '' : part === given[i]))
  )
}
