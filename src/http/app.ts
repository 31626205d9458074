import { Hono } from 'hono'
import { StintError } from '../core/errors.ts'
import type { Stint } from '../engine/stint.ts'
import { About } from './about.ts'
import { type Access, requireRole } from './access/access.ts'
import { crossOriginHeaders, isPreflight } from './access/cross-origin.ts'
import { guard } from './access/guard.ts'
import { guestStore } from './access/guest-store.ts'
import { Keyring } from './access/keyring.ts'
import { RateLimit } from './access/rate-limit.ts'
import { type ArtifactSource, artifactsIn } from './artifacts.ts'
import { checked, fieldOf } from './check.ts'
import { Dashboard } from './dashboard.ts'
import { withField } from './field-of.ts'
import { type Answering, FixedAddresses, type Given } from './fixed-addresses.ts'
import { doOnce, onceOf } from './idempotency.ts'
import type { Log } from './log.ts'
import { ServerMetrics } from './metrics/metrics.ts'
import { openMetricsText, openMetricsType } from './metrics/open-metrics.ts'
import { type OpenApi, openApiDocument } from './openapi.ts'
import { Operations } from './operations/operations.ts'
import { type Problem, problemOf, problemResponse } from './problem.ts'
import { readJson } from './read-body.ts'
import { referencePage } from './reference-page.ts'
import { type Call, isOnce, matches, type Route } from './route.ts'
import { routes } from './routes/routes.ts'
import type { Services } from './services.ts'
import { Streams } from './stream/streams.ts'
import { Throughput } from './throughput.ts'
import { type WebhookOptions, Webhooks } from './webhooks/webhooks.ts'

export interface AppOptions {
  /** What it serves. It stays open when the server closes. */
  readonly stint: Stint
  /** Whether whoever comes without a key may do everything. Only for a server that nobody else reaches. */
  readonly isOpen: boolean
  /** Hosts by which the server may be reached, beside those of its own machine. */
  readonly allowedHosts?: readonly string[]
  /** Origins of pages that may use it, beside its own. */
  readonly allowedOrigins?: readonly string[]
  /** How many requests one key may make in a second. Default 5,000. */
  readonly requestsPerSecond?: number
  /** How often a stream on which nothing happens says that it is alive, in milliseconds. Default 15,000. */
  readonly heartbeatMs?: number
  /** How many clients may listen to streams at once. Default 10,000. */
  readonly streamMax?: number
  /** Whether jobs of the type `command` may be submitted here: whoever submits one runs any program. Default false. */
  readonly commands?: boolean
  /** Where it stands among the addresses of its host, `/stint`, if requests come with that. Default `/`. */
  readonly basePath?: string
  /** Whether people get pages to look at, at `/`. Default true. */
  readonly dashboard?: boolean
  /** How long a key that was revoked may still be taken. Default 2,000. */
  readonly keysFreshMs?: number
  /** Where the files of runs are: the directory that workers write them to. Default `.stint/artifacts`, as theirs is. */
  readonly artifacts?: string | ArtifactSource
  /** Where webhooks may lead, and how they are sent. */
  readonly webhooks?: WebhookOptions
  /** Takes what is worth writing down; `jsonLines` makes lines of JSON of it. Default none. */
  readonly log?: Log
}

/** The API as a fetch handler, for any server. */
export interface App {
  fetch(request: Request): Promise<Response>
  readonly keyring: Keyring
  /** Sends what webhooks are to be told, once it is started. */
  readonly webhooks: Webhooks
  /** Ends what waits or streams. */
  close(): Promise<void>
}

