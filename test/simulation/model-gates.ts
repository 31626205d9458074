import type { LimitInput, LimitState } from '../../src/core/gates/limit.ts'
import { holdsPaths } from '../../src/core/job/job.ts'
import { pathOver } from '../../src/store/gates.ts'
import type { LimitRow, PauseRow, QueueRequest, ShutGate, StoredJob } from '../../src/store/store.ts'
import type { Gates, HeldLimits, NewPause, PathGates, Permit } from '../../src/store/transaction.ts'
import { inOrder } from './model-claim.ts'
import type { ModelData } from './model-data.ts'

/** Limits and pauses, said plainly: nothing is parked, every claim looks at all that is ready. */
export class ModelGates implements Gates {
  readonly #data: ModelData
  readonly #now: number

  constructor(data: ModelData, now: number) {
    this.#data = data
    this.#now = now
  }

  setLimits(limits: readonly LimitInput[]): readonly number[] {
    for (const { key, concurrency, rate } of limits) {
      const known = this.#data.limits.get(key) ?? { id: this.#next(), key, concurrency: null, rate: null }
      this.#data.limits.set(key, {
        ...known,
        ...(concurrency === undefined ? {} : { concurrency }),
        ...(rate === undefined ? {} : { rate }),
      })
    }
    return this.limitIds(limits.map(({ key }) => key))
  }

  limitIds(keys: readonly string[]): readonly number[] {
    return keys.flatMap((key) => this.#data.limits.get(key)?.id ?? [])
  }

  removeLimit(key: string): number | null {
    const known = this.#data.limits.get(key)
    if (known === undefined) return null
    this.#data.limits.delete(key)
    for (const [pk, { limit_id }] of this.#data.permits.entries()) {
      if (limit_id === known.id) this.#data.permits.delete(pk)
    }
    return known.id
  }

  shutOutClaims(): void {}

  holdRunningBelow(path: string): readonly string[] {
    const limit = this.#data.limits.get(path)
    if (limit === undefined) return []
    for (const { job, guard } of this.#data.jobs.values()) {
      const isBelow = job.name === path || job.name.startsWith(`${path}/`)
      if (!holdsPaths(job) || !isBelow || this.#holds(limit.id, guard.pk)) continue
      this.addPermits([{ limit_id: limit.id, kind: 0, job: guard.pk, release_at: null }])
    }
    return []
  }

  #holds(limit: number, pk: number): boolean {
    return this.#data.permits.values().some((permit) => {
      return permit.kind === 0 && permit.limit_id === limit && permit.job === pk
    })
  }

  pause({ path, type, reason }: NewPause): void {
    const key = path ?? type ?? ''
    const known = this.#data.pauses.get(key)
    this.#data.pauses.set(key, known ?? { id: this.#next(), path, type, reason, since: this.#now })
  }

  resume({ path, type }: Pick<NewPause, 'path' | 'type'>): number | null {
    const key = path ?? type ?? ''
    const id = this.#data.pauses.get(key)?.id ?? null
    this.#data.pauses.delete(key)
    return id
  }

  pathGates(): PathGates {
    const pauses = this.#data.pauses.values().flatMap(({ id, path }) => (path === null ? [] : [{ id, path }]))
    const limits = this.#data.limits.values().map(({ key }) => key)
    return { pauses, limits: limits.filter((key) => key.startsWith('/')).sort() }
  }

  holdLimits(keys: readonly string[]): HeldLimits {
    return { limits: keys.flatMap((key) => stateOf(this.#data, key) ?? []), busy: [] }
  }

  limitsById(ids: readonly number[]): readonly LimitState[] {
    const found = this.#data.limits.values().filter(({ id }) => ids.includes(id))
    return found.flatMap(({ key }) => stateOf(this.#data, key) ?? [])
  }

  park(): void {}

  addPermits(permits: readonly Permit[]): void {
    for (const permit of permits) this.#data.permits.set(this.#next(), permit)
  }

  freePermits(pks: readonly number[]): readonly number[] {
    return this.#removePermits(({ kind, job }) => kind === 0 && pks.includes(job))
  }

  freePathPermits(pks: readonly number[]): readonly number[] {
    const paths = new Set(this.#data.limits.values().flatMap(({ id, key }) => (key.startsWith('/') ? [id] : [])))
    return this.#removePermits(({ kind, job, limit_id }) => kind === 0 && pks.includes(job) && paths.has(limit_id))
  }

  expirePermits(): readonly number[] {
    return this.#removePermits(({ release_at }) => release_at !== null && release_at <= this.#now)
  }

  #removePermits(isOver: (permit: Permit) => boolean): readonly number[] {
    const over = this.#data.permits.entries().filter(([, permit]) => isOver(permit))
    for (const [pk] of over) this.#data.permits.delete(pk)
    return over.map(([, { limit_id }]) => limit_id)
  }

  openGate(): number {
    return 0
  }

  #next(): number {
    const next = (this.#data.counters.get('gate') ?? 0) + 1
    this.#data.counters.set('gate', next)
    return next
  }
}

function stateOf(data: ModelData, key: string): LimitState | null {
  const limit = data.limits.get(key)
  if (limit === undefined) return null
  const held = data.permits.values().filter(({ limit_id }) => limit_id === limit.id)
  const of = (wanted: number) => held.filter(({ kind }) => kind === wanted).length
  return { ...limit, held: of(0), started: of(1) }
}

export function limits(data: ModelData): readonly LimitRow[] {
  return [...data.limits.values()]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap(({ key }) => {
      const state = stateOf(data, key)
      if (state === null) return []
      const { id: _, ...limit } = state
      return [{ ...limit, waiting: 0 }]
    })
}

export function pauses(data: ModelData): readonly PauseRow[] {
  const rows = [...data.pauses.values()].sort((a, b) => a.since - b.since || a.id - b.id)
  return rows.map(({ id: _, ...row }) => row)
}

/** What shuts a job out, as far as pauses go: at which limit a job waits is a matter of the stores that park. */
export function gateOf(data: ModelData, jobId: string): ShutGate | null {
  const job = data.jobs.get(data.ids.get(jobId) ?? 0)?.job
  if (job === undefined) return null
  const ofType = data.pauses.get(job.type)
  if (ofType?.type === job.type) return { kind: 'paused', path: null, type: job.type, reason: ofType.reason }
  const paths = data.pauses.values().flatMap((pause) => (pause.path === null ? [] : [{ ...pause, path: pause.path }]))
  const over = pathOver(paths, job.name)
  return over === null ? null : { kind: 'paused', path: over.path, type: null, reason: over.reason }
}

export function queue(data: ModelData, { types, limit }: QueueRequest): readonly StoredJob[] {
  const ready = data.jobs.values().filter(({ job, guard }) => {
    return data.ready.has(guard.pk) && (types === undefined || types.includes(job.type))
  })
  return [...ready].sort(inOrder).slice(0, limit)
}
