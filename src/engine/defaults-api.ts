import { type JobName, resolveName } from '../core/names/job-name.ts'
import type { DefaultsRow } from '../store/controls.ts'
import type { Env } from './env.ts'
import { limitInput } from './gates-api.ts'
import type { Page } from './jobs-api.ts'
import { pageOf, type RecordsQuery, requestOf } from './record-pages.ts'
import type { SettingsOptions } from './templates-api.ts'

/** What jobs at a path and below have, where neither they nor their definition nor their template says it. */
export class DefaultsApi {
  readonly #env: Env
  readonly #namespace: JobName

  constructor(env: Env, namespace: JobName) {
    this.#env = env
    this.#namespace = namespace
  }

  /** Sets all defaults of a path, for jobs that are submitted from now on. The nearest path over a job is the strongest. */
  async set(path: string, { limits, ...options }: SettingsOptions): Promise<DefaultsRow> {
    const { store, newId } = this.#env
    const settings = { ...options, ...(limits === undefined ? {} : { limits: limits.map(limitInput) }) }
    return await store.control('defaults.set', { id: newId(), path: this.#path(path), settings })
  }

  /** False when the path has none. */
  async remove(path: string): Promise<boolean> {
    return await this.#env.store.control('defaults.remove', { path: this.#path(path) })
  }

  async list(query: Omit<RecordsQuery, 'all'> = {}): Promise<Page<DefaultsRow>> {
    return pageOf(await this.#env.store.control('defaults.list', requestOf(query)), (row) => row)
  }

  #path(path: string): string {
    return resolveName(path, this.#namespace).toWire()
  }
}
