/** The beginning of the thread that holds a SQLite database. */
import { workerData } from 'node:worker_threads'
import { type Served, serve } from '../thread/serve.ts'
import { openSqliteStoreHere, type SqliteOptions, type SqliteStore } from './sqlite-store.ts'

await serve(async () => offer(await openSqliteStoreHere(workerData as SqliteOptions)))

function offer(store: SqliteStore): Served {
  const methods = store as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  return {
    call: (method, args) => {
      const run = methods[method]
      if (run === undefined) throw new Error(`The store has no method ${method}.`)
      return run.apply(store, [...args])
    },
    start: (stream, request, signal) =>
      stream === 'heartbeat'
        ? store.heartbeat(request as Parameters<SqliteStore['heartbeat']>[0], signal)
        : store.watch(() => signal(null)),
  }
}
