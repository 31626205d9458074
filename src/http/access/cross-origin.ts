/** What a page of another origin may do, if the operator allows that origin: the same as everybody else with its key. */
const allowed = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
  'access-control-expose-headers': 'idempotency-replayed, retry-after',
  'access-control-max-age': '600',
} as const

/** What a browser has to see before it shows a page of another origin the answer; null for all other requests. */
export function crossOriginHeaders(
  request: Request,
  allowedOrigins: readonly string[],
): Readonly<Record<string, string>> | null {
  if (allowedOrigins.length === 0) return null
  const origin = request.headers.get('origin')
  if (origin === null || !allowedOrigins.includes(origin)) return null
  return { 'access-control-allow-origin': origin, vary: 'origin', ...allowed }
}

/** Whether a browser only asks if it may send something, for a page of an origin that is allowed. That is answered without a key: it sends none with the question. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method')
}
