import { StintError, show } from '../../core/errors.ts'

/** Names of this machine by which nobody else can be meant. */
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])

export function isLoopback(host: string): boolean {
  return loopbackHosts.has(host) || /^127(?:\.\d{1,3}){3}$/.test(host)
}

export interface GuardOptions {
  /** Whether whoever reaches the server may do everything. */
  readonly isOpen: boolean
  /** Other names under which browsers may reach it. */
  readonly allowedHosts: readonly string[]
  /** Other pages that may use it. */
  readonly allowedOrigins: readonly string[]
}

/**
 * Refuses what a page of somebody else sends through the browser of somebody who may. A server that asks for no key must be
 * reached by a name of its own machine, or any name that an attacker lets point there would do.
 */
export function guard(request: Request, { isOpen, allowedHosts, allowedOrigins }: GuardOptions): void {
  const host = request.headers.get('host') ?? ''
  const isKnown = isLoopback(hostnameOf(host)) || allowedHosts.includes(host) || allowedHosts.includes(hostnameOf(host))
  if ((isOpen || allowedHosts.length > 0) && !isKnown) {
    throw new StintError('forbidden', `This server is not reached by the host ${show(host)}.`, { field: 'host' })
  }
  const origin = request.headers.get('origin')
  if (origin !== null && !isOwn(origin, host) && !allowedOrigins.includes(origin)) {
    throw new StintError('forbidden', `Pages of ${show(origin)} may not use this server.`, { field: 'origin' })
  }
}

function hostnameOf(host: string): string {
  return host.replace(/:\d+$/, '')
}

function isOwn(origin: string, host: string): boolean {
  try {
    return new URL(origin).host === host
  } catch {
    return false
  }
}
