import type { ShardedRow, ShardPage, ShardRow, Shards, TaskState } from '../shards/shards.ts'
import { taskIdParts } from '../shards/task-id.ts'
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
    for (const { idx, state } of shards) this.#sql.run('addShard', { job, idx, state, adopted: adopted ? 1 : 0 })
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
    return this.#sql.all<TaskState>('taskStates', { ...taskIdParts(of), from, last: from + limit - 1 })
  }

  page(job: number, { adopted, from, limit }: ShardPage): readonly ShardRow[] {
    return this.#sql.all<ShardRow>('shardPage', { job, adopted: adopted ? 1 : 0, from, limit })
  }
}
