/** The comparison with peers: what its JSON document holds, and how it is shown. */
import type { Contestant, StoreKind } from '../harness/contestants.ts'
import type { Round } from '../harness/round.ts'
import { type Conditions, conditionLines } from './conditions.ts'
import { barChart } from './plot.ts'
import { median, percentile } from './statistics.ts'
import { type Check, checkTable, milliseconds, rounded, table } from './table.ts'

export interface Result {
  readonly system: string
  readonly store: StoreKind
  readonly settings: string
  readonly enqueuePerS: number
  readonly drainPerS: number
  /** The slowest and the fastest round. */
  readonly drainSpreadPerS: readonly [number, number]
  /** For the limit: one durable submission. */
  readonly latencyP50Ms: number | null
  readonly latencyP99Ms: number | null
  /** Submitted by another process than the worker's. */
  readonly otherLatencyP50Ms: number | null
  readonly otherLatencyP99Ms: number | null
  readonly loopDelayP99Ms: number
}

export interface PeersDocument {
  readonly conditions: Conditions
  readonly results: readonly Result[]
  readonly ratios: Readonly<Record<string, number>>
  /** What was left out, and why. */
  readonly skipped: readonly string[]
}

export function resultOf({ system, store, conditions: settings }: Contestant, rounds: readonly Round[]): Result {
  const drains = rounds.map(({ drainPerS }) => drainPerS)
  const latencies = rounds.flatMap(({ latenciesMs }) => latenciesMs)
  const otherLatencies = rounds.flatMap(({ otherLatenciesMs }) => otherLatenciesMs)
  return {
    system,
    store,
    settings,
    enqueuePerS: median(rounds.map(({ enqueuePerS }) => enqueuePerS)),
    drainPerS: median(drains),
    drainSpreadPerS: [Math.min(...drains), Math.max(...drains)],
    latencyP50Ms: percentile(latencies, 50),
    latencyP99Ms: percentile(latencies, 99),
    otherLatencyP50Ms: percentile(otherLatencies, 50),
    otherLatencyP99Ms: percentile(otherLatencies, 99),
    loopDelayP99Ms: median(rounds.map(({ loopDelayP99Ms }) => loopDelayP99Ms)),
  }
}

type Figure = 'enqueuePerS' | 'drainPerS' | 'latencyP50Ms' | 'otherLatencyP50Ms'

interface Ratio {
  readonly what: string
  readonly figure: Figure
  readonly store: StoreKind
  readonly of?: string
  readonly to: string
  readonly atLeast?: number
  readonly atMost?: number
}

const shuffled = 'stint, random priorities'
const fastest = 'graphile-worker, fastest'

/** What Stint wants to be, measured against others in the same run. The names are those of the JSON document. */
const ratios: Readonly<Record<string, Ratio>> = {
  drainPostgresToGraphileWorkerFastest: {
    what: 'drain on PostgreSQL : graphile-worker, fastest',
    figure: 'drainPerS',
    store: 'postgres',
    to: fastest,
    atLeast: 1.3,
  },
  drainPostgresToGraphileWorker: {
    what: 'drain on PostgreSQL : graphile-worker',
    figure: 'drainPerS',
    store: 'postgres',
    to: 'graphile-worker',
  },
  drainPostgresToPgBoss: {
    what: 'drain on PostgreSQL : pg-boss',
    figure: 'drainPerS',
    store: 'postgres',
    to: 'pg-boss',
    atLeast: 5,
  },
  drainPostgresToPgBossBurst: {
    what: 'drain on PostgreSQL : pg-boss, burst',
    figure: 'drainPerS',
    store: 'postgres',
    to: 'pg-boss, burst',
  },
  drainPostgresToLimit: { what: 'drain on PostgreSQL : limit', figure: 'drainPerS', store: 'postgres', to: 'limit' },
  drainPostgresRandomPriorities: {
    what: 'drain on PostgreSQL, random priorities : in order',
    figure: 'drainPerS',
    store: 'postgres',
    of: shuffled,
    to: 'stint',
    atLeast: 0.4,
  },
  drainSqliteToPlainjob: {
    what: 'drain on SQLite : plainjob',
    figure: 'drainPerS',
    store: 'sqlite',
    to: 'plainjob',
    atLeast: 3.5,
  },
  drainSqliteToLimit: {
    what: 'drain on SQLite : limit',
    figure: 'drainPerS',
    store: 'sqlite',
    to: 'limit',
    atLeast: 0.5,
  },
  drainSqliteRandomPriorities: {
    what: 'drain on SQLite, random priorities : in order',
    figure: 'drainPerS',
    store: 'sqlite',
    of: shuffled,
    to: 'stint',
    atLeast: 0.4,
  },
  enqueuePostgresToLimit: {
    what: 'submit on PostgreSQL : limit',
    figure: 'enqueuePerS',
    store: 'postgres',
    to: 'limit',
    atLeast: 0.6,
  },
  enqueuePostgresToGraphileWorker: {
    what: 'submit on PostgreSQL : graphile-worker',
    figure: 'enqueuePerS',
    store: 'postgres',
    to: fastest,
  },
  enqueueSqliteToLimit: {
    what: 'submit on SQLite : limit',
    figure: 'enqueuePerS',
    store: 'sqlite',
    to: 'limit',
    atLeast: 0.6,
  },
  latencyPostgresToGraphileWorker: {
    what: 'pick-up p50 on PostgreSQL : graphile-worker',
    figure: 'latencyP50Ms',
    store: 'postgres',
    to: 'graphile-worker',
    atMost: 1.2,
  },
  otherLatencyPostgresToGraphileWorker: {
    what: 'the same, submitted by another process',
    figure: 'otherLatencyP50Ms',
    store: 'postgres',
    to: 'graphile-worker',
    atMost: 1.2,
  },
  latencySqliteToCommit: {
    what: 'pick-up p50 on SQLite : one durable commit',
    figure: 'latencyP50Ms',
    store: 'sqlite',
    to: 'limit',
    atMost: 2,
  },
}

