/** The comparison with peers: what its JSON document holds, and how it is shown. */
import type { Contestant, StoreKind } from '../harness/contestants.ts'
import type { Round } from '../harness/round.ts'
import { type Conditions, conditionLines } from './conditions.ts'
import { barChart } from './plot.ts'
import { ratioChecks } from './ratios.ts'
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

export function peerChecks({ results, ratios: measured }: PeersDocument): readonly Check[] {
  const checks = ratioChecks(measured)
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
