import { type Duration, type DurationSeries, Histogram } from './histogram.ts'

/** What is counted, with the words that explain it. Names follow the rules of OpenMetrics, without the `_total`. */
export const counters = {
  stint_jobs_submitted: 'Jobs that were created.',
  stint_jobs_claimed: 'Attempts that a worker took.',
  stint_attempts_ended: 'Attempts that ended here, by how they ended.',
  stint_attempts_lost: 'Attempts that were taken from a worker of this process before it had ended them.',
  stint_attempts_abandoned: 'Handlers that did not stop when they were told to, and were left behind.',
  stint_attempts_rescued: 'Attempts that were taken from lost workers.',
  stint_jobs_elapsed: 'Jobs that time alone has changed.',
  stint_workers_lost: 'Workers that were found lost.',
  stint_leases_lost: 'Times that a worker of this process lost its lease.',
  stint_claims_adopted: 'Attempts that were found again after the answer to a claim was lost.',
  stint_store_errors: 'Calls of the store that failed, by what was being done.',
  stint_schedules_fired: 'Times that a schedule was due and this process fired it.',
  stint_slots_filled_by_time: 'Slots whose time had come and that this process filled.',
  stint_jobs_pruned: 'Jobs that were over for longer than they are kept, and left.',
  stint_events_archived: 'Entries of the log that this process moved to its archive.',
  stint_upkeep_errors: 'Rows that upkeep could not handle, by service.',
} as const

export type CounterName = keyof typeof counters

export interface Sample {
  readonly name: CounterName
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Of what it is counted how long it took, the same. */
export const histograms = {
  stint_run_seconds: 'How long attempts took that ended here, from claim to end, by type.',
} as const

export type HistogramName = keyof typeof histograms

/** A sample that goes on counting. */
export type Counter = Omit<Sample, 'value'> & { value: number }

/** Counts since the start of the process. */
export class Metrics {
  readonly #counters = new Map<string, Counter>()

  readonly #histograms: Readonly<Record<HistogramName, Histogram>> = { stint_run_seconds: new Histogram() }

  add(name: CounterName, labels: Readonly<Record<string, string>> = {}, value = 1): void {
    this.counter(name, labels).value += value
  }

  /** The counter itself, for what is counted so often that looking for it would be felt. */
  counter(name: CounterName, labels: Readonly<Record<string, string>>): Counter {
    const key = `${name} ${Object.values(labels).join(' ')}`
    const known = this.#counters.get(key)
    if (known !== undefined) return known
    const counter = { name, labels, value: 0 }
    this.#counters.set(key, counter)
    return counter
  }

  /** Something took so long. */
  took(name: HistogramName, labels: Readonly<Record<string, string>>, ms: number): void {
    this.#histograms[name].add(labels, ms)
  }

  /** Where that is counted, for what happens often. */
  series(name: HistogramName, labels: Readonly<Record<string, string>>): DurationSeries {
    return this.#histograms[name].series(labels)
  }

  durations(name: HistogramName): readonly Duration[] {
    return this.#histograms[name].durations()
  }

  samples(): readonly Sample[] {
    return [...this.#counters.values()].map((sample) => ({ ...sample }))
  }
}
