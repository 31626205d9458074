/** How long what is over is kept, in milliseconds; null for ever. */
export interface Retention {
  /** Jobs, from their end on. */
  readonly jobsMs: number | null
  /** Runs of jobs that are not kept any more, from the end of the job on. */
  readonly runsMs: number | null
  /** Entries of the log, from when they were received. They leave it only for an archive. */
  readonly eventsMs: number | null
}

/** What a path says about it. What it does not say, the path above says. */
export type RetentionPolicy = Partial<Retention>

/** What holds where no path says anything: jobs for 30 days. */
export const builtInRetention: Retention = { jobsMs: 30 * 86_400_000, runsMs: null, eventsMs: null }

/** What holds below paths, the highest first: the nearest that says it, field by field. */
export function retentionBelow(policies: readonly RetentionPolicy[]): Retention {
  return Object.assign({}, builtInRetention, ...policies)
}

/** The shortest time that any path says, or that holds where none does; null when all is kept for ever. */
export function shortestMs(policies: readonly RetentionPolicy[], field: keyof Retention): number | null {
  const times = [builtInRetention, ...policies].flatMap((policy) => policy[field] ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/** Until when something is kept; null for ever. */
export function keptUntil(since: number, keptMs: number | null): number | null {
  return keptMs === null ? null : since + keptMs
}
