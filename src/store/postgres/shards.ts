import type { ShardedRow, ShardPage, ShardRow, Shards, TaskState } from '../shards/shards.ts'
import { taskIdParts } from '../shards/task-id.ts'
import type { QueryClient } from '../store.ts'
import { columns } from './columns.ts'
import type { Statements } from './statements.ts'

export class PostgresShards implements Shards {
  readonly #client: QueryClient
  readonly #sql: Statements

  constructor(client: QueryClient, sql: Statements) {
    this.#client = client
    this.#sql = sql
  }

  async begin(job: number, spec: string): Promise<void> {
    await this.#sql.run(this.#client, 'removeShards', { job })
    await this.#sql.run(this.#client, 'beginShards', { job, spec })
  }

  async add(job: number, shards: readonly ShardRow[], adopted: boolean): Promise<void> {
    if (shards.length === 0) return
    await this.#sql.run(this.#client, 'addShards', {
      job,
      ...columns('', ['idx', 'state'], shards),
      adopted: adopted ? 1 : 0,
    })
  }

  async seal(job: number): Promise<ShardedRow | null> {
    return await this.#one('sealShards', { job })
  }

  async count(
    job: number,
    { done, failed }: { readonly done: number; readonly failed: number },
  ): Promise<ShardedRow | null> {
    return await this.#one('countShards', { job, done, failed })
  }

  async open(job: number, count: number): Promise<readonly ShardRow[]> {
    const shards = await this.#sql.run<ShardRow>(this.#client, 'openShards', { job, count })
    return shards.toSorted((a, b) => a.idx - b.idx)
  }

  async find(job: number): Promise<ShardedRow | null> {
    return await this.#one('shardedRow', { job })
  }

  async tasks(of: string, from: number, limit: number): Promise<readonly TaskState[]> {
    return await this.#sql.run<TaskState>(this.#client, 'taskStates', {
      ...taskIdParts(of),
      from,
      last: from + limit - 1,
    })
  }

  async page(job: number, { adopted, from, limit }: ShardPage): Promise<readonly ShardRow[]> {
    return await this.#sql.run<ShardRow>(this.#client, 'shardPage', { job, adopted: adopted ? 1 : 0, from, limit })
  }

  async #one(name: string, values: Record<string, unknown>): Promise<ShardedRow | null> {
    const [row] = await this.#sql.run<ShardedRow>(this.#client, name, values)
    return row ?? null
  }
}
