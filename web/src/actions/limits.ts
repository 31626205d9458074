import { type Action, literal, quoted } from './action.ts'

export interface LimitChange {
  readonly key: string
  /** Null for any number. */
  readonly concurrency: number | null
  /** Such as `100/min`; null for any. */
  readonly rate: string | null
}

export function setLimit({ key, concurrency, rate }: LimitChange): Action {
  const settings = { concurrency, rate }
  const flags = [
    concurrency === null ? '' : ` --concurrency ${concurrency}`,
    rate === null ? '' : ` --rate ${quoted(rate)}`,
  ]
  return {
    label: 'Set the limit',
    done: `The limit ${key} holds from now on`,
    role: 'admin',
    request: { method: 'PUT', path: '/limits', body: { key, ...settings } },
    cli: concurrency === null && rate === null ? null : `stint limit set ${quoted(key)}${flags.join('')}`,
    code: `await client.limits.set(${literal(key)}, ${JSON.stringify(settings)})`,
    run: (client) => client.limits.set(key, settings),
  }
}

export function removeLimit(key: string): Action {
  return {
    label: 'Remove',
    done: `The limit ${key} is forgotten`,
    role: 'admin',
    request: { method: 'DELETE', path: `/limits?key=${encodeURIComponent(key)}` },
    cli: `stint limit remove ${quoted(key)}`,
    code: `await client.limits.remove(${literal(key)})`,
    run: (client) => client.limits.remove(key),
  }
}
