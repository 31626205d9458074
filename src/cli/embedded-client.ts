import { Client } from '../client/client.ts'
import type { Stint } from '../engine/stint.ts'
import { createApp } from '../http/app.ts'

/** A client of a server that is not there: what it asks is answered in this process, on a database. */
export function clientOf(stint: Stint): { readonly client: Client; readonly close: () => Promise<void> } {
  const app = createApp({ stint, isOpen: true, commands: true })
  const url = 'http://127.0.0.1'
  const ask = (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init)
    // A server without keys wants to be called by a name of its own machine.
    request.headers.set('host', '127.0.0.1')
    return app.fetch(request)
  }
  return { client: new Client({ url, fetch: ask }), close: () => app.close() }
}
