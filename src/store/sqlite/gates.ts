import type { LimitInput, LimitState } from '../../core/gates/limit.ts'
import { type LimitColumns, limitOfRow } from '../limit-row.ts'
import type { Gates, HeldLimits, NewPause, PathGates, Permit } from '../transaction.ts'
import type { Params, Statements } from './statements.ts'

/** A seat of a queued job as a row. */
type SeatRow = Params & { readonly job: number }

/** Limits and pauses on SQLite, whose transactions are alone. */
export class SqliteGates implements Gates {
  readonly #sql: Statements
  readonly #now: number
  readonly #typeId: (name: string) => number

  constructor(sql: Statements, now: number, typeId: (name: string) => number) {
    this.#sql = sql
    this.#now = now
    this.#typeId = typeId
  }

  setLimits(limits: readonly LimitInput[]): readonly number[] {
    const changed: { id: number }[] = []
    for (const { key, concurrency, rate } of limits) {
      this.#sql.run('addLimit', { key })
      if (concurrency !== undefined)
        changed.push(...this.#sql.all<{ id: number }>('setConcurrency', { key, concurrency }))
      if (rate === undefined) continue
      const of = { rate_count: rate?.count ?? null, rate_ms: rate?.perMs ?? null }
      changed.push(...this.#sql.all<{ id: number }>('setRate', { key, ...of }))
    }
    return changed.map(({ id }) => id)
  }

  limitIds(keys: readonly string[]): readonly number[] {
    return this.#sql.all<{ id: number }>('limitIds', { keys: JSON.stringify(keys) }).map(({ id }) => id)
  }

  removeLimit(key: string): number | null {
    const id = this.#sql.get<{ id: number }>('removeLimit', { key })?.id
    if (id === undefined) return null
    this.#sql.run('removePermitsOfLimit', { id })
    return id
  }

  shutOutClaims(): void {}

  holdRunningBelow(path: string): readonly string[] {
    this.#sql.run('holdRunningBelow', { path })
    return []
  }

  pause({ path, type, reason }: NewPause): void {
    const pause = { path, type: type === null ? null : this.#typeId(type), reason, since: this.#now }
    this.#sql.run('insertPause', pause)
  }

  resume({ path, type }: Pick<NewPause, 'path' | 'type'>): number | null {
    const found = this.#sql.get<{ id: number }>('removePause', {
      path,
      type: type === null ? null : this.#typeId(type),
    })
    return found?.id ?? null
  }

  get hasPaths(): boolean {
    return this.#sql.get('hasPathGates', {}) !== undefined
  }

  pathGates(): PathGates {
    const limits = this.#sql.all<{ key: string }>('pathLimits', {}).map(({ key }) => key)
    return { pauses: this.#sql.all('pausedPaths', {}), limits }
  }

  holdLimits(keys: readonly string[]): HeldLimits {
    return { limits: this.#states({ keys: JSON.stringify(keys), ids: null }), busy: [] }
  }

  limitsById(ids: readonly number[]): readonly LimitState[] {
    return this.#states({ keys: null, ids: JSON.stringify(ids) })
  }

  #states(which: Params): readonly LimitState[] {
    return this.#sql.all<LimitColumns>('limitStates', which).map(limitOfRow)
  }

  park(jobs: readonly { readonly pk: number; readonly gate: number }[]): void {
    for (const { pk: job, gate } of jobs) {
      const seat = this.#sql.get<SeatRow>('readySeatOf', { job })
      if (seat === undefined) continue
      this.#sql.run('removeReadyRow', seat)
      this.#sql.run('insertGated', { ...seat, gate })
    }
  }

  addPermits(permits: readonly Permit[]): void {
    for (const permit of permits) this.#sql.run('insertPermit', { ...permit })
  }

  freePermits(pks: readonly number[]): readonly number[] {
    const freed = pks.flatMap((job) => this.#sql.all<{ limit_id: number }>('freePermits', { job }))
    return freed.map(({ limit_id }) => limit_id)
  }

  freePathPermits(pks: readonly number[]): readonly number[] {
    const freed = pks.flatMap((job) => this.#sql.all<{ limit_id: number }>('freePathPermits', { job }))
    return freed.map(({ limit_id }) => limit_id)
  }

  expirePermits(): readonly number[] {
    return this.#sql.all<{ limit_id: number }>('expirePermits', { now: this.#now }).map(({ limit_id }) => limit_id)
  }

  openGate(gate: number, count: number): number {
    let most = 0
    for (const { lane } of this.#sql.all<{ lane: number }>('lanesAtGate', { gate })) {
      const seats = this.#sql.all<SeatRow>('firstAtGate', { gate, lane, limit: count })
      for (const seat of seats) {
        this.#sql.run('leaveGate', { job: seat.job })
        this.#sql.run('insertReady', seat)
      }
      most = Math.max(most, seats.length)
    }
    return most
  }
}
