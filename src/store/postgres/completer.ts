import type { CheckedClaim } from '../claim-request.ts'
import { type CompletionRow, completedTasks, completeRows, supplyOf } from '../completion.ts'
import { wakeAfter, writeWithEffects } from '../effects.ts'
import { advanceCompleted } from '../shards/advance.ts'
import type { AtTime, Completed, Completion } from '../store.ts'
import { complete, forgetCompleted, leavesRows, type Stamp, sorted } from './complete.ts'
import { TaskCompleter } from './complete-tasks.ts'
import { type Database, isRetryable, takenState } from './database.ts'
import type { JoinedClaims } from './joined-claim.ts'
import type { Statements } from './statements.ts'

/** Writes completions, each sort of job in the shortest way that there is for it. */
export class Completer {
  readonly #database: Database
  readonly #sql: Statements
  readonly #tasks: TaskCompleter
  readonly #joined: JoinedClaims

  constructor(database: Database, joined: JoinedClaims) {
    this.#joined = joined
    this.#database = database
    this.#sql = database.sql
    this.#tasks = new TaskCompleter(database.sql, database.types)
  }

  async complete(completions: readonly Completion[], options: AtTime = {}): Promise<Completed> {
    return await completeRows(completions, options, (rows, { now }) => this.#completeRows(rows, now ?? null))
  }

  /** Tasks of one sharded job are completed together; all that are completed in one call are over at one moment. */
  async #completeRows(rows: readonly CompletionRow[], given: number | null): Promise<Completed> {
    const written = new Map<CompletionRow, boolean>()
    let now = given
    let woke = false
    let isTaken = true
    for (const some of Map.groupBy(rows, ({ task_of, is_child }) => task_of ?? is_child).values()) {
      const completed = await this.#completeAlike(some, now)
      now ??= completed.at
      woke ||= completed.woke === true
      isTaken &&= completed.isTaken === true
      for (const [i, row] of some.entries()) written.set(row, completed.done[i] === true)
    }
    return {
      at: now ?? 0,
      done: rows.map((row) => written.get(row) === true),
      ...(woke ? { woke } : {}),
      ...(isTaken ? { isTaken } : {}),
    }
  }

  /** Of rows that are all tasks of one job, all children, or neither. */
  #completeAlike(rows: readonly CompletionRow[], now: number | null): Promise<Completed> {
    const [first] = rows
    if (first?.task_of) return this.#completeTasks(rows, now)
    return first?.is_child ? this.#completeChildren(rows, now) : this.#completePlain(rows, now)
  }

  /** Others often wait for the ends of children: they are told in the same transaction. */
  #completeChildren(rows: readonly CompletionRow[], now: number | null): Promise<Completed> {
    return this.#database.transact(now ?? undefined, async (tx, client) => {
      const stamp = { now: tx.now, tx_offset: this.#database.txOffset, with_awaited: true }
      const { awaited, ...completed } = await complete(client, this.#sql, stamp, rows)
      await forgetCompleted(client, this.#sql, this.#database.types, rows)
      const ended = rows.filter(({ pk }, i) => completed.done[i] && awaited.has(pk))
      if (ended.length > 0) await wakeAfter(tx, ended.map(supplyOf))
      return ended.length > 0 ? { ...completed, woke: true } : completed
    })
  }

  #completePlain(rows: readonly CompletionRow[], now: number | null): Promise<Completed> {
    const stamp = this.#stamp(now)
    const ends = sorted(rows)
    const isOneStatement = ends.plain.length === 0 || ends.others.length === 0
    // One statement is a transaction of its own: most need no more.
    if (isOneStatement && !rows.some(leavesRows)) {
      return this.#database.repeatedly((client) => complete(client, this.#sql, stamp, rows, ends))
    }
    return this.#database.transact(now ?? undefined, async (_, client) => {
      const completed = await complete(client, this.#sql, stamp, rows, ends)
      await forgetCompleted(client, this.#sql, this.#database.types, rows)
      return completed
    })
  }

  async #completeTasks(rows: readonly CompletionRow[], now: number | null): Promise<Completed> {
    const stamp = this.#stamp(now)
    const alone = () => this.#completeTasksAlone(stamp, rows)
    const both = (request: CheckedClaim) => {
      return this.#database.repeatedly((client) => {
        return this.#tasks.completeAndClaim(this.#database.on(client), stamp, rows, request)
      })
    }
    if (!this.#sql.isStored('completeTasksAndClaim')) return await alone()
    const types = rows.map(({ type }) => type)
    return await this.#joined.carry(types, both, alone)
  }

  async #completeTasksAlone(stamp: Stamp, rows: readonly CompletionRow[]): Promise<Completed> {
    const short = await this.#database
      .repeatedly((client) => this.#tasks.complete(client, stamp, rows))
      .catch(orNameTaken)
    if (short !== null) return short
    const { now } = stamp
    return await this.#database.transact(now ?? undefined, async (tx, client) => {
      const completed = await complete(client, this.#sql, stamp, rows)
      await forgetCompleted(client, this.#sql, this.#database.types, rows)
      await advanceCompleted(tx, completedTasks(rows, completed.done), writeWithEffects)
      return completed
    })
  }

  #stamp(now: number | null): Stamp {
    return { now, tx_offset: this.#database.txOffset, with_awaited: false }
  }
}

/** Null when a task could not have its name: nothing was done, and whoever has it must be asked to leave it. */
function orNameTaken(error: unknown): null {
  if (isRetryable(error, [takenState])) return null
  throw error
}
