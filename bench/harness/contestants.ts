import type { Settings } from './system.ts'

export type StoreKind = 'postgres' | 'sqlite' | 'redis'

/** A system in one configuration. */
export interface Contestant {
  readonly system: string
  readonly store: StoreKind
  /** The file that opens it. */
  readonly module: string
  readonly settings: Settings
  /** How it is configured, for the reader of the table. */
  readonly conditions: string
  /** Of how many priorities each job has one by chance. Default 1: all have the same. */
  readonly priorities?: number
  /** What is different this time, where one system is measured in several ways. */
  readonly variant?: string
  /** It gets so many times fewer jobs, because it would take minutes: its rate is the same with few. Default 1. */
  readonly fewer?: number
  /** What stands for the latency: idle worker to handler, or a durable submission alone. */
  readonly latency: 'pick-up' | 'commit'
  /** It looks for jobs so often, and hears of none in between. */
  readonly pollMs?: number
}

interface Order {
  readonly name: string
  readonly priorities: number
  readonly conditions: string
}

const inOrder: Order = { name: '', priorities: 1, conditions: '' }
const randomPriorities: Order = {
  name: ', random priorities',
  priorities: 100,
  conditions: '; priorities from 0 to 99 by chance',
}
/** As if every job had been moved to another place. */
const randomOrder: Order = {
  name: ', random order',
  priorities: 1_000_000,
  conditions: '; each job has a place of its own by chance: priorities from 0 to 999,999',
}

const stint = (store: StoreKind, concurrency: number, order: Order = inOrder): Contestant => ({
  system: `stint${order.name}`,
  store,
  module: '../systems/stint.ts',
  settings: { concurrency },
  conditions: `\`submitMany\`, one worker, concurrency ${concurrency}${order.conditions}`,
  priorities: order.priorities,
  latency: 'pick-up',
})

const limit = (store: 'postgres' | 'sqlite', conditions: string): Contestant => ({
  system: 'limit',
  store,
  module: `../systems/limit-${store}.ts`,
  settings: {},
  conditions,
  latency: 'commit',
})

export const stintOnPostgres = stint('postgres', 100)
export const stintOnSqlite = stint('sqlite', 100)

export const graphileWorkerFastest: Contestant = {
  system: 'graphile-worker, fastest',
  store: 'postgres',
  module: '../peers/graphile-worker.ts',
  // As its documentation on performance has it: a connection for each job and one more.
  settings: { concurrency: 48, localQueueSize: 1_000, poolSize: 49 },
  conditions: '`addJobs` of 5,000; 48 concurrent, local queue of 1,000, batched acknowledgements',
  latency: 'pick-up',
}

/** Everything that `npm run bench` compares, in the order of its table. */
export const contestants: readonly Contestant[] = [
  stintOnPostgres,
  stint('postgres', 100, randomPriorities),
  stint('postgres', 100, randomOrder),
  limit('postgres', 'the rows of Stint, set-based, batches of 500, two connections'),
  graphileWorkerFastest,
  {
    ...graphileWorkerFastest,
    system: 'graphile-worker',
    settings: { concurrency: 10, localQueueSize: 0 },
    conditions: '`addJobs` of 5,000; defaults, 10 concurrent; a tenth of the jobs',
    fewer: 10,
  },
  {
    system: 'pg-boss, burst',
    store: 'postgres',
    module: '../peers/pg-boss.ts',
    settings: { batchSize: 500, pollers: 4, burst: true, notify: true },
    conditions: '`insert` of 1,000; batches of 500, 4 pollers that go on while batches are full, notifications',
    latency: 'pick-up',
  },
  {
    system: 'pg-boss',
    store: 'postgres',
    module: '../peers/pg-boss.ts',
    settings: { batchSize: 500, pollers: 4, burst: false, notify: false },
    conditions: '`insert` of 1,000; batches of 500, 4 pollers, each every 500 ms; a quarter of the jobs',
    fewer: 4,
    latency: 'pick-up',
    pollMs: 500,
  },
  stintOnSqlite,
  stint('sqlite', 100, randomPriorities),
  stint('sqlite', 100, randomOrder),
  limit('sqlite', 'the rows of Stint, prepared statements, batches of 500, synchronous FULL'),
  {
    system: 'plainjob',
    store: 'sqlite',
    module: '../peers/plainjob.ts',
    settings: {},
    conditions:
      '`addMany`; as it comes: one job at a time, polls every second, synchronous NORMAL; a quarter of the jobs',
    fewer: 4,
    latency: 'pick-up',
    pollMs: 1_000,
  },
  {
    system: 'bullmq',
    store: 'redis',
    module: '../peers/bullmq.ts',
    settings: { concurrency: 100 },
    conditions: '`addBulk` of 1,000; 100 concurrent; Redis with AOF, fsync every second',
    latency: 'pick-up',
  },
]
