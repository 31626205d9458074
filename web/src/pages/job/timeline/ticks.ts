import { durationText } from '../../../ui/time-text.ts'

/** Steps that people count in, in milliseconds. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 4, 6, 12, 24].map((hours) => hours * 3_600_000),
]

const dayMs = 86_400_000
/** What the words of one take, with some air around them. */
const tickWidth = 96

/** Round times from 0 on within so long, few enough to be read where there is so much room. */
export function ticksOf(lengthMs: number, width: number): readonly number[] {
  const tickMax = Math.max(1, Math.min(8, Math.floor(width / tickWidth)))
  const fits = (step: number) => lengthMs / step <= tickMax
  const step = steps.find(fits) ?? Math.ceil(lengthMs / tickMax / dayMs) * dayMs
  // The last would be cut off at the edge.
  const last = lengthMs * (1 - tickWidth / 2 / Math.max(width, tickWidth))
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, i) => i * step).filter((ms) => ms <= last)
}

/** `1.5 s`, not `1.50 s`: they are not one below the other. */
export function tickText(ms: number): string {
  return ms === 0 ? '0' : durationText(ms).replace(/0 s$/, ms % 1_000 === 0 ? '0 s' : ' s')
}
