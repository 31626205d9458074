import { createHash } from 'node:crypto'
import { StintError, show } from '../core/errors.ts'
import { answerBytesMax } from '../store/control/answers.ts'
import type { Store } from '../store/store.ts'
import type { Access } from './access/access.ts'

/** A request that is to be done once. Two hashes: of who asks and the key they chose, and of what they ask. */
export interface Once {
  readonly id: string
  readonly fingerprint: string
}

/** What the header says; null without one. A structured string or a plain one. */
export function onceOf(request: Request, access: Access, body: unknown): Once | null {
  const header = request.headers.get('idempotency-key')
  if (header === null) return null
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    const rule = 'must be 1 to 255 visible characters of ASCII'
    throw new StintError('invalid_argument', `Idempotency-Key ${rule}; got ${show(header)}.`, {
      field: 'Idempotency-Key',
      rule,
    })
  }
  const { pathname, search } = new URL(request.url)
  const route = `${request.method} ${pathname}`
  return { id: hash([access.id, route, key]), fingerprint: hash([route, search, JSON.stringify(body) ?? '']) }
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** The id of the n-th thing that such a request makes: the same whenever it is done again. */
export function idWithin({ id }: Once, n: number): string {
  const hex = createHash('sha256').update(`${id}.${n}`).digest('hex')
  // A UUID of version 8, whose bits mean what we say.
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)]
  return parts.join('-')
}

/** The id of the one thing that a request makes, as an option: none of its own unless it is to be done once. */
export function idOnce(once: Once | null): { readonly id?: string } {
  return once === null ? {} : { id: idWithin(once, 0) }
}

/** Does it, unless it was done: then gives the answer of that time again. `failed` makes an answer of what is thrown. */
export async function doOnce(
  store: Store,
  once: Once,
  answer: () => Promise<Response>,
  failed: (error: unknown) => Response,
): Promise<Response> {
  const begun = await store.control('answer.begin', once)
  switch (begun.outcome) {
    case 'answered':
      return new Response(begun.body, { status: begun.status, headers: replayHeaders(begun.status) })
    case 'running':
      throw new StintError('idempotency_in_progress', 'The same request is being answered at this moment. Try again.')
    case 'mismatch':
      throw new StintError('idempotency_mismatch', 'The Idempotency-Key was used for another request before.', {
        field: 'Idempotency-Key',
      })
    default:
      return await settled(store, once, await answer().catch(failed))
  }
}

async function settled(store: Store, once: Once, response: Response): Promise<Response> {
  const { status } = response
  // What may go well the next time is not kept.
  if (status >= 500 || status === 429) {
    await store.control('answer.forget', once)
    return response
  }
  const body = await response.clone().text()
  // Only lists of new jobs are so large, and to make those again gives the same ones.
  const isKept = Buffer.byteLength(body) <= answerBytesMax
  if (isKept) await store.control('answer.finish', { ...once, status, body })
  else await store.control('answer.forget', once)
  return response
}

function replayHeaders(status: number): Readonly<Record<string, string>> {
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  return { 'content-type': type, 'idempotency-replayed': 'true' }
}
