import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Duration, type DurationSeries, Histogram } from '../../engine/histogram.ts'
import { type CounterName, counters, histograms, type Sample } from '../../engine/metrics.ts'
import type { Stint } from '../../engine/stint.ts'
import type { DepthRow, WorkerRow } from '../../store/store.ts'
import { eventLags } from './event-lag.ts'
import type { Family, Labelled } from './open-metrics.ts'

/** What the server itself measures, with the words that explain it. */
export const serverMetrics = {
  stint_http_requests: { type: 'counter', help: 'Requests that were answered, by call and status.' },
  stint_http_seconds: { type: 'histogram', help: 'How long answers took, by call.' },
  stint_queue_jobs: { type: 'gauge', help: 'Jobs that wait or run, by type, namespace and where they stand.' },
  stint_queue_oldest_seconds: { type: 'gauge', help: 'How long the oldest job that is ready has been waiting.' },
  stint_workers: { type: 'gauge', help: 'Workers that are known, by whether they live.' },
  stint_lease_left_seconds: {
    type: 'gauge',
    help: 'Until the first lease of a worker that lives ends, if nobody renews it.',
  },
  stint_event_lag_seconds: {
    type: 'gauge',
    help: 'How old the oldest entry of the log is that has not reached its readers: streams here, or webhooks.',
  },
  stint_event_held_back_seconds: {
    type: 'gauge',
    help: 'How old the oldest entry is that no reader sees yet, and the process whose open transaction holds it back.',
  },
  stint_event_loop_delay_seconds: {
    type: 'gauge',
    help: 'How late this process was at the most since it was asked last.',
  },
  stint_resident_bytes: { type: 'gauge', help: 'Memory of this process.' },
} as const satisfies Record<string, { type: Family['type']; help: string }>

type ServerMetric = keyof typeof serverMetrics

/** How many requests had the same answer. */
interface Requests {
  readonly labels: Labelled['labels']
  value: number
}

/** The answers to one call. What counts them is kept here: to look for it with every request would be felt. */
export class CallCounts {
  readonly #call: string
  readonly #all: Requests[]
  readonly #durations: Histogram
  readonly #byStatus = new Map<number, Requests>()
  #series: DurationSeries | null = null

  /** What is counted shows in `all` and in `durations`, once there is something. */
  constructor(call: string, all: Requests[], durations: Histogram) {
    this.#call = call
    this.#all = all
    this.#durations = durations
  }

  /** One request was answered. */
  answered(status: number, ms: number): void {
    this.#series ??= this.#durations.series({ call: this.#call })
    this.#series.add(ms)
    const known = this.#byStatus.get(status)
    if (known === undefined) this.#begin(status)
    else known.value += 1
  }

  #begin(status: number): void {
    const requests = { labels: { call: this.#call, status: String(status) }, value: 1 }
    this.#byStatus.set(status, requests)
    this.#all.push(requests)
  }
}

/** Counts what the server does, and gathers what there is to tell. */
export class ServerMetrics {
  readonly #stint: Stint
  readonly #requests: Requests[] = []
  readonly #durations = new Histogram()
  readonly #delay = monitorEventLoopDelay({ resolution: 10 })

  constructor(stint: Stint) {
    this.#stint = stint
    this.#delay.enable()
  }

  /** Counts the answers to one call. */
  callOf(call: string): CallCounts {
    return new CallCounts(call, this.#requests, this.#durations)
  }

  async families(): Promise<readonly Family[]> {
    const { store } = this.#stint
    const [workers, depths, now] = await Promise.all([store.workers(), store.depths(), store.now()])
    const lags = await eventLags(this.#stint, now)
    const delay = this.#delay.max / 1e9
    this.#delay.reset()
    return [
      ...engineFamilies(this.#stint.metrics(), this.#stint.durations()),
      family('stint_http_requests', [...this.#requests]),
      { name: 'stint_http_seconds', ...serverMetrics.stint_http_seconds, samples: this.#durations.durations() },
      family('stint_queue_jobs', depths.flatMap(depthSamples)),
      family(
        'stint_queue_oldest_seconds',
        depths.flatMap((depth) => oldestSample(depth, now)),
      ),
      ...workerFamilies(workers, now),
      family('stint_event_lag_seconds', lags.readers),
      family('stint_event_held_back_seconds', lags.heldBack),
      family('stint_event_loop_delay_seconds', [{ labels: {}, value: delay }]),
      family('stint_resident_bytes', [{ labels: {}, value: process.memoryUsage.rss() }]),
    ]
  }

  /** The process at a glance. It takes nothing from whoever reads all of it. */
  glance() {
    const sum = (from: number, to: number) =>
      this.#requests.reduce((all, { labels, value }) => {
        const status = Number(labels['status'])
        return status >= from && status < to ? all + value : all
      }, 0)
    const answered = sum(0, 600)
    const seconds = this.#durations.durations().reduce((all, { sumSeconds }) => all + sumSeconds, 0)
    return {
      residentBytes: process.memoryUsage.rss(),
      eventLoopDelayMs: this.#delay.max / 1e6,
      answered,
      refused: sum(400, 500),
      failed: sum(500, 600),
      meanMs: answered === 0 ? null : (seconds * 1_000) / answered,
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

function workerFamilies(workers: readonly WorkerRow[], now: number): readonly Family[] {
  const live = workers.filter(({ lostAt }) => lostAt === null)
  const left = live.map(({ leaseUntil }) => (leaseUntil - now) / 1_000)
  return [
    family('stint_workers', [
      { labels: { state: 'live' }, value: live.length },
      { labels: { state: 'lost' }, value: workers.length - live.length },
    ]),
    family('stint_lease_left_seconds', left.length === 0 ? [] : [{ labels: {}, value: Math.min(...left) }]),
  ]
}

function depthSamples({ type, namespace, ready, delayed, gated, running }: DepthRow): readonly Labelled[] {
  const counts = Object.entries({ ready, delayed, gated, running })
  return counts.map(([state, value]) => ({ labels: { type, namespace, state }, value }))
}

function oldestSample({ type, namespace, oldestReadyAt }: DepthRow, now: number): readonly Labelled[] {
  return oldestReadyAt === null
    ? []
    : [{ labels: { type, namespace }, value: Math.max(0, now - oldestReadyAt) / 1_000 }]
}

function family(name: Exclude<ServerMetric, 'stint_http_seconds'>, samples: readonly Labelled[]): Family {
  return { name, ...serverMetrics[name], samples }
}

function engineFamilies(samples: readonly Sample[], durations: readonly Duration[]): readonly Family[] {
  const counted = (Object.keys(counters) as CounterName[]).map((name): Family => {
    return { name, help: counters[name], type: 'counter', samples: samples.filter((sample) => sample.name === name) }
  })
  const name = 'stint_run_seconds'
  return [...counted, { name, help: histograms[name], type: 'histogram', samples: durations }]
}
