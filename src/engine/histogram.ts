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

/** Counts durations by how long they were, for each combination of labels. */
export class Histogram {
  readonly #series = new Map<string, { labels: Readonly<Record<string, string>>; counts: number[]; sum: number }>()

  add(labels: Readonly<Record<string, string>>, ms: number): void {
    const key = Object.values(labels).join(' ')
    const series = this.#series.get(key) ?? this.#begin(key, labels)
    const seconds = Math.max(0, ms) / 1_000
    const place = durationBounds.findIndex((bound) => seconds <= bound)
    const at = place === -1 ? durationBounds.length : place
    series.counts[at] = (series.counts[at] ?? 0) + 1
    series.sum += seconds
  }

  durations(): readonly Duration[] {
    return [...this.#series.values()].map(({ labels, counts, sum }) => {
      let total = 0
      return { labels, counts: counts.map((count) => (total += count)), sumSeconds: sum }
    })
  }

  #begin(key: string, labels: Readonly<Record<string, string>>) {
    const series = { labels, counts: new Array<number>(durationBounds.length + 1).fill(0), sum: 0 }
    this.#series.set(key, series)
    return series
  }
}
