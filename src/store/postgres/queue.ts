import { checkNow } from '../check-input.ts'
import { type CheckedClaim, takesTurns } from '../claim-request.ts'
import { type Inserted, type PlainRows, submitPlain, type Writes } from '../plain-submission.ts'
import type { InTurn, StoredJob, Submission, SubmitResult } from '../store.ts'
import { submit } from '../submit.ts'
import { claim, claimGated } from './claim.ts'
import type { Database } from './database.ts'
import { insertPlain, plainParams } from './insert-plain.ts'
import { JoinedClaims } from './joined-claim.ts'
import type { NamespaceIndex } from './namespace-index.ts'
import { type Taken, writeAndClaim } from './start-attempts.ts'
import type { Params } from './statements.ts'

/** Where jobs go in and come out. */
export class Queue {
  readonly #database: Database
  readonly #namespaceIndex: NamespaceIndex
  /** For all that make jobs ready in one transaction with a claim. */
  readonly joined = new JoinedClaims((request) => this.#claimFirst(request))

  constructor(database: Database, namespaceIndex: NamespaceIndex) {
    this.#database = database
    this.#namespaceIndex = namespaceIndex
  }

  async submit(submissions: readonly Submission[], { now, turn }: InTurn = {}): Promise<readonly SubmitResult[]> {
    checkNow(now)
    await this.#database.makeTypes(submissions)
    const { sql, types, txOffset } = this.#database
    const stamp = { now: now ?? null, tx_offset: txOffset }
    const writes: Writes = {
      insert: (rows) => {
        const params = { ...plainParams(rows, (type) => types.idOf(type)), ...stamp }
        const alone = () => this.#database.repeatedly((client) => insertPlain(client, sql, params, rows.id.length))
        // What has a turn is large, and others wait for it.
        return turn === undefined ? () => this.#insertWithClaim(rows, params, alone) : alone
      },
      submit: () => this.#database.transact(now, (tx) => submit(tx, submissions)),
    }
    return await submitPlain(submissions, writes, turn)
  }

  /** A worker that waits for such jobs, in this process, gets them in the transaction that makes them. */
  async #insertWithClaim(
    rows: PlainRows,
    params: Params,
    alone: () => Promise<Inserted | null>,
  ): Promise<Inserted | null> {
    if (!this.#database.sql.isStored('insertAndClaim')) return await alone()
    const both = (request: CheckedClaim) =>
      this.#database.repeatedly((client) => {
        return writeAndClaim(this.#database.on(client), 'insertAndClaim', params, request)
      })
    return await this.joined.carry(rows.type, both, alone)
  }

  /** One statement is a transaction of its own: a claim needs no more, unless there are gates to pass or turns to take. */
  async claim(request: CheckedClaim): Promise<readonly StoredJob[]> {
    if (takesTurns(request)) {
      await this.#namespaceIndex.make()
      return await this.#database.transact(request.now, (tx, client) =>
        claimGated(tx, this.#database.on(client), request),
      )
    }
    const { jobs, isGated } = await (this.joined.join(request) ?? this.#claimFirst(request))
    const limit = request.limit - jobs.length
    if (!isGated || limit === 0) return jobs
    const suspectLimit = request.suspectLimit - jobs.filter(({ job }) => job.suspect).length
    const rest = { ...request, limit, suspectLimit }
    const more = this.#database.transact(request.now, (tx, client) => claimGated(tx, this.#database.on(client), rest))
    // What was taken is taken: the rest can be asked for again.
    return [...jobs, ...(await (jobs.length === 0 ? more : more.catch(() => [])))]
  }

  #claimFirst(request: CheckedClaim): Promise<Taken> {
    const { sql } = this.#database
    if (sql.isStored('claimFirstJobs')) {
      return this.#database.repeatedly((client) => claim(this.#database.on(client), request))
    }
    return this.#database.transact(request.now, async (_, client) => {
      await sql.run(client, 'letClaimIn', { barrier: sql.barrier })
      return await claim(this.#database.on(client), request)
    })
  }
}