/** Those whose both sides were measured. */
export function ratiosOf(results: readonly Result[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const [name, { figure, store, of = 'stint', to }] of Object.entries(ratios)) {
    const figureOf = (system: string) =>
      results.find((each) => each.system === system && each.store === store)?.[figure]
    const [value, base] = [figureOf(of), figureOf(to)]
    if (value && base) found[name] = value / base
  }
  return found
}

export function peerChecks({ results, ratios: measured }: PeersDocument): readonly Check[] {
  const checks = Object.entries(measured).flatMap(([name, value]): Check[] => {
    const ratio = ratios[name]
    return ratio === undefined ? [] : [{ ...ratio, value, unit: '×' }]
  })
  const onSqlite = results.find(({ system, store }) => system === 'stint' && store === 'sqlite')
  if (onSqlite === undefined) return checks
  const what = 'event loop delay p99 while draining on SQLite'
  return [...checks, { what, value: onSqlite.loopDelayP99Ms, unit: 'ms', atMost: 10 }]
}

export function showPeers(document: PeersDocument): string {
  const { conditions, results, skipped } = document
  return [
    ...conditionLines(conditions),
    ...skipped.map((line) => `- ${line}`),
    '',
    resultTable(results),
    '',
    checkTable(peerChecks(document)),
    '',
    table(
      ['system', 'store', 'configuration'],
      results.map(({ system, store, settings }) => [system, store, settings]),
      3,
    ),
  ].join('\n')
}

function resultTable(results: readonly Result[]): string {
  const head = ['system', 'store', 'submit jobs/s', 'drain jobs/s', 'slowest – fastest', 'pick-up p50 / p99 ms']
  return table(
    [...head, 'from another process', 'loop delay p99 ms', 'Stint’s drain to it'],
    results.map((result) => {
      const { system, store, enqueuePerS, drainPerS, drainSpreadPerS, latencyP50Ms, latencyP99Ms } = result
      const stint = results.find(
        (each) => each.system === 'stint' && each.store === (store === 'redis' ? 'postgres' : store),
      )
      return [
        system,
        store,
        rounded(enqueuePerS),
        rounded(drainPerS),
        drainSpreadPerS.map(rounded).join(' – '),
        `${milliseconds(latencyP50Ms)} / ${milliseconds(latencyP99Ms)}`,
        `${milliseconds(result.otherLatencyP50Ms)} / ${milliseconds(result.otherLatencyP99Ms)}`,
        milliseconds(result.loopDelayP99Ms),
        stint === undefined ? '' : `${(stint.drainPerS / drainPerS).toFixed(2)} ×`,
      ]
    }),
    2,
  )
}

export function drawPeers({ results }: PeersDocument): string {
  return barChart({
    title: 'Drain, no-op jobs a second, one worker process',
    bars: results.map(({ system, store, drainPerS, drainSpreadPerS }) => ({
      label: `${system} (${store})`,
      value: drainPerS,
      spread: drainSpreadPerS,
      kind: system.startsWith('stint') ? 'own' : system === 'limit' ? 'limit' : 'peer',
    })),
  })
}
