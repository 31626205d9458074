import { type ErrorCode, type ErrorDetails, errorCodes, StintError } from '../core/errors.ts'
import { withDates } from './dates.ts'

export interface ConnectOptions {
  /** Where the server is, `http://127.0.0.1:4600`. */
  readonly url: string
  /** A key, where the server wants one. */
  readonly key?: string
  /** Default that of the platform. */
  readonly fetch?: typeof fetch
  /** How often a request that could not be answered is sent again. Default 3. */
  readonly retries?: number
}

export interface Asked {
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

const firstPauseMs = 100

/** Sends requests, again where that can help and does no harm, and turns what is wrong into the errors of the library. */
export class Transport {
  readonly #url: string
  readonly #key: string | undefined
  readonly #fetch: typeof fetch
  readonly #retries: number

  constructor({ url, key, fetch: given = fetch, retries = 3 }: ConnectOptions) {
    this.#url = url.replace(/\/+$/, '')
    this.#key = key
    // As a method of something else it would not work in a browser.
    this.#fetch = (input, init) => given(input, init)
    this.#retries = retries
  }

  async get<Answer>(path: string, asked: Asked = {}): Promise<Answer> {
    return await this.#ask('GET', path, asked)
  }

  /** With a key of its own, so that it is done once though it may be sent more than once. */
  async post<Answer>(path: string, body: unknown = undefined, asked: Asked = {}): Promise<Answer> {
    return await this.#ask('POST', path, { ...asked, body }, { 'idempotency-key': crypto.randomUUID() })
  }

  async put<Answer>(path: string, body: unknown): Promise<Answer> {
    return await this.#ask('PUT', path, { body })
  }

  async patch<Answer>(path: string, body: unknown): Promise<Answer> {
    return await this.#ask('PATCH', path, { body })
  }

  async delete<Answer>(path: string, asked: Asked = {}): Promise<Answer> {
    return await this.#ask('DELETE', path, asked)
  }

  /** An answer that is read while it comes. */
  async open(path: string, { query, signal }: Asked, headers: Readonly<Record<string, string>>): Promise<Response> {
    const response = await this.#send('GET', path, { ...(query && { query }), ...(signal && { signal }) }, headers)
    if (!response.ok) throw await errorOf(response)
    return response
  }

  /** What is no JSON. */
  async bytes(path: string, asked: Asked): Promise<Uint8Array> {
    return new Uint8Array(await (await this.open(path, asked, {})).arrayBuffer())
  }

  async #ask<Answer>(
    method: string,
    path: string,
    asked: Asked,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      try {
        const response = await this.#send(method, path, asked, headers)
        if (!response.ok) throw await errorOf(response)
        return (response.status === 204 ? null : withDates(await response.json())) as Answer
      } catch (error) {
        const isWorth = error instanceof StintError && again.has(error.code)
        if (!isWorth || tries >= this.#retries || asked.signal?.aborted) throw error
        await pause(firstPauseMs * 3 ** tries * (0.75 + Math.random() / 2))
      }
    }
  }

  async #send(
    method: string,
    path: string,
    { query = {}, body, signal }: Asked,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const init = {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }
    try {
      return await this.#fetch(`${this.#url}/v1${path}${queryText(query)}`, init)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw new StintError('unreachable', `${this.#url} cannot be reached: ${whyOf(error)}`, { url: this.#url })
    }
  }
}

/** `fetch` only says that it failed; why stands behind that. */
function whyOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const { message, code } = cause as { readonly message?: string; readonly code?: string }
  return message || code || String(cause)
}

/** What another try may change. A request that is being answered elsewhere was ours, sent before. */
const again: ReadonlySet<ErrorCode> = new Set(['unreachable', 'store_busy', 'idempotency_in_progress'])

function queryText(query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  if (entries.length === 0) return ''
  return `?${new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]))}`
}

/** The error that the library would have thrown. */
async function errorOf(response: Response): Promise<StintError> {
  const text = await response.text()
  const problem = parsed(text)
  if (problem === null) {
    const message = `The server answered ${response.status}: ${text.slice(0, 200)}`
    return new StintError(response.status >= 500 ? 'unreachable' : 'internal_error', message, {
      status: response.status,
    })
  }
  const { type: _, title: __, status: ___, detail, code, retryable: ____, ...details } = problem
  return new StintError(code, detail, details)
}

function parsed(text: string): (ErrorDetails & { readonly code: ErrorCode; readonly detail: string }) | null {
  try {
    const problem = JSON.parse(text)
    return Object.hasOwn(errorCodes, problem?.code) && typeof problem.detail === 'string' ? problem : null
  } catch {
    return null
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
