import type { StoreKind } from '../harness/contestants.ts'
import { type Conditions, conditionLines } from './conditions.ts'
import { median } from './statistics.ts'
import { type Check, checkTable, milliseconds, rounded, table, unknown } from './table.ts'

/** What was measured on one store. What was not is missing. */
export interface ShardsResult {
  readonly store: StoreKind
  /** No-op jobs. */
  readonly plainPerS: number
  /** The same with the time that it takes to submit them, because tasks are made while a sharded job runs. */
  readonly plainSubmittedPerS: number
  /** Shards of one slice each, of a wide job and of one as it comes. */
  readonly shardsPerS: number
  readonly shardsByDefaultPerS: number
  /** From one slice to the next, of all shards together, in the first and in the last tenth. */
  readonly firstSliceMs: number
  readonly lastSliceMs: number
  /** From the call to submit until the handler begins: on an idle worker, and while slices run on it. */
  readonly pickUpMs: number
  readonly pickUpBesideMs: number
  readonly pickUpBesideBusyMs: number
  /** The whole chain, and from one of its jobs to the next. */
  readonly chainMs: number
  readonly stepMs: number
  readonly fanInPerS: number
  /** To submit the job that needs all outputs, and from the last output until it begins. */
  readonly fanInSubmitMs: number
  readonly fanInReduceMs: number
  /** From the fill until the last job is ready. */
  readonly fanOutMs: number
  readonly fanOutPerS: number
}

type Figure = Exclude<keyof ShardsResult, 'store'>
export type PartialResult = Pick<ShardsResult, 'store'> & Partial<ShardsResult>

export interface ShardsDocument {
  readonly conditions: Conditions
  /** How much there was of everything, in words. */
  readonly sizes: Readonly<Record<'slices' | 'beside' | 'chain', string>>
  /** How many tasks of the wide job are there at once, and of one as it comes. */
  readonly widths: readonly [number, number]
  readonly results: readonly PartialResult[]
}

/** The medians of all rounds of one store. */
export function shardsResult(store: StoreKind, rounds: readonly Partial<Omit<ShardsResult, 'store'>>[]): PartialResult {
  const names = new Set(rounds.flatMap((figures) => Object.keys(figures) as Figure[]))
  const medians = [...names].map((name) => {
    return [name, median(rounds.flatMap((figures) => figures[name] ?? []))] as const
  })
  return { store, ...Object.fromEntries(medians) }
}

export function showShards(document: ShardsDocument): string {
  const { conditions, results } = document
  const cell = (figure: Figure) => (result: PartialResult) => {
    const value = result[figure]
    if (value === undefined) return unknown
    return figure.endsWith('PerS') ? rounded(value) : value < 1 ? value.toFixed(3) : milliseconds(value)
  }
  return [
    ...conditionLines(conditions),
    '',
    table(
      ['', ...results.map(({ store }) => store)],
      figureNames(document).map(([figure, what]) => [what, ...results.map(cell(figure))]),
    ),
    '',
    checkTable(results.flatMap((result) => shardsChecks(document, result))),
  ].join('\n')
}

function figureNames({ sizes, widths: [wide, usual] }: ShardsDocument): readonly (readonly [Figure, string])[] {
  return [
    ['plainPerS', 'plain jobs/s'],
    ['plainSubmittedPerS', 'the same, with their submission'],
    ['shardsPerS', `shards/s, width ${rounded(wide)}`],
    ['shardsByDefaultPerS', `shards/s, width ${rounded(usual)}, the default`],
    ['firstSliceMs', `${sizes.slices}: ms for a slice, first tenth`],
    ['lastSliceMs', 'the same, last tenth'],
    ['pickUpMs', 'pick-up p50 ms, idle worker'],
    ['pickUpBesideMs', `the same beside ${sizes.beside}`],
    ['pickUpBesideBusyMs', 'the same, slices that end at once'],
    ['stepMs', `${sizes.chain}: p50 ms for a step`],
    ['chainMs', 'the same, ms for all with their pipeline'],
    ['fanInPerS', 'jobs/s whose outputs one job needs'],
    ['fanInSubmitMs', 'to submit that job, ms'],
    ['fanInReduceMs', 'from the last output until it begins, ms'],
    ['fanOutMs', 'from the fill until all who need it are ready, ms'],
    ['fanOutPerS', 'the same, jobs/s'],
  ]
}

/** Those whose both sides were measured. */
export function shardsChecks({ widths: [wide, usual] }: ShardsDocument, result: PartialResult): readonly Check[] {
  const { store } = result
  const ratio = (
    what: string,
    of: Figure,
    to: Figure,
    aim: Pick<Check, 'atLeast' | 'atMost'> = {},
  ): readonly Check[] => {
    const [value, base] = [result[of], result[to]]
    if (value === undefined || base === undefined) return []
    return [{ what: `${store}: ${what}`, value: value / base, unit: '×', ...aim }]
  }
  const [drain, pickUp] = ['drain of shards, width', 'pick-up beside slices']
  return [
    ...ratio(`${drain} ${rounded(wide)} : plain jobs`, 'shardsPerS', 'plainPerS', { atLeast: 0.5 }),
    ...ratio(`${drain} ${rounded(usual)} : plain jobs`, 'shardsByDefaultPerS', 'plainPerS', { atLeast: 0.5 }),
    ...ratio(`${drain} ${rounded(wide)} : plain jobs with their submission`, 'shardsPerS', 'plainSubmittedPerS'),
    ...ratio(
      `${drain} ${rounded(usual)} : plain jobs with their submission`,
      'shardsByDefaultPerS',
      'plainSubmittedPerS',
    ),
    ...ratio('a slice in the last tenth : in the first', 'lastSliceMs', 'firstSliceMs', { atMost: 1.2 }),
    ...ratio(`${pickUp} : idle worker`, 'pickUpBesideMs', 'pickUpMs', { atMost: 1.5 }),
    ...ratio(`${pickUp} that end at once : idle worker`, 'pickUpBesideBusyMs', 'pickUpMs', { atMost: 1.5 }),
    ...ratio('a step of the chain : pick-up on an idle worker', 'stepMs', 'pickUpMs', { atMost: 2 }),
    ...ratio('drain of jobs whose outputs one needs : plain jobs', 'fanInPerS', 'plainPerS'),
    ...ratio('from the last output to the job that needs all : pick-up', 'fanInReduceMs', 'pickUpMs'),
    ...ratio('jobs ready after a fill : drain of plain jobs', 'fanOutPerS', 'plainPerS'),
  ]
}
