/** What Stint wants to be, measured against others in the same run. */
import type { StoreKind } from '../harness/contestants.ts'
import type { Result } from './peers.ts'
import type { Check } from './table.ts'

const figures = {
  drainPerS: 'drain',
  enqueuePerS: 'submit',
  latencyP50Ms: 'pick-up p50',
  otherLatencyP50Ms: 'pick-up p50 from another process',
} as const

interface Ratio {
  readonly figure: keyof typeof figures
  readonly store: StoreKind
  readonly of: string
  readonly to: string
  readonly aim: { readonly atLeast?: number; readonly atMost?: number }
}

function ratio(figure: Ratio['figure'], store: StoreKind, of: string, to: string, aim: Ratio['aim'] = {}): Ratio {
  return { figure, store, of, to, aim }
}

const fastest = 'graphile-worker, fastest'
const mixed = 'stint, random priorities'
const shuffled = 'stint, random order'

/** The names are those of the JSON document. The latency of the limit is one durable commit. */
const ratios: Readonly<Record<string, Ratio>> = {
  drainPostgresToGraphileWorkerFastest: ratio('drainPerS', 'postgres', 'stint', fastest, { atLeast: 1.3 }),
  drainPostgresToGraphileWorker: ratio('drainPerS', 'postgres', 'stint', 'graphile-worker'),
  drainPostgresToPgBoss: ratio('drainPerS', 'postgres', 'stint', 'pg-boss', { atLeast: 5 }),
  drainPostgresToPgBossBurst: ratio('drainPerS', 'postgres', 'stint', 'pg-boss, burst'),
  drainPostgresToLimit: ratio('drainPerS', 'postgres', 'stint', 'limit'),
  drainPostgresRandomPriorities: ratio('drainPerS', 'postgres', mixed, 'stint', { atLeast: 0.4 }),
  drainPostgresRandomOrder: ratio('drainPerS', 'postgres', shuffled, 'stint', { atLeast: 0.4 }),
  drainSqliteToPlainjob: ratio('drainPerS', 'sqlite', 'stint', 'plainjob', { atLeast: 3.5 }),
  drainSqliteToLimit: ratio('drainPerS', 'sqlite', 'stint', 'limit', { atLeast: 0.5 }),
  drainSqliteRandomPriorities: ratio('drainPerS', 'sqlite', mixed, 'stint', { atLeast: 0.4 }),
  drainSqliteRandomOrder: ratio('drainPerS', 'sqlite', shuffled, 'stint', { atLeast: 0.4 }),
  enqueuePostgresToLimit: ratio('enqueuePerS', 'postgres', 'stint', 'limit', { atLeast: 0.6 }),
  enqueuePostgresToGraphileWorker: ratio('enqueuePerS', 'postgres', 'stint', fastest),
  enqueueSqliteToLimit: ratio('enqueuePerS', 'sqlite', 'stint', 'limit', { atLeast: 0.6 }),
  latencyPostgresToGraphileWorker: ratio('latencyP50Ms', 'postgres', 'stint', 'graphile-worker', { atMost: 1.2 }),
  otherLatencyPostgresToGraphileWorker: ratio('otherLatencyP50Ms', 'postgres', 'stint', 'graphile-worker', {
    atMost: 1.2,
  }),
  latencySqliteToCommit: ratio('latencyP50Ms', 'sqlite', 'stint', 'limit', { atMost: 2 }),
}

/** Those whose both sides were measured. */
export function ratiosOf(results: readonly Result[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const [name, { figure, store, of, to }] of Object.entries(ratios)) {
    const figureOf = (system: string) =>
      results.find((each) => each.system === system && each.store === store)?.[figure]
    const [value, base] = [figureOf(of), figureOf(to)]
    if (value && base) found[name] = value / base
  }
  return found
}

export function ratioChecks(measured: Readonly<Record<string, number>>): readonly Check[] {
  return Object.entries(measured).flatMap(([name, value]): Check[] => {
    const known = ratios[name]
    if (known === undefined) return []
    const { figure, store, of, to, aim } = known
    const other = to === 'limit' && figure === 'latencyP50Ms' ? 'one durable commit' : to
    return [{ what: `${figures[figure]} on ${store}, ${of} : ${other}`, value, unit: '×', ...aim }]
  })
}
