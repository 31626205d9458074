import pg, { type ClientBase, type Pool, type PoolClient } from 'pg'
import { StintError } from '../../core/errors.ts'
import { checkNow } from '../check-input.ts'
import type { QueryClient, Submission } from '../store.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import type { ClaimTools } from './start-attempts.ts'
import type { Statements } from './statements.ts'
import { TypeIds } from './type-ids.ts'

/** Deadlock, serialisation failure: the transaction did nothing, and another try may succeed. */
const retryableStates: readonly string[] = ['40001', '40P01']
/** The name of a task was taken after it was looked for: who looks again sees it. */
export const takenState = '23505'
/** Somebody else holds what a statement that must not wait for long wants. */
export const lockTimeoutState = '55P03'
const tryMax = 5

export function isRetryable(error: unknown, states = retryableStates): boolean {
  return error instanceof Error && 'code' in error && states.includes(String(error.code))
}

/** Whether the server has refused a statement, and the connection is as good as before: to open another takes its time. */
function isOfStatement(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !/^(08|25|57P|58|XX)/.test(error.code ?? 'XX')
}

/** What may name types of jobs: a submission, or what describes jobs. */
export interface NamingTypes extends Pick<Submission, 'type' | 'onFailure'> {
  readonly finish?: Submission['onFailure']
  readonly jobs?: readonly Submission[]
}

/** The connections of a store, and the ways to use one: for a statement, a transaction, or a read at one instant. */
export class Database {
  readonly sql: Statements
  readonly types: TypeIds
  /** What is added to the numbers of transactions where a database was restored from another cluster. */
  readonly txOffset: number
  readonly #pool: Pool
  #isClosed = false

  constructor(pool: Pool, sql: Statements, txOffset: number) {
    this.#pool = pool
    this.sql = sql
    this.types = new TypeIds(sql)
    this.txOffset = txOffset
  }

  /** What the statements of claims need. */
  on(client: ClientBase): ClaimTools {
    return { client, sql: this.sql, types: this.types, txOffset: this.txOffset }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** From now on nothing more is begun. */
  refuseMore(): void {
    this.#isClosed = true
  }

  async end(): Promise<void> {
    await this.#pool.end()
  }

  /** The job that may follow an end will be submitted inside a transaction, where no type can be made. */
  async makeTypes(submissions: readonly NamingTypes[]): Promise<void> {
    const types = submissions.flatMap((submission) =>
      [submission?.type ?? [], submission?.onFailure?.type ?? [], submission?.finish?.type ?? []].flat(),
    )
    if (!this.types.isKnown(types)) await this.withClient((client) => this.types.make(client, types))
  }

  async timeOf(client: QueryClient): Promise<number> {
    const [row] = await this.sql.run<{ now: number }>(client, 'databaseTime')
    return row?.now ?? 0
  }

  async transact<T>(
    now: number | undefined,
    work: (tx: PostgresTransaction, client: ClientBase) => Promise<T>,
  ): Promise<T> {
    checkNow(now)
    return await this.repeatedly((client) => this.#once(client, now, work), [...retryableStates, takenState])
  }

  /** A transaction that was chosen to end a circle of waiting has done nothing, so it is tried again. */
  async repeatedly<T>(work: (client: PoolClient) => Promise<T>, states = retryableStates): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.withClient(work)
      } catch (error) {
        if (!isRetryable(error, states)) throw error
        if (attempt === tryMax) throw conflict()
      }
    }
  }

  async #once<T>(
    client: PoolClient,
    given: number | undefined,
    work: (tx: PostgresTransaction, client: ClientBase) => Promise<T>,
  ): Promise<T> {
    // Several statements at once give several results; the driver's types know only one.
    const begun = (await client.query(this.sql.prepare('begin').text)) as unknown as readonly {
      rows: { now: number }[]
    }[]
    const now = given ?? begun.at(-1)?.rows[0]?.now ?? 0
    try {
      const result = await work(new PostgresTransaction(client, this.sql, this.types, this.txOffset, now), client)
      await client.query('commit')
      return result
    } catch (error) {
      // When the connection is gone so is the transaction; the error to tell is the first one.
      await client.query('rollback').catch(() => {})
      throw error
    }
  }

  readAtOneInstant<T>(
    read: (client: ClientBase) => Promise<T>,
    begin: 'beginRead' | 'beginLook' = 'beginRead',
  ): Promise<T> {
    return this.withClient(async (client) => {
      await client.query(this.sql.prepare(begin).text)
      try {
        return await read(client)
      } finally {
        await client.query('commit').catch(() => {})
      }
    })
  }

  async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed()
    const client = await this.#pool.connect()
    let isBroken = false
    const onError = () => {
      isBroken = true
    }
    client.on('error', onError)
    try {
      return await work(client)
    } catch (error) {
      // The end of a connection is noticed only after the call that it failed: back in the pool, it would fail the next.
      isBroken ||= !(error instanceof StintError) && !isOfStatement(error)
      throw error
    } finally {
      client.off('error', onError)
      client.release(isBroken)
    }
  }
}

export function closed(): StintError {
  return new StintError('store_closed', 'The store was closed; nothing was done.')
}

function conflict(): StintError {
  const message = `Other transactions were in the way ${tryMax} times; nothing was written.`
  return new StintError('conflict', message, { attempts: tryMax })
}
