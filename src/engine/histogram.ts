/** Upper bounds in seconds: from what takes no time to what takes hours. */
export const durationBounds: readonly number[] = [
  ...[0.001, 0.005, 0.01, 0.05, 0.1, 0.5],
  ...[1, 5, 10, 60, 300, 1_800, 7_200],
]

/** How long things of one kind took. */
export interface Duration {
  readonly labels: Readonly<Record<string, string>>
  /** How many took at most as long as each bound, and at last all. */
  readonly counts: readonly number[]
  readonly sumSeconds: number
}

/** Counts durations with the same labels. */
export class DurationSeries {
  readonly #labels: Duration['labels']
  readonly #counts = new Array<number>(durationBounds.length + 1).fill(0)
  #sumSeconds = 0

  constructor(labels: Duration['labels']) {
    this.#labels = labels
  }

  add(ms: number): void {
    const seconds = Math.max(0, ms) / 1_000
    const place = durationBounds.findIndex((bound) => seconds <= bound)
    const at = place === -1 ? durationBounds.length : place
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sumSeconds += seconds
  }

  get duration(): Duration {
    let total = 0
    const counts = this.#counts.map((count) => {
      total += count
      return total
    })
    return { labels: this.#labels, counts, sumSeconds: this.#sumSeconds }
  }
}

/** Counts durations by how long they were, for each combination of labels. */
export class Histogram {
  readonly #series = new Map<string, DurationSeries>()

  /** Those with these labels: for what is counted so often that looking for it would be felt. */
  series(labels: Duration['labels']): DurationSeries {
    const key = Object.values(labels).join(' ')
    const known = this.#series.get(key)
    if (known !== undefined) return known
    const series = new DurationSeries(labels)
    this.#series.set(key, series)
    return series
  }

  add(labels: Duration['labels'], ms: number): void {
    this.series(labels).add(ms)
  }

  durations(): readonly Duration[] {
    return [...this.#series.values()].map(({ duration }) => duration)
  }
}
