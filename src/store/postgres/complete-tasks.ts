import type { ClientBase } from 'pg'
import type { CheckedClaim } from '../claim-request.ts'
import type { CompletionRow } from '../completion.ts'
import { type TaskTerms, taskTerms } from '../shards/new-tasks.ts'
import type { ShardedRow } from '../shards/shards.ts'
import type { Completed } from '../store.ts'
import { type CompletedRow, completedBy, plainParams, type Stamp, sorted } from './complete.ts'
import { jobsById } from './load-jobs.ts'
import { type Both, type ClaimTools, writeAndClaim } from './start-attempts.ts'
import type { Params, Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

/** How many sharded jobs a store remembers. */
const rememberedMax = 100

/** A sharded job that waits for its tasks, as it was read. */
interface Split {
  readonly parent_revision: number
  readonly width: number
  readonly terms: TaskTerms
}

/**
 * Writes the ends of tasks and makes the next ones in one round trip. What it sends is made of the sharded job as it was read before:
 * the server compares its revision, and does nothing if it is another.
 */
export class TaskCompleter {
  readonly #sql: Statements
  readonly #types: TypeIds
  readonly #splits = new Map<string, Split>()

  constructor(sql: Statements, types: TypeIds) {
    this.#sql = sql
    this.#types = types
  }

  /** Null when nothing was done, because more may follow than the next tasks. All rows are tasks of one job. */
  async complete(client: ClientBase, stamp: Stamp, rows: readonly CompletionRow[]): Promise<Completed | null> {
    const params = await this.#params(client, stamp, rows)
    if (params === null) return null
    const [answer] = await this.#sql.run<CompletedRow>(client, 'completeTasks', params)
    if (answer === undefined) this.#forget(rows)
    return answer === undefined ? null : completedBy([answer], rows)
  }

  /** The same with a claim, which finds the next tasks. */
  async completeAndClaim(
    tools: ClaimTools,
    stamp: Stamp,
    rows: readonly CompletionRow[],
    request: CheckedClaim,
  ): Promise<Both<Completed> | null> {
    const params = await this.#params(tools.client, stamp, rows)
    if (params === null) return null
    const both = await writeAndClaim(tools, 'completeTasksAndClaim', params, request)
    if (both === null) {
      this.#forget(rows)
      return null
    }
    const { result, taken } = both
    const completed = completedBy([{ now: result.at, written: result.pks, awaited: null }], rows)
    // One that took nothing may be that of a worker that was found lost: the next tasks are there for others.
    const count = taken instanceof Error || taken.isGated ? 0 : taken.jobs.length
    const isTaken = count > 0 && count < request.limit && result.left === 0
    return { result: { ...completed, isTaken }, taken }
  }

  #forget([first]: readonly CompletionRow[]): void {
    if (first?.task_of) this.#splits.delete(first.task_of)
  }

  async #params(client: ClientBase, stamp: Stamp, rows: readonly CompletionRow[]): Promise<Params | null> {
    const [{ task_of: id } = { task_of: null }] = rows
    if (id === null || !this.#sql.isStored('completeTasks') || rows.some(({ key }) => key !== null)) return null
    const ends = sorted(rows)
    if (ends.others.length > 0) return null
    const split = this.#splits.get(id) ?? (await this.#read(client, id, rows.length))
    if (split === null) return null
    const { type, ...terms } = split.terms
    const typeIds = await this.#types.of(client, [type])
    return {
      ...plainParams(ends, stamp),
      ...terms,
      parent_revision: split.parent_revision,
      width: split.width,
      type: typeIds(type),
      has_deadlines: rows.some(({ has_deadline }) => has_deadline === 1),
    }
  }

  async #read(client: ClientBase, id: string, count: number): Promise<Split | null> {
    const [stored] = await jobsById(client, this.#sql, [id])
    if (stored === undefined) return null
    const { job, guard } = stored
    const [sharded] = await this.#sql.run<ShardedRow>(client, 'shardedRow', { job: guard.pk })
    // Tasks of a job with a deadline have one, too; and if these may be its last, more follows.
    const isShort = job.phase === 'awaiting' && job.deadlineAt === null
    if (!isShort || sharded === undefined || overWith(sharded, count)) return null
    const { width, ...spec } = JSON.parse(sharded.spec)
    const terms = taskTerms(stored, spec, sharded.total)
    const split = { parent_revision: guard.revision, width, terms }
    this.#splits.set(id, split)
    const [oldest] = this.#splits.keys()
    if (this.#splits.size > rememberedMax && oldest !== undefined) this.#splits.delete(oldest)
    return split
  }
}

function overWith({ total, adopted, done, failed }: ShardedRow, count: number): boolean {
  return adopted + done + failed + count >= total
}
