import { readFileSync } from 'node:fs'
import type { Stint } from '../engine/stint.ts'
import type { ServerMetrics } from './metrics/metrics.ts'

/** How a server was started, for people to see. */
export interface ServerSettings {
  readonly requireKeys: boolean
  readonly commands: boolean
  readonly requestsPerSecond: number
  readonly basePath: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** What a server says of itself. */
export class About {
  readonly #stint: Stint
  readonly #metrics: ServerMetrics
  readonly #settings: ServerSettings
  readonly #startedAt = new Date()

  constructor(stint: Stint, metrics: ServerMetrics, settings: ServerSettings) {
    this.#stint = stint
    this.#metrics = metrics
    this.#settings = settings
  }

  /** For whoever reaches only a branch, without what is of everybody. */
  async view({ isWhole }: { readonly isWhole: boolean }) {
    const { store } = this.#stint
    const began = performance.now()
    const now = new Date(await store.now())
    return {
      ...{ version, node: process.version, store: store.kind, startedAt: this.#startedAt },
      ...{ now, storeMs: performance.now() - began },
      settings: isWhole ? this.#settings : null,
      process: isWhole ? this.#metrics.glance() : null,
      counters: isWhole ? this.#metrics.totals() : null,
    }
  }
}
