import type { StoreKind } from '../harness/contestants.ts'
import { type Conditions, conditionLines } from './conditions.ts'
import { lineChart } from './plot.ts'
import { rounded, table } from './table.ts'

export interface WorkersResult {
  readonly system: string
  readonly store: StoreKind
  readonly workers: number
  readonly drainPerS: number
}

export interface WorkersDocument {
  readonly conditions: Conditions
  readonly results: readonly WorkersResult[]
}

export function showWorkers({ conditions, results }: WorkersDocument): string {
  const alone = ({ system, store }: WorkersResult) => {
    return results.find((each) => each.system === system && each.store === store)?.drainPerS ?? 0
  }
  return [
    ...conditionLines(conditions),
    '',
    table(
      ['system', 'store', 'processes', 'drain jobs/s', 'to one'],
      results.map((each) => [
        each.system,
        each.store,
        String(each.workers),
        rounded(each.drainPerS),
        `${(each.drainPerS / alone(each)).toFixed(2)} ×`,
      ]),
      2,
    ),
  ].join('\n')
}

export function drawWorkers({ results }: WorkersDocument): string {
  const lines = Map.groupBy(results, ({ system, store }) => `${system} (${store})`)
  const counts = [...new Set(results.map(({ workers }) => workers))]
  return lineChart({
    title: 'Drain, jobs a second, by number of worker processes',
    axis: 'worker processes',
    points: counts.map(String),
    lines: [...lines].map(([label, own]) => ({
      label,
      kind: label.startsWith('stint') ? 'own' : 'peer',
      values: own.map(({ drainPerS }) => drainPerS),
    })),
  })
}
