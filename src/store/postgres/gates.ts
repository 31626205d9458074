import type { LimitInput, LimitState } from '../../core/gates/limit.ts'
import { type LimitColumns, limitOfRow } from '../limit-row.ts'
import type { QueryClient } from '../store.ts'
import type { Gates, HeldLimits, NewPause, PathGates, Permit } from '../transaction.ts'
import { columns } from './columns.ts'
import type { Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

/**
 * Limits and pauses on PostgreSQL. Whoever changes how full a limit is holds its row: so of one that finds it full and parks
 * a job, and one that makes room and looks for whom, the second always sees what the first has done.
 */
export class PostgresGates implements Gates {
  readonly #client: QueryClient
  readonly #sql: Statements
  readonly #types: TypeIds
  readonly #now: number

  constructor(client: QueryClient, sql: Statements, types: TypeIds, now: number) {
    this.#client = client
    this.#sql = sql
    this.#types = types
    this.#now = now
  }

  async setLimits(limits: readonly LimitInput[]): Promise<readonly number[]> {
    const rows = [...new Map(limits.map((limit) => [limit.key, limit])).values()].map((limit) => ({
      key: limit.key,
      sets_concurrency: limit.concurrency !== undefined,
      concurrency: limit.concurrency ?? null,
      sets_rate: limit.rate !== undefined,
      rate_count: limit.rate?.count ?? null,
      rate_ms: limit.rate?.perMs ?? null,
    }))
    const names = ['key', 'sets_concurrency', 'concurrency', 'sets_rate', 'rate_count', 'rate_ms'] as const
    const given = columns('', names, rows)
    await this.#sql.run(this.#client, 'setLimits', given)
    const changed = await this.#sql.run<{ id: number }>(this.#client, 'changeLimits', given)
    return changed.map(({ id }) => id)
  }

  async limitIds(keys: readonly string[]): Promise<readonly number[]> {
    return (await this.#sql.run<{ id: number }>(this.#client, 'limitIds', { keys })).map(({ id }) => id)
  }

  async removeLimit(key: string): Promise<number | null> {
    const [gone] = await this.#sql.run<{ id: number }>(this.#client, 'removeLimit', { key })
    return gone?.id ?? null
  }

  async shutOutClaims(): Promise<void> {
    await this.#sql.run(this.#client, 'shutOutClaims', { barrier: this.#sql.barrier })
  }

  async holdRunningBelow(path: string): Promise<readonly string[]> {
    return (await this.#sql.run<{ id: string }>(this.#client, 'holdRunningBelow', { path })).map(({ id }) => id)
  }

  async pause({ path, type, reason }: NewPause): Promise<void> {
    const typeId = type === null ? null : (await this.#types.of(this.#client, [type]))(type)
    await this.#sql.run(this.#client, 'insertPause', { path, type: typeId, reason, since: this.#now })
  }

  async resume({ path, type }: Pick<NewPause, 'path' | 'type'>): Promise<number | null> {
    const [typeId] = type === null ? [null] : await this.#types.known(this.#client, [type])
    if (typeId === undefined) return null
    const [gone] = await this.#sql.run<{ id: number }>(this.#client, 'removePause', { path, type: typeId })
    return gone?.id ?? null
  }

  async pathGates(): Promise<PathGates> {
    const pauses = await this.#sql.run<PathGates['pauses'][number]>(this.#client, 'holdPausedPaths')
    const limits = await this.#sql.run<{ key: string }>(this.#client, 'pathLimits')
    return { pauses, limits: limits.map(({ key }) => key) }
  }

  async holdLimits(keys: readonly string[]): Promise<HeldLimits> {
    const locked = await this.#sql.run<{ id: number }>(this.#client, 'lockFreeLimits', { keys })
    const limits = await this.#states(locked.map(({ id }) => id))
    const known = await this.#sql.run<{ key: string }>(this.#client, 'limitKeys', { keys })
    const held = new Set(limits.map(({ key }) => key))
    return { limits, busy: known.map(({ key }) => key).filter((key) => !held.has(key)) }
  }

  async limitsById(ids: readonly number[]): Promise<readonly LimitState[]> {
    await this.#sql.run(this.#client, 'lockLimits', { ids })
    return await this.#states(ids)
  }

  /** A statement after the lock: only so does it count what others have done until then. */
  async #states(ids: readonly number[]): Promise<readonly LimitState[]> {
    if (ids.length === 0) return []
    return (await this.#sql.run<LimitColumns>(this.#client, 'limitStates', { ids })).map(limitOfRow)
  }

  async park(jobs: readonly { readonly pk: number; readonly gate: number }[]): Promise<void> {
    await this.#sql.run(this.#client, 'parkJobs', {
      pks: jobs.map(({ pk }) => pk),
      gates: jobs.map(({ gate }) => gate),
    })
  }

  async addPermits(permits: readonly Permit[]): Promise<void> {
    await this.#sql.run(this.#client, 'addPermits', columns('', ['limit_id', 'kind', 'job', 'release_at'], permits))
  }

  async freePermits(pks: readonly number[]): Promise<readonly number[]> {
    const freed = await this.#sql.run<{ limit_id: number }>(this.#client, 'freePermits', { pks })
    return freed.map(({ limit_id }) => limit_id)
  }

  async freePathPermits(pks: readonly number[]): Promise<readonly number[]> {
    const freed = await this.#sql.run<{ limit_id: number }>(this.#client, 'freePathPermits', { pks })
    return freed.map(({ limit_id }) => limit_id)
  }

  async expirePermits(): Promise<readonly number[]> {
    const freed = await this.#sql.run<{ limit_id: number }>(this.#client, 'expirePermits', { now: this.#now })
    return freed.map(({ limit_id }) => limit_id)
  }

  async openGate(gate: number, count: number): Promise<number> {
    const [opened] = await this.#sql.run<{ most: number }>(this.#client, 'openGate', { gate, count })
    return opened?.most ?? 0
  }
}
