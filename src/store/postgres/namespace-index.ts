import type { Pool, PoolClient } from 'pg'
import { quoted } from './statements.ts'

/** Between two tries to make the index. */
const pauseMs = 60_000

/**
 * The index by which claims find the jobs of a namespace. It is made by the first claim that is bound to branches or takes turns: in
 * a database where none does, every job would pay for it.
 */
export class NamespaceIndex {
  readonly #pool: Pool
  readonly #schema: string
  #made: Promise<boolean> | null = null
  #tryFrom = Number.NEGATIVE_INFINITY

  constructor(pool: Pool, schema: string) {
    this.#pool = pool
    this.#schema = schema
  }

  /** Without it claims are slower and no less right: so nothing fails if it cannot be made now. */
  async make(): Promise<void> {
    if (this.#made === null && performance.now() < this.#tryFrom) return
    this.#made ??= this.#make()
    if (await this.#made) return
    this.#made = null
    this.#tryFrom = performance.now() + pauseMs
  }

  async #make(): Promise<boolean> {
    const client = await this.#pool.connect().catch(() => null)
    if (client === null) return false
    const isMade = await this.#makeWith(client).catch(() => false)
    // After an error nobody knows what state the connection is in.
    client.release(!isMade)
    return isMade
  }

  /** Whoever writes waits while it is made, and behind it if it has to wait: so it does not wait long. */
  async #makeWith(client: PoolClient): Promise<boolean> {
    const schema = quoted(this.#schema)
    const { rows } = await client.query('select to_regclass($1) as index', [`${schema}.ready_namespace`])
    if (rows[0]?.index !== null) return true
    await client.query(`begin; set local lock_timeout = '2s'`)
    await client.query(`select pg_advisory_xact_lock(hashtextextended('stint ' || $1, 0))`, [this.#schema])
    await client.query(`create index if not exists ready_namespace on ${schema}.ready
      (lane, namespace, priority desc, position, job)`)
    await client.query('commit')
    return true
  }
}
