import type { LimitInput } from '../core/gates/limit.ts'
import { parseRate } from '../core/gates/limit.ts'
import type { LimitRow, PauseRequest, PauseRow, Store } from '../store/store.ts'
import type { Page } from './jobs-api.ts'

/** How much of something may happen at once, and how often it may begin. */
export interface LimitSettings {
  /** The most attempts that may be open at once; null for any number. */
  readonly concurrency?: number | null
  /** The most attempts that may start within a time, such as `100/min`, `5/s` or `3/10s`; null for any number. */
  readonly rate?: string | null
}

/** A limit that a job keeps to: its key, or its key and what it is from now on. */
export type LimitOption = string | (LimitSettings & { readonly key: string })

export function limitInput(option: LimitOption): LimitInput {
  if (typeof option === 'string') return { key: option }
  const { key, concurrency, rate } = option
  return {
    key,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(rate === undefined ? {} : { rate: rate === null ? null : parseRate(rate) }),
  }
}

/** Limits by key. A key that begins with a slash is a path, and holds for every job at it or below. */
export class LimitsApi {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Sets a limit for all attempts that start from now on. What is not said stays as it is. */
  async set(key: string, settings: LimitSettings): Promise<void> {
    await this.#store.setLimit(limitInput({ ...settings, key }))
  }

  /** A limit with how full it is; null when there is none. */
  async get(key: string): Promise<LimitRow | null> {
    return (await this.#store.limits()).find((limit) => limit.key === key) ?? null
  }

  async list(): Promise<Page<LimitRow>> {
    return { items: await this.#store.limits(), cursor: null }
  }

  /** Forgets a limit. False when there is none. */
  async remove(key: string): Promise<boolean> {
    return await this.#store.removeLimit(key)
  }
}

/** A branch, by its path, or a type of jobs. */
export type PauseTarget = string | { readonly path: string } | { readonly type: string }

/** Pauses of branches and types. */
export class PausesApi {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async list(): Promise<Page<PauseRow>> {
    return { items: await this.#store.pauses(), cursor: null }
  }

  async add(target: PauseTarget, reason: string | undefined): Promise<void> {
    await this.#store.pause({ ...targetOf(target), ...(reason === undefined ? {} : { reason }) })
  }

  async remove(target: PauseTarget): Promise<boolean> {
    return await this.#store.resume(targetOf(target))
  }
}

function targetOf(target: PauseTarget): PauseRequest {
  return typeof target === 'string' ? { path: target } : target
}
