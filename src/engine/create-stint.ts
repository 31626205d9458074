import { JobRunId } from '../core/names/ids.ts'
import { JobName } from '../core/names/job-name.ts'
import { checkOptionalText } from '../store/check-input.ts'
import { type Clock, systemClock } from './clock.ts'
import { clocked } from './clocked-store.ts'
import type { Env } from './env.ts'
import { Hub } from './hub.ts'
import { idMaker } from './ids.ts'
import { Metrics } from './metrics.ts'
import { observed } from './observed-store.ts'
import { openStore, type StoreOptions } from './open-store.ts'
import { Stint } from './stint.ts'
import { Tracing } from './tracing.ts'

export interface StintOptions extends StoreOptions {
  /** First part of every JobRunId. Default `stint`. */
  readonly project?: string
  /** Second part of every JobRunId. Default none. */
  readonly database?: string
  /** The namespace of jobs that are submitted without a name. Default `default`. */
  readonly namespace?: string
  /**
   * Where entries of the log go that are older than their path keeps them, as compressed files. All processes need the same one,
   * or one of them alone. Default none: then no entry ever leaves the log.
   */
  readonly archiveDirectory?: string
  /** Holds the time, for tests. Without it leases, delays and deadlines follow the clock of the database. */
  readonly clock?: Clock
  /** Gives numbers from [0, 1), for tests: backoff and jitter are placed by them. Default by chance. */
  readonly random?: () => number
}

/** Opens Stint on a database, which is made or brought up to date if need be. */
export async function createStint(options: StintOptions): Promise<Stint> {
  const { project = 'stint', database = null, clock } = options
  // Made first, so that a bad project or database is refused before anything is opened.
  const sample = new JobRunId({ project, database, name: 'x' })
  const namespace = JobName.root(options.namespace ?? 'default')
  const archiveDirectory = checkOptionalText(options.archiveDirectory, 'archiveDirectory', 4_096)
  const opened = await openStore(options)
  const hub = new Hub()
  const env: Env = {
    store: observed(clock === undefined ? opened : clocked(opened, clock), hub, clock ?? systemClock),
    clock: clock ?? systemClock,
    random: options.random ?? Math.random,
    newId: idMaker(),
    hub,
    metrics: new Metrics(),
    archiveDirectory,
  }
  return new Stint(env, sample, namespace, await Tracing.load())
}
