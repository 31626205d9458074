import type { ThroughputPoint } from 'stint/client'
import { numberText } from '../../ui/number.tsx'

export function summaryOf(points: readonly ThroughputPoint[]): string {
  const sum = (kind: 'submitted' | 'completed' | 'failed') =>
    numberText(points.reduce((n, point) => n + point[kind], 0))
  return `In the last hour ${sum('submitted')} jobs were submitted, ${sum('completed')} completed and ${sum('failed')} failed.`
}

/** Where there is no chart: it cannot be loaded, or not be drawn in the language that a browser says it has, `en-US@posix` for one. */
export function ThroughputWords({ points }: { readonly points: readonly ThroughputPoint[] }) {
  return <p className="text-ink-2 py-3">{summaryOf(points)}</p>
}
