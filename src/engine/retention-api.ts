import { type JobName, resolveName } from '../core/names/job-name.ts'
import type { Retention, RetentionPolicy } from '../core/retention/policy.ts'
import type { RetentionRow } from '../store/controls.ts'
import type { Env } from './env.ts'
import type { Page } from './jobs-api.ts'
import { pageOf, type RecordsQuery, requestOf } from './record-pages.ts'

/** How long jobs, runs and entries of the log are kept, by path. */
export class RetentionApi {
  readonly #env: Env
  readonly #namespace: JobName

  constructor(env: Env, namespace: JobName) {
    this.#env = env
    this.#namespace = namespace
  }

  /** Sets all that a path says about it. The nearest path over a job is the strongest, field by field; null is for ever. */
  async set(path: string, policy: RetentionPolicy): Promise<RetentionRow> {
    const { store, newId } = this.#env
    return await store.control('retention.set', { id: newId(), path: this.#path(path), policy })
  }

  /** What holds at a path, with all that it inherits. Where no path says anything, jobs are kept for 30 days. */
  async get(path: string): Promise<Retention> {
    return await this.#env.store.control('retention.get', { path: this.#path(path) })
  }

  /** False when the path says nothing. */
  async remove(path: string): Promise<boolean> {
    return await this.#env.store.control('retention.remove', { path: this.#path(path) })
  }

  async list(query: Omit<RecordsQuery, 'all'> = {}): Promise<Page<RetentionRow>> {
    return pageOf(await this.#env.store.control('retention.list', requestOf(query)), (row) => row)
  }

  #path(path: string): string {
    return resolveName(path, this.#namespace).toWire()
  }
}
