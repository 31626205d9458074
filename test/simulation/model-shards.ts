import type { ShardedRow, ShardPage, ShardRow, Shards, TaskState } from '../../src/store/shards/shards.ts'
import { taskUuid } from '../../src/store/shards/task-id.ts'
import type { ModelData, ModelShard } from './model-data.ts'

/** The shards of the model. */
export class ModelShards implements Shards {
  readonly #data: ModelData

  constructor(data: ModelData) {
    this.#data = data
  }

  begin(job: number, spec: string): void {
    this.#data.shards.delete(job)
    const counts = this.#data.sharded.get(job) ?? { total: 0, adopted: 0, opened: 0, done: 0, failed: 0 }
    this.#data.sharded.set(job, { ...counts, job, spec })
  }

  add(job: number, shards: readonly ShardRow[], adopted: boolean): void {
    const planned = new Map(this.#data.shards.get(job))
    for (const { idx, state } of shards) planned.set(idx, { state, adopted })
    this.#data.shards.set(job, planned)
  }

  seal(job: number): ShardedRow | null {
    const shards = [...this.#shards(job).values()]
    return this.#change(job, () => ({ total: shards.length, adopted: shards.filter((shard) => shard.adopted).length }))
  }

  count(job: number, ended: { readonly done: number; readonly failed: number }): ShardedRow | null {
    return this.#change(job, ({ done, failed }) => ({ done: done + ended.done, failed: failed + ended.failed }))
  }

  open(job: number, count: number): readonly ShardRow[] {
    const shards = this.#shards(job)
    const waiting = [...shards].filter(([, { adopted }]) => !adopted).sort(([a], [b]) => a - b)
    const opened = waiting.slice(0, count)
    const taken = new Set(opened.map(([idx]) => idx))
    this.#data.shards.set(job, new Map([...shards].filter(([idx]) => !taken.has(idx))))
    this.#change(job, (row) => ({ opened: row.opened + opened.length }))
    return opened.map(([idx, { state }]) => ({ idx, state }))
  }

  find(job: number): ShardedRow | null {
    return this.#data.sharded.get(job) ?? null
  }

  tasks(of: string, from: number, limit: number): readonly TaskState[] {
    return Array.from({ length: limit }, (_, i) => from + i).flatMap((idx) => {
      const stored = this.#data.jobs.get(this.#data.ids.get(taskUuid(of, idx)) ?? 0)
      if (stored === undefined) return []
      const { job, params, result } = stored
      const done = job.state === 'final' && job.outcome === 'COMPLETED' ? 1 : 0
      return [{ idx, state: result ?? params ?? 'null', done, error: job.error ?? job.slices?.error ?? null }]
    })
  }

  page(job: number, { adopted, from, limit }: ShardPage): readonly ShardRow[] {
    const shards = [...this.#shards(job)].filter(([idx, shard]) => shard.adopted === adopted && idx >= from)
    return shards
      .sort(([a], [b]) => a - b)
      .slice(0, limit)
      .map(([idx, { state }]) => ({ idx, state }))
  }

  #shards(job: number): ReadonlyMap<number, ModelShard> {
    return this.#data.shards.get(job) ?? new Map()
  }

  #change(job: number, by: (row: ShardedRow) => Partial<ShardedRow>): ShardedRow | null {
    const row = this.#data.sharded.get(job)
    if (row === undefined) return null
    const changed = { ...row, ...by(row) }
    this.#data.sharded.set(job, changed)
    return changed
  }
}
