import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { StintError, show } from '../../core/errors.ts'
import { isPublic } from './address.ts'

/** Where messages may go. */
export interface TargetPolicy {
  /** Whether private networks and this machine may be reached, on any port. Default false. */
  readonly allowPrivate?: boolean
  /** Whether `http:` may be used. Default false. */
  readonly allowHttp?: boolean
  /** Ports that may be reached. Default 443 and 8443, and with `allowHttp` 80 and 8080; with `allowPrivate` any. */
  readonly ports?: readonly number[]
  /** Finds the addresses of a host. Default the resolver of the system. */
  readonly resolve?: Resolve
}

export interface Address {
  readonly address: string
  readonly family: number
}

export type Resolve = (host: string) => Promise<readonly Address[]>

/** An address that was checked, with those that its host has at this moment: whoever connects uses these and asks nobody again. */
export interface Target {
  readonly url: URL
  readonly addresses: readonly Address[]
}

/**
 * Checks where a URL leads. All addresses of its host must be allowed: one that is public must not bring another along. The check is of
 * the numbers that a resolver gives, not of how a host is written, and what cannot be resolved is refused.
 */
export async function targetOf(text: string, policy: TargetPolicy): Promise<Target> {
  const url = checkedUrl(text, policy)
  // A URL has normalised the address: what was written as 0x7f.1 stands there as 127.0.0.1.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const addresses = family === 0 ? await resolved(host, policy.resolve ?? systemResolve) : [{ address: host, family }]
  if (policy.allowPrivate !== true && !addresses.every(({ address }) => isPublic(address))) {
    throw refused('must lead to addresses of the public internet alone', text)
  }
  return { url, addresses }
}

function checkedUrl(text: string, { allowHttp = false, allowPrivate = false, ports }: TargetPolicy): URL {
  const url = URL.parse(text)
  if (url === null) throw refused('must be a URL', text)
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    throw refused(allowHttp ? 'must be a URL of https or http' : 'must be a URL of https', text)
  }
  if (url.username !== '' || url.password !== '') throw refused('must not hold credentials', text)
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  const allowed = ports ?? (allowPrivate ? null : [443, 8_443, ...(allowHttp ? [80, 8_080] : [])])
  if (allowed !== null && !allowed.includes(port))
    throw refused(`must use one of the ports ${allowed.join(', ')}`, text)
  return url
}

async function resolved(host: string, resolve: Resolve): Promise<readonly Address[]> {
  const addresses = await resolve(host).catch(() => [])
  if (addresses.length === 0) throw refused('must name a host that can be found', host)
  return addresses
}

async function systemResolve(host: string): Promise<readonly Address[]> {
  return await lookup(host, { all: true, order: 'verbatim' })
}

function refused(rule: string, value: string): StintError {
  return new StintError('invalid_argument', `url ${rule}; got ${show(value)}.`, { field: 'url', rule })
}
