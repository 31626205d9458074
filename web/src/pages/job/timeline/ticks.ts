/** Steps that people count in, in milliseconds. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 4, 6, 12, 24].map((hours) => hours * 3_600_000),
]

const tickMax = 7
const dayMs = 86_400_000

/** Round times from 0 on within so long, few enough to be read. */
export function ticksOf(lengthMs: number): readonly number[] {
  const fits = (step: number) => lengthMs / step <= tickMax
  const step = steps.find(fits) ?? Math.ceil(lengthMs / tickMax / dayMs) * dayMs
  // The last would be cut off at the edge.
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, i) => i * step).filter(
    (ms) => ms <= lengthMs * 0.96,
  )
}
