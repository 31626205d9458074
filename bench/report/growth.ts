import type { StoreKind } from '../harness/contestants.ts'
import { type Conditions, conditionLines } from './conditions.ts'
import { lineChart } from './plot.ts'
import { type Check, checkTable, milliseconds, rounded, table } from './table.ts'

/** With so many finished jobs in the database. */
export interface HistoryResult {
  readonly store: StoreKind
  readonly finished: number
  readonly drainPerS: number
  readonly latencyP50Ms: number
}

/** With something else in the way. */
export interface WaitingResult {
  readonly system: string
  readonly store: StoreKind
  readonly burden: string
  readonly drainPerS: number
}

export interface GrowthDocument {
  readonly conditions: Conditions
  readonly history: readonly HistoryResult[]
  readonly waiting: readonly WaitingResult[]
}

export function showGrowth({ conditions, history, waiting }: GrowthDocument): string {
  const first = ({ store }: HistoryResult) => history.find((each) => each.store === store)
  const free = ({ system, store }: WaitingResult) => {
    return waiting.find((each) => each.system === system && each.store === store)
  }
  return [
    ...conditionLines(conditions),
    '',
    table(
      ['store', 'finished jobs', 'drain jobs/s', 'to the first', 'pick-up p50 ms'],
      history.map((each) => [
        each.store,
        rounded(each.finished),
        rounded(each.drainPerS),
        times(each.drainPerS, first(each)?.drainPerS),
        milliseconds(each.latencyP50Ms),
      ]),
    ),
    '',
    table(
      ['system', 'store', 'in the way', 'drain jobs/s', 'to nothing'],
      waiting.map((each) => [
        each.system,
        each.store,
        each.burden,
        rounded(each.drainPerS),
        times(each.drainPerS, free(each)?.drainPerS),
      ]),
      3,
    ),
    '',
    checkTable(growthChecks(history, waiting)),
  ].join('\n')
}

function times(value: number, base: number | undefined): string {
  return base === undefined ? '' : `${(value / base).toFixed(2)} ×`
}

function growthChecks(history: readonly HistoryResult[], waiting: readonly WaitingResult[]): readonly Check[] {
  const stores = [...new Set(history.map(({ store }) => store))]
  const grown = stores.flatMap((store): Check[] => {
    const own = history.filter((each) => each.store === store)
    const [first, last] = [own[0], own.at(-1)]
    if (first === undefined || last === undefined || first === last) return []
    const what = `drain on ${store} with ${rounded(last.finished)} finished jobs : with ${rounded(first.finished)}`
    return [{ what, value: last.drainPerS / first.drainPerS, unit: '×', atLeast: 0.85 }]
  })
  const burdened = waiting.flatMap(({ system, store, burden, drainPerS }): Check[] => {
    const free = waiting.find((each) => each.system === system && each.store === store)
    if (free === undefined || free.burden === burden) return []
    const aim = system === 'stint' && burden === 'a transaction held open' ? { atLeast: 0.7 } : {}
    return [
      { what: `${system} on ${store} with ${burden} : without`, value: drainPerS / free.drainPerS, unit: '×', ...aim },
    ]
  })
  return [...grown, ...burdened]
}

export function drawGrowth({ history }: GrowthDocument): string {
  const stores = [...new Set(history.map(({ store }) => store))]
  const sizes = [...new Set(history.map(({ finished }) => finished))]
  return lineChart({
    title: 'Drain, jobs a second, as finished jobs pile up',
    axis: 'finished jobs in the database',
    points: sizes.map((size) => rounded(size)),
    lines: stores.map((store) => ({
      label: `stint (${store})`,
      kind: 'own',
      values: history.filter((each) => each.store === store).map(({ drainPerS }) => drainPerS),
    })),
  })
}