export function createApp(options: AppOptions): App {
  const {
    stint,
    isOpen,
    allowedHosts = [],
    allowedOrigins = [],
    requestsPerSecond = 5_000,
    keysFreshMs = 2_000,
    commands = false,
    heartbeatMs = 15_000,
    basePath = '/',
    artifacts = '.stint/artifacts',
    streamMax = 10_000,
    log,
  } = options
  const base = basePath.replace(/\/+$/, '')
  const closing = new AbortController()
  const webhooks = new Webhooks(stint, { ...options.webhooks, log })
  const guests = stint.within({ through: (store) => guestStore(store, { commands }) })
  const keyring = new Keyring(guests, keysFreshMs)
  const rate = new RateLimit(requestsPerSecond)
  const local: Access = {
    id: 'local',
    actor: 'local',
    role: 'admin',
    path: null,
    stint: guests.within({ actor: 'local' }),
  }
  // Made when somebody asks for it: making it takes a good part of the start of a server, and most commands never need it.
  let document: OpenApi | null = null
  const documented = (): OpenApi => (document ??= openApiDocument(routes))
  const metrics = new ServerMetrics(stint)
  const dashboard = options.dashboard === false ? null : new Dashboard()

  const authenticate = (request: Request): Access | Promise<Access> => {
    const header = request.headers.get('authorization')
    if (header === null && isOpen) return local
    const key = /^Bearer (\S+)$/i.exec(header ?? '')?.[1]
    if (key === undefined) {
      throw new StintError('unauthorized', 'A key is needed: send it as "Authorization: Bearer stint_…".')
    }
    return keyring.accessOf(key)
  }

  const recheck = async (request: Request): Promise<void> => {
    await authenticate(request)
  }
  const operations = new Operations(stint)
  const throughput = new Throughput(stint)
  const settings = { requireKeys: !isOpen, commands, requestsPerSecond, basePath, allowedHosts, allowedOrigins }
  const about = new About(stint, metrics, settings)
  const services: Services = {
    ...{ stint, operations, webhooks, throughput, about, recheck, heartbeatMs },
    recheckMs: Math.max(recheckMinMs, keysFreshMs),
    artifacts: typeof artifacts === 'string' ? artifactsIn(artifacts) : artifacts,
    closing: closing.signal,
    streams: new Streams(streamMax),
  }

  const answer = async (route: Route, request: Request, given: Given, seen: Seen): Promise<Response> => {
    const found = authenticate(request)
    const access = found instanceof Promise ? await found : found
    seen.actor = access.actor
    if (access !== local) rate.take(access.id)
    requireRole(access, route.role)
    for (const name in given) requireNoNul(name, given[name] ?? '')
    const params = route.params === undefined ? undefined : checked(route.params, given)
    const query = checkedQuery(route, request.url)
    const sent = route.body === undefined ? undefined : await readJson(request)
    const body = route.body === undefined ? undefined : checked(route.body, sent)
    const once = isOnce(route) ? onceOf(request, access, sent) : null
    const call = { params, query, body, stint: access.stint, access, services, request, once }
    if (once === null) return await run(route, call, given, sent)
    const answered = await doOnce(
      stint.store,
      once,
      () => run(route, call, given, sent),
      (error) => failed(error, request),
    )
    return secured(answered)
  }

  const run = async (route: Route, call: Call<unknown, unknown, unknown>, given: Given, sent: unknown) => {
    try {
      const result = await route.run(call)
      return result instanceof Response ? secured(result) : responseOf(route, result)
    } catch (error) {
      // Whoever lost their key while they waited is told that, and not what else ended with it.
      if (call.access !== local) await authenticate(call.request)
      throw withField(error, { ...given, ...Object(call.query), ...Object(sent) })
    }
  }

  const failed = (error: unknown, request: Request): Response => {
    const problem = problemOf(error)
    if (problem.status >= 500) log?.({ level: 'error', at: new URL(request.url).pathname, error })
    return secured(problemResponse(problem, headersOf(problem)))
  }

  const answering = (route: Route): Answering => {
    const counts = metrics.callOf(route.id)
    return async (request, given) => {
      const began = performance.now()
      const seen: Seen = { actor: null }
      let response: Response
      try {
        response = await answer(route, request, given, seen)
      } catch (error) {
        response = failed(error, request)
      }
      // Nobody reads it, so it would never end.
      if (request.method === 'HEAD') await response.body?.cancel()
      const ms = performance.now() - began
      counts.answered(response.status, ms)
      log?.({ level: 'info', at: 'request', call: route.id, status: response.status, ms: Math.round(ms), ...seen })
      return response
    }
  }

  const app = new Hono()
  const fixed = new FixedAddresses()
  for (const route of routes) {
    const [method, answered] = [route.method.toUpperCase(), answering(route)]
    if (!route.path.includes('{')) fixed.add(method, `/v1${route.path}`, answered)
    app.on(method, `/v1${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, (c) => answered(c.req.raw, c.req.param()))
  }
  /** What is no call of the API: everybody may get it, unless it says otherwise. */
  const page = (path: string, answered: (request: Request) => Response | Promise<Response>) => {
    app.get(path, async (c) => secured(await answered(c.req.raw)))
  }
  page('/v1/openapi.json', () => new Response(JSON.stringify(documented()), { headers: jsonHeaders }))
  page('/metrics', async (request) => {
    try {
      const access = await authenticate(request)
      // They are of everybody, so they are for those who see everybody.
      if (access.path !== null) throw new StintError('forbidden', 'Metrics need a key that reaches everything.')
      return new Response(openMetricsText(await metrics.families()), { headers: { 'content-type': openMetricsType } })
    } catch (error) {
      return failed(error, request)
    }
  })
  page('/reference', () => referencePage(documented()))
  page('/errors', () => referencePage(documented()))
  page('/healthz', () => new Response('ok\n', { headers: textHeaders }))
  page('/readyz', async () => {
    try {
      await stint.store.now()
      return new Response('ready\n', { headers: textHeaders })
    } catch {
      return new Response('the database cannot be reached\n', { status: 503, headers: textHeaders })
    }
  })
  app.notFound((c) => {
    const { raw } = c.req
    return secured(dashboard?.answer(raw) ?? failed(unknownAddress(raw.method, new URL(raw.url).pathname), raw))
  })

  return {
    keyring,
    webhooks,
    close: async () => {
      closing.abort()
      throughput.close()
      await webhooks.close()
      metrics.close()
      await local.stint.close()
      await guests.close()
      await keyring.close()
    },
    fetch: async (request) => {
      try {
        guard(request, { isOpen, allowedHosts, allowedOrigins })
        const headers = crossOriginHeaders(request, allowedOrigins)
        if (headers !== null && isPreflight(request))
          return withHeaders(secured(new Response(null, { status: 204 })), headers)
        const asked = below(base, request)
        const response = await (fixed.answer(asked) ?? app.fetch(asked))
        return headers === null ? response : withHeaders(response, headers)
      } catch (error) {
        return failed(error, request)
      }
    },
  }
}

/** The request as if the base path, if there is one, were the root. What lies elsewhere stays as it is, and is not found. */
function below(base: string, request: Request): Request {
  if (base === '') return request
  const url = new URL(request.url)
  if (!`${url.pathname}/`.startsWith(`${base}/`)) return request
  url.pathname = url.pathname.slice(base.length) || '/'
  return new Request(url, request)
}

/** Streams are looked at so often at the most, however often keys are read. */
const recheckMinMs = 50

/** What the log says of a request: never its headers, its query or its body. */
interface Seen {
  actor: string | null
}

function responseOf(route: Route, result: unknown): Response {
  if (route.status === 204) return new Response(null, { status: 204, headers: secureHeaders })
  return new Response(JSON.stringify(result), { status: route.status ?? 200, headers: securedJson })
}

/** Every answer has these, or others in place of the last. */
const secureHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
const jsonHeaders = { 'content-type': 'application/json' }
/** To give headers when an answer is made costs a tenth of adding them to it. */
const securedJson = { ...jsonHeaders, ...secureHeaders }
const textHeaders = { 'content-type': 'text/plain; charset=utf-8' }

function secured(response: Response): Response {
  const caching = response.headers.get('cache-control') ?? secureHeaders['cache-control']
  return withHeaders(response, { ...secureHeaders, 'cache-control': caching })
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const name in headers) response.headers.set(name, headers[name] ?? '')
  return response
}

function headersOf({ code, allowed }: Problem): Readonly<Record<string, string>> {
  if (code === 'unauthorized') return { 'www-authenticate': 'Bearer' }
  if (code === 'method_not_allowed') return { allow: String(allowed) }
  return code === 'too_many_requests' || code === 'store_busy' ? { 'retry-after': '1' } : {}
}

function checkedQuery(route: Route, url: string): unknown {
  const start = url.indexOf('?')
  if (route.query === undefined) {
    if (start !== -1 && start < url.length - 1)
      throw new StintError('invalid_argument', 'No query is taken here.', { field: 'query', rule: 'must be absent' })
    return undefined
  }
  const given: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(start === -1 ? '' : url.slice(start + 1))) {
    if (name in given)
      throw new StintError('invalid_argument', `${name} must be given once.`, {
        field: name,
        rule: 'must be given once',
      })
    requireNoNul(name, value)
    given[name] = value
  }
  return checked(route.query, { ...given })
}

/** No store holds such a text, so nothing has it for a name or an id. */
function requireNoNul(field: string, value: string): void {
  if (!value.includes('\0')) return
  const rule = 'must not contain NUL'
  throw new StintError('invalid_argument', `${fieldOf([field])} ${rule}.`, { field: fieldOf([field]), rule })
}

function unknownAddress(method: string, path: string): StintError {
  const others = routes.filter((route) => matches(route.path, path))
  if (others.length === 0)
    return new StintError('not_found', `There is nothing at ${path.slice(0, 200)}.`, { field: 'path' })
  const allowed = [...new Set(others.map((route) => route.method.toUpperCase()))].join(', ')
  const rule = `must be one of ${allowed}`
  return new StintError('method_not_allowed', `${method} is not done here; the method ${rule}.`, {
    ...{ field: 'method', rule, allowed },
  })
}
