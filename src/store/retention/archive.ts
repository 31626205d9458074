import { StintError } from '../../core/errors.ts'
import type { Retention } from '../../core/retention/policy.ts'
import type { Collected, NewSegment, Segment } from '../controls.ts'
import type { Transaction } from '../transaction.ts'
import { retentionOver } from './policies.ts'
import type { AgedEntry } from './segments.ts'
import { type Ground, nextStretch, settle } from './walk.ts'

/** For how long whoever has collected entries is left alone to write them to a file. */
const writeMs = 600_000
/** Entries of jobs that could have left by now and have not are looked at again after this time. */
const againMs = 3_600_000
/** Attributes of more than this are not collected together: they are held in memory. */
const byteMax = 16_777_216

const ground: Ground = {
  kind: 'log',
  field: 'eventsMs',
  // Nothing appears in the log behind those who read it.
  lateMs: 0,
  async ahead(tx, front, before, limit) {
    let bytes = 0
    const page = (await tx.segments.entriesAfter(front, limit)).filter((entry, i) => {
      bytes += entry.bytes
      return i === 0 || bytes <= byteMax
    })
    return page.findLast(({ receivedAt }) => receivedAt <= before)?.position ?? null
  },
}

/**
 * The entries of the next stretch of the log that are old enough to leave it. They stay where they are until `record` is told that
 * they stand in a file: whoever crashes in between has lost nothing, and others try again after a time.
 */
export async function collect(tx: Transaction, limit: number): Promise<Collected | null> {
  const stretch = await nextStretch(tx, ground, limit)
  if (stretch === null) return null
  const entries = await tx.segments.entriesWithin(stretch)
  const over = await retentionOver(tx, [...new Set(entries.map(pathOf))])
  const leaving = entries.map((entry) => leavesAt(entry, over(pathOf(entry)), tx.now))
  const ripe = entries.filter((_, i) => leaving[i] === 'now')
  if (ripe.length > 0) await tx.walks.setDue(stretch.pk, tx.now + writeMs)
  else {
    await settle(
      tx,
      ground,
      stretch,
      leaving.filter((at) => at !== 'now'),
    )
  }
  return { stretch: stretch.pk, entries: ripe.map(({ entry }) => entry) }
}

/** Where in the tree an entry belongs: to its job, to the record that it is about, or to its namespace. */
function pathOf({ entry, jobName }: AgedEntry): string {
  const { version, namespace, attributes } = entry
  const path = jobName ?? (version === null ? null : attributes['path'])
  return typeof path === 'string' ? path : `/${namespace}`
}

/** `now`, when it can be looked at again, or null for never. */
function leavesAt({ entry, isOfJob }: AgedEntry, kept: Retention, now: number): number | null | 'now' {
  const { eventsMs, jobsMs } = kept
  if (eventsMs === null) return null
  const at = entry.receivedAt + eventsMs
  if (!isOfJob) return at <= now ? 'now' : at
  // A job is derived from its events: they leave after it.
  return jobsMs === null ? null : Math.max(at, entry.receivedAt + jobsMs, now + againMs)
}

/**
 * The file that holds these entries is on the disk: they leave the log, in one transaction with the record of the file. Whoever
 * repeats it finds it done; whoever comes second with the same entries in another file is refused, and nothing happens.
 */
export async function record(tx: Transaction, { stretch: pk, logIds, ...made }: NewSegment): Promise<Segment> {
  const known = await tx.segments.find(made.file)
  if (known !== null) return known
  const stretch = await tx.walks.get(ground.kind, pk)
  const removed = stretch === null ? [] : await tx.segments.removeEntries(stretch, logIds)
  if (stretch === null || removed.length !== logIds.length) throw moved(made.file)
  const [ids, times] = [removed.map(({ logId }) => logId), removed.map(({ receivedAt }) => receivedAt)]
  const segment: Segment = {
    ...made,
    count: removed.length,
    firstId: Math.min(...ids),
    lastId: Math.max(...ids),
    firstAt: Math.min(...times),
    lastAt: Math.max(...times),
    archivedAt: tx.now,
  }
  await tx.segments.add(segment)
  // What is left of it is looked at at once.
  await tx.walks.setDue(pk, tx.now)
  return segment
}

function moved(file: string): StintError {
  const message = `The entries of ${file} are not all in the log any more: somebody else has archived them.`
  return new StintError('conflict', message, { file })
}
