import type { StoreKind } from '../harness/contestants.ts'
import { type Conditions, conditionLines } from './conditions.ts'
import { median } from './statistics.ts'
import { type Check, checkTable, milliseconds, rounded, table } from './table.ts'

/** What was measured in one round. */
export interface HttpRound {
  /** Requests a second of a route that only reads and checks the same body. */
  readonly barePerS: number
  /** Requests a second of `POST /v1/jobs`, and how long they took. */
  readonly postPerS: number
  readonly postP50Ms: number
  readonly postP99Ms: number
  /** Jobs a second that the library submits in batches, and `POST /v1/jobs/batch`. */
  readonly libraryPerS: number
  readonly batchPerS: number
}

/** Medians, and medians of the ratios within each round. */
export interface HttpResult extends HttpRound {
  readonly store: StoreKind
  readonly postToBare: number
  readonly batchToLibrary: number
}

export interface HttpDocument {
  readonly conditions: Conditions
  readonly results: readonly HttpResult[]
}

export function httpResult(store: StoreKind, rounds: readonly HttpRound[]): HttpResult {
  const of = (figure: (round: HttpRound) => number) => median(rounds.map(figure))
  return {
    store,
    barePerS: of(({ barePerS }) => barePerS),
    postPerS: of(({ postPerS }) => postPerS),
    postP50Ms: of(({ postP50Ms }) => postP50Ms),
    postP99Ms: of(({ postP99Ms }) => postP99Ms),
    libraryPerS: of(({ libraryPerS }) => libraryPerS),
    batchPerS: of(({ batchPerS }) => batchPerS),
    postToBare: of(({ postPerS, barePerS }) => postPerS / barePerS),
    batchToLibrary: of(({ batchPerS, libraryPerS }) => batchPerS / libraryPerS),
  }
}

export function httpChecks({ results }: HttpDocument): readonly Check[] {
  return results.flatMap(({ store, postToBare, batchToLibrary }): readonly Check[] => [
    { what: `POST /v1/jobs on ${store} : a bare route`, value: postToBare, unit: '×', atLeast: 0.4 },
    { what: `POST /v1/jobs/batch on ${store} : the library`, value: batchToLibrary, unit: '×', atLeast: 0.5 },
  ])
}

export function showHttp(document: HttpDocument): string {
  const head = [
    'store',
    'bare route req/s',
    'POST /v1/jobs req/s',
    'p50 / p99 ms',
    'library jobs/s',
    'batch over HTTP jobs/s',
  ]
  const rows = document.results.map((each) => [
    each.store,
    rounded(each.barePerS),
    rounded(each.postPerS),
    `${milliseconds(each.postP50Ms)} / ${milliseconds(each.postP99Ms)}`,
    rounded(each.libraryPerS),
    rounded(each.batchPerS),
  ])
  return [...conditionLines(document.conditions), '', table(head, rows), '', checkTable(httpChecks(document))].join(
    '\n',
  )
}
