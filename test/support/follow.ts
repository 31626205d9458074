import { setTimeout as sleep } from 'node:timers/promises'
import type { LogEntry } from '../../src/store/store.ts'
import type { Fixture } from './fixture.ts'

type Log = Pick<Fixture, 'store' | 'raw'>

/** How many events are committed, whether or not readers may see them yet. */
export async function committed({ store, raw }: Log): Promise<number> {
  // On PostgreSQL a row of the table may be a batch of entries.
  const [row] = await raw(`select count(*) as n from ${store.kind === 'postgres' ? 'entries' : 'events'}`)
  return Number(row?.['n'])
}

/**
 * Follows the cursor until `count` entries came. On PostgreSQL any transaction that is open, whoever's it is, holds readers
 * back for as long as it lasts, so an empty page is not the end: it is asked for again.
 */
export async function follow(log: Log, limit: number, count: () => Promise<number>): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = []
  let cursor: string | null = null
  for (;;) {
    const page = await log.store.events({ after: cursor, limit })
    entries.push(...page.entries)
    cursor = page.cursor
    if (page.entries.length > 0) continue
    if (entries.length >= (await count())) return entries
    await sleep(1)
  }
}

export function readAll(log: Log, limit = 1_000): Promise<readonly LogEntry[]> {
  return follow(log, limit, () => committed(log))
}

/** One event, told from all others. */
export function keyOf({ namespace, source, eventId }: LogEntry): string {
  return JSON.stringify([namespace, source, eventId])
}

/** The versions of each job in the order in which a reader saw them. */
export function versionsByJob(entries: readonly LogEntry[]): ReadonlyMap<string, readonly number[]> {
  const versions = new Map<string, number[]>()
  for (const { jobId, version } of entries) {
    if (jobId === null || version === null) continue
    const seen = versions.get(jobId)
    if (seen === undefined) versions.set(jobId, [version])
    else seen.push(version)
  }
  return versions
}

/** The jobs whose versions did not come as 1, 2, 3 … */
export function outOfOrder(entries: readonly LogEntry[]): readonly (readonly number[])[] {
  return [...versionsByJob(entries).values()].filter((versions) => versions.some((version, i) => version !== i + 1))
}
