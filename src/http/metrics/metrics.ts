import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type CounterName, counters, type Sample } from '../../engine/metrics.ts'
import type { Stint } from '../../engine/stint.ts'
import type { DepthRow } from '../../store/store.ts'
import type { Family } from './open-metrics.ts'

/** What the server itself measures, with the words that explain it. */
export const serverMetrics = {
  stint_http_requests: { type: 'counter', help: 'Requests that were answered, by call and status.' },
  stint_http_milliseconds: { type: 'counter', help: 'Time that answers took, by call.' },
  stint_queue_jobs: { type: 'gauge', help: 'Jobs that wait or run, by type, namespace and where they stand.' },
  stint_queue_oldest_seconds: { type: 'gauge', help: 'How long the oldest job that is ready has been waiting.' },
  stint_workers: { type: 'gauge', help: 'Workers that are known, by whether they live.' },
  stint_event_loop_delay_seconds: {
    type: 'gauge',
    help: 'How late this process was at the most since it was asked last.',
  },
  stint_resident_bytes: { type: 'gauge', help: 'Memory of this process.' },
} as const satisfies Record<string, { type: Family['type']; help: string }>

type ServerMetric = keyof typeof serverMetrics

/** Counts what the server does, and gathers what there is to tell. */
export class ServerMetrics {
  readonly #stint: Stint
  readonly #requests = new Map<
    string,
    { readonly labels: Readonly<Record<string, string>>; count: number; ms: number }
  >()
  readonly #delay = monitorEventLoopDelay({ resolution: 10 })

  constructor(stint: Stint) {
    this.#stint = stint
    this.#delay.enable()
  }

  /** One request was answered. */
  answered(call: string, status: number, ms: number): void {
    const key = `${call} ${status}`
    const known = this.#requests.get(key)
    if (known === undefined) this.#requests.set(key, { labels: { call, status: String(status) }, count: 1, ms })
    else {
      known.count += 1
      known.ms += ms
    }
  }

  async families(): Promise<readonly Family[]> {
    const workers = await this.#stint.store.workers()
    const lost = workers.filter(({ lostAt }) => lostAt !== null).length
    const depths = await this.#stint.store.depths()
    const now = await this.#stint.store.now()
    const requests = [...this.#requests.values()]
    const delay = this.#delay.max / 1e9
    this.#delay.reset()
    return [
      ...engineFamilies(this.#stint.metrics()),
      family(
        'stint_http_requests',
        requests.map(({ labels, count }) => ({ labels, value: count })),
      ),
      family(
        'stint_http_milliseconds',
        requests.map(({ labels, ms }) => ({ labels, value: ms })),
      ),
      family('stint_queue_jobs', depths.flatMap(depthSamples)),
      family(
        'stint_queue_oldest_seconds',
        depths.flatMap((depth) => oldestSample(depth, now)),
      ),
      family('stint_workers', [
        { labels: { state: 'live' }, value: workers.length - lost },
        { labels: { state: 'lost' }, value: lost },
      ]),
      family('stint_event_loop_delay_seconds', [{ labels: {}, value: delay }]),
      family('stint_resident_bytes', [{ labels: {}, value: process.memoryUsage.rss() }]),
    ]
  }

  /** The process at a glance. It takes nothing from whoever reads all of it. */
  glance() {
    const requests = [...this.#requests.values()]
    const sum = (of: (request: (typeof requests)[number]) => number) =>
      requests.reduce((all, each) => all + of(each), 0)
    const within = (from: number, to: number) =>
      sum(({ labels, count }) => (Number(labels['status']) >= from && Number(labels['status']) < to ? count : 0))
    const answered = sum(({ count }) => count)
    return {
      residentBytes: process.memoryUsage.rss(),
      eventLoopDelayMs: this.#delay.max / 1e6,
      answered,
      refused: within(400, 500),
      failed: within(500, 600),
      meanMs: answered === 0 ? null : sum(({ ms }) => ms) / answered,
    }
  }

  /** What the engine of this process has counted, all labels together. */
  totals(): readonly { readonly name: string; readonly help: string; readonly value: number }[] {
    const samples = this.#stint.metrics()
    return (Object.keys(counters) as CounterName[]).map((name) => {
      const own = samples.filter((sample) => sample.name === name)
      return { name, help: counters[name], value: own.reduce((all, { value }) => all + value, 0) }
    })
  }

  close(): void {
    this.#delay.disable()
  }
}

function depthSamples({ type, namespace, ready, delayed, gated, running }: DepthRow): Family['samples'] {
  const counts = Object.entries({ ready, delayed, gated, running })
  return counts.map(([state, value]) => ({ labels: { type, namespace, state }, value }))
}

function oldestSample({ type, namespace, oldestReadyAt }: DepthRow, now: number): Family['samples'] {
  return oldestReadyAt === null
    ? []
    : [{ labels: { type, namespace }, value: Math.max(0, now - oldestReadyAt) / 1_000 }]
}

function family(name: ServerMetric, samples: Family['samples']): Family {
  return { name, ...serverMetrics[name], samples }
}

function engineFamilies(samples: readonly Sample[]): readonly Family[] {
  return (Object.keys(counters) as CounterName[]).map((name) => {
    return { name, help: counters[name], type: 'counter', samples: samples.filter((sample) => sample.name === name) }
  })
}
