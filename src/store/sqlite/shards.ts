import type { ShardedRow, ShardPage, ShardRow, Shards, TaskState } from '../shards/shards.ts'
import { taskIndexes, taskUuid } from '../shards/task-id.ts'
import type { Statements } from './statements.ts'

export class SqliteShards implements Shards {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  begin(job: number, spec: string): void {
    this.#sql.run('removeShards', { job })
    this.#sql.run('beginShards', { job, spec })
  }

  add(job: number, shards: readonly ShardRow[], adopted: boolean): void {
    const states = JSON.stringify(Object.fromEntries(shards.map(({ idx, state }) => [idx, state])))
    this.#sql.run('addShards', { job, states, adopted: adopted ? 1 : 0 })
  }

  seal(job: number): ShardedRow | null {
    return this.#sql.get<ShardedRow>('sealShards', { job }) ?? null
  }

  count(job: number, { done, failed }: { readonly done: number; readonly failed: number }): ShardedRow | null {
    return this.#sql.get<ShardedRow>('countShards', { job, done, failed }) ?? null
  }

  open(job: number, count: number): readonly ShardRow[] {
    const shards = this.#sql.all<ShardRow>('openShards', { job, count })
    this.#sql.run('shardsOpened', { job, count: shards.length })
    return shards.toSorted((a, b) => a.idx - b.idx)
  }

  find(job: number): ShardedRow | null {
    return this.#sql.get<ShardedRow>('shardedRow', { job }) ?? null
  }

  tasks(of: string, from: number, limit: number): readonly TaskState[] {
    const rows = this.#sql.rows('taskStates', taskUuid(of, from), taskUuid(of, from + limit - 1))
    const indexOf = taskIndexes(of)
    return rows.flatMap(([id, state, done, error]): readonly TaskState[] => {
      const idx = indexOf(String(id))
      return idx === null ? [] : [{ idx, state: String(state), done: Number(done), error: error as string | null }]
    })
  }

  page(job: number, { adopted, from, limit }: ShardPage): readonly ShardRow[] {
    return this.#sql.all<ShardRow>('shardPage', { job, adopted: adopted ? 1 : 0, from, limit })
  }
}
