import { StintError, show } from '../core/errors.ts'
import { checkInteger } from '../store/check-input.ts'
import type { Store } from '../store/store.ts'

export interface StoreOptions {
  /** `sqlite:./file.db`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string
  /** The PostgreSQL schema that holds the tables. Default `stint`. */
  readonly schema?: string
  /** How many connections to PostgreSQL this process opens at the most, beside one to listen and one for leases. Default 10. */
  readonly connectionMax?: number
}

/** Opens the store that a URL names. Each is loaded when it is wanted: who uses one needs not have the other. */
export async function openStore({ url, schema, connectionMax = 10 }: StoreOptions): Promise<Store> {
  checkInteger(connectionMax, 'connectionMax', 1, 1_000)
  if (typeof url === 'string' && url.startsWith('sqlite:') && url !== 'sqlite:') {
    const { openSqliteStore } = await import('../store/sqlite/threaded-store.ts')
    return openSqliteStore({ file: url.slice('sqlite:'.length) })
  }
  if (typeof url === 'string' && /^postgres(ql)?:\/\//.test(url)) {
    const { openPostgresStore } = await import('../store/postgres/postgres-store.ts')
    return openPostgresStore({ url, connectionMax, ...(schema === undefined ? {} : { schema }) })
  }
  const rule = 'must begin with sqlite: or postgres://'
  // The URL may hold a password, so an error shows no more than its scheme.
  const scheme = typeof url === 'string' ? `${url.split(':', 1)[0]}:…` : url
  throw new StintError('invalid_argument', `url ${rule}; got ${show(scheme)}.`, { field: 'url', rule })
}
