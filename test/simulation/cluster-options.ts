import type { Rates } from './network.ts'
import type { Random } from './random.ts'

/** What can go wrong in a cluster. Each seed switches a random half of it off, so that no fault hides another for ever. */
const faultKinds = [
  'kill',
  'stop',
  'pause',
  'partition',
  'oneWay',
  'delayStorm',
  'skew',
  'requestLost',
  'replyLost',
  'lateApply',
  'databaseError',
  'poison',
  'cancel',
] as const

export type FaultKind = (typeof faultKinds)[number]

/** What keeps jobs from running, or changes their order, though nothing is wrong. */
const gateKinds = ['limits', 'pauses', 'moves'] as const

export type GateKind = (typeof gateKinds)[number]

/** How workers differ in what they take. Then jobs are of several namespaces. */
const shareKinds = ['bound', 'fair'] as const

export type ShareKind = (typeof shareKinds)[number]

/** Everything about a cluster that is drawn and not given. Plain data, to be printed when its run fails. */
export interface ClusterOptions {
  readonly workers: number
  readonly submitters: number
  readonly jobsOfEach: number
  readonly concurrency: number
  readonly prefetchMax: number
  readonly leaseMs: number
  readonly pollMs: number
  readonly upkeepMs: number
  readonly cancelGraceMs: number
  readonly callTimeoutMs: number
  readonly faultsForMs: number
  readonly faultEveryMs: number
  readonly faults: readonly FaultKind[]
  readonly rates: Rates
  readonly gates: readonly GateKind[]
  readonly shares: readonly ShareKind[]
  /** How many groups somebody makes. */
  readonly groups: number
  /** Whether some jobs are sharded. */
  readonly shards: boolean
  /** Whether some jobs need the values of others, and of promises. */
  readonly slots: boolean
}

/** Faults, gates, shares, groups, shards and slots that there must be, for who looks for something that only they bring about. */
export interface Wanted {
  readonly faults?: readonly FaultKind[]
  readonly gates?: readonly GateKind[]
  readonly shares?: readonly ShareKind[]
  /** At least so many. */
  readonly groups?: number
  readonly shards?: boolean
  readonly slots?: boolean
}

export function drawOptions(random: Random, wanted: Wanted = {}): ClusterOptions {
  const faults = faultKinds.filter((kind) => random.chance(0.5) || wanted.faults?.includes(kind))
  const rate = (kind: keyof Rates) => (faults.includes(kind) ? random.pick([0.01, 0.03, 0.08] as const) : 0)
  return {
    workers: random.between(2, 4),
    submitters: random.between(1, 2),
    jobsOfEach: random.between(6, 18),
    concurrency: random.between(1, 4),
    prefetchMax: random.pick([0, 5] as const),
    leaseMs: random.between(2_000, 5_000),
    pollMs: random.between(200, 1_000),
    upkeepMs: random.between(200, 1_000),
    cancelGraceMs: random.between(200, 2_000),
    callTimeoutMs: random.between(300, 1_500),
    faultsForMs: random.between(8_000, 20_000),
    faultEveryMs: random.between(1_000, 4_000),
    faults,
    rates: {
      requestLost: rate('requestLost'),
      replyLost: rate('replyLost'),
      lateApply: rate('lateApply'),
      databaseError: rate('databaseError'),
    },
    gates: drawSome(gateKinds, random.fork('gates'), wanted.gates),
    shares: drawSome(shareKinds, random.fork('shares'), wanted.shares),
    groups: Math.max(wanted.groups ?? 0, drawGroups(random.fork('groups'))),
    shards: wanted.shards ?? false,
    slots: wanted.slots ?? false,
  }
}

/** Most clusters have none: their members are jobs like others, and there is less to be seen of those. */
function drawGroups(random: Random): number {
  return random.chance(0.4) ? random.between(1, 3) : 0
}

/** Half of the clusters have none, because they keep jobs from meeting each other. */
function drawSome<Kind>(kinds: readonly Kind[], random: Random, wanted: readonly Kind[] = []): readonly Kind[] {
  const isAny = random.chance(0.5)
  return kinds.filter((kind) => (random.chance(0.6) && isAny) || wanted.includes(kind))
}
