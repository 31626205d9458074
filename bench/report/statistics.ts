/** The smallest value that so many percent of the values do not exceed; null when there are none. */
export function percentile(values: readonly number[], percent: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? null
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)]
  const lower = sorted[Math.ceil(middle) - 1]
  if (upper === undefined || lower === undefined) throw new Error('There is no median of nothing.')
  return (upper + lower) / 2
}
