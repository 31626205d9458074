import { expect, onTestFinished } from 'vitest'
import type { Role } from '../../src/core/access/key.ts'
import { hashOf, newKey } from '../../src/http/access/keyring.ts'
import { matches } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes/routes.ts'
import { type Server, type ServerOptions, startServer } from '../../src/http/server.ts'
import { newId } from './fixture.ts'
import { type OpenOptions, type SetupStint, type StintFixture, setupStint } from './stint.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** What the body says; undefined when it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect, and fail where it is not.
  readonly json: any
}

export interface Asked {
  readonly body?: unknown
  /** Sent as it is, whatever it is. */
  readonly raw?: string | Uint8Array
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** A real server on a port of its own, and how to ask it. */
export interface HttpFixture extends StintFixture {
  readonly server: Server
  ask(method: string, path: string, asked?: Asked): Promise<Reply>
  /** Makes a key straight in the store. */
  key(role: Role, path?: string | null): Promise<string>
}

export async function setupHttp(
  options: Partial<ServerOptions> = {},
  setup: SetupStint = setupStint,
  open: OpenOptions = {},
): Promise<HttpFixture> {
  const fixture = await setup(open)
  const key = async (role: Role, path: string | null = null): Promise<string> => {
    const made = newKey()
    const about = {
      label: `${role} of ${path ?? 'everything'}`,
      hash: hashOf(made),
      scope: path,
      role,
      expiresAt: null,
    }
    await fixture.store.control('key.create', { id: newId(), ...about })
    return made
  }
  // A server that asks for keys does not start without one.
  if (options.requireKeys === true) await key('admin')
  const server = await startServer({ stint: fixture.stint, port: 0, ...options })
  onTestFinished(() => server.close())
  return { ...fixture, server, key, ask: (method, path, asked) => ask(server.url, method, path, asked) }
}

export async function ask(url: string, method: string, path: string, asked: Asked = {}): Promise<Reply> {
  const { body, raw, key, headers = {}, signal } = asked
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  const reply = { status: response.status, headers: response.headers, text, json: parsed(text) }
  if (response.ok) checkShown(method, path.replace(/\?.*$/s, ''), reply)
  return reply
}

/** Whatever a test is about: an answer has all that the schema of its route says, and nothing else. */
function checkShown(method: string, path: string, { status, json }: Reply): void {
  const route = routes.find((each) => each.method === method.toLowerCase() && matches(each.path, path))
  if (route === undefined) return
  expect(status).toBe(route.status ?? 200)
  // Of what the schema does not know its parse gives nothing back.
  if (route.response !== undefined) expect(json, `${method} ${path}`).toEqual(route.response.parse(json))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a refusal says, in short. Who is told that a field is wrong is told the rule, too. */
export function refusal({ status, json }: Reply): readonly unknown[] {
  if (status === 400) expect(json.rule).toEqual(expect.any(String))
  return [status, json.code, json.field]
}
