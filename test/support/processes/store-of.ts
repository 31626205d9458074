import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { openSqliteStoreHere } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'

/** What a child process is told: which database, who it is, how much to do. */
export interface Orders {
  readonly database: { readonly file: string } | { readonly url: string; readonly schema: string }
  readonly name: string
  readonly count: number
  /** When to begin, for programs that do something at the same moment. */
  readonly startAt?: number
}

export function readOrders(): Orders {
  return JSON.parse(process.argv[2] ?? '') as Orders
}

export function openStoreOf({ database }: Orders): Promise<Store> {
  return 'file' in database ? openSqliteStoreHere(database) : openPostgresStore(database)
}
