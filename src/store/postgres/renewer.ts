import pg, { type Client } from 'pg'
import type { HeartbeatRequest } from '../store.ts'
import { closeClient, connectionTo } from './connection.ts'
import type { HeartOptions } from './heart.ts'
import { Statements } from './statements.ts'

/** Renews leases on one connection, which is made when it is needed and again after any trouble. */
export class Renewer {
  readonly #url: string
  readonly #sql: Statements
  #client: Promise<Client> | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor({ url, schema }: HeartOptions) {
    this.#url = url
    this.#sql = new Statements(schema)
  }

  /** False when the worker is not there any more, or was given up. One at a time: each is a transaction. */
  renew(request: HeartbeatRequest): Promise<boolean> {
    const renewed = this.#last.then(() => this.#renew(request))
    this.#last = renewed.catch(() => {})
    return renewed
  }

  async close(): Promise<void> {
    await this.#client?.then(closeClient, () => {})
  }

  async #renew({ workerId, leaseMs }: HeartbeatRequest): Promise<boolean> {
    // A try that hangs is given up while there is still time for others.
    const patienceMs = Math.max(250, Math.ceil(leaseMs / 4))
    this.#client ??= connect(this.#url, patienceMs)
    const connecting = this.#client
    try {
      return await renewOn(await connecting, this.#sql, { workerId, leaseMs }, patienceMs)
    } catch (error) {
      // Whatever it was, a new connection is the safest place for the next try.
      this.#client = null
      void connecting.then(closeClient, () => {})
      throw error
    }
  }
}

async function connect(url: string, patienceMs: number): Promise<Client> {
  const timeouts = { connectionTimeoutMillis: patienceMs, query_timeout: patienceMs }
  const client = new pg.Client({ ...connectionTo(url), ...timeouts })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function renewOn(
  client: Client,
  sql: Statements,
  { workerId, leaseMs }: HeartbeatRequest,
  patienceMs: number,
): Promise<boolean> {
  // For this transaction only: a setting of the session would stay behind in a pooler. Without it, a statement that waits
  // for a lock could renew the lease of a worker that has long given itself up, and a process that is suspended here
  // would keep its row locked: others would wait for it instead of finding it lost.
  const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout']
  await client.query(['begin', ...timeouts.map((name) => `set local ${name} = ${patienceMs}`)].join('; '))
  const renewed = await sql.run(client, 'renewWorker', { id: workerId, lease_ms: leaseMs, now: null })
  await client.query(`commit /* heartbeat of ${sql.schema} */`)
  return renewed.length > 0
}
