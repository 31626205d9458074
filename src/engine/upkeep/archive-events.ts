import { StintError } from '../../core/errors.ts'
import type { Collected } from '../../store/controls.ts'
import type { Env } from '../env.ts'
import { removeSegmentFile, writeSegmentFile } from '../segment-file.ts'
import { shownEntry } from '../shown-entry.ts'

const pageSize = 5_000
/** How much is done at a time: what is left is for the next turn. */
const pageMax = 10
const soonMs = 1_000

/**
 * Moves entries that are older than they are kept from the log to files: first the file, then the log. A crash between the two
 * leaves the entries in the log, and a file that the next try writes again.
 */
export async function archiveEvents(env: Env): Promise<number | null> {
  const { store, archiveDirectory } = env
  if (archiveDirectory === null) return null
  for (let page = 0; page < pageMax; page++) {
    const collected = await store.control('archive.collect', { limit: pageSize })
    if (collected === null) return null
    if (collected.entries.length > 0) await archive(env, archiveDirectory, collected)
  }
  return soonMs
}

async function archive(env: Env, directory: string, { stretch, entries }: Collected): Promise<void> {
  const { store, metrics, newId } = env
  const made = await writeSegmentFile(directory, entries.map(shownEntry), newId())
  const logIds = entries.map(({ logId }) => logId)
  try {
    const { count } = await store.control('archive.record', { ...made, stretch, logIds })
    metrics.add('stint_events_archived', {}, count)
  } catch (error) {
    if (!isMoved(error, made.file)) throw error
    const known = await store.control('archive.get', { file: made.file })
    if (known === null) await removeSegmentFile(directory, made.file)
  }
}

/**
 * Somebody else has archived the entries. After any other error nobody knows whether this file is the only place where they
 * are, or will be in a moment.
 */
function isMoved(error: unknown, file: string): boolean {
  return error instanceof StintError && error.code === 'conflict' && error.details['file'] === file
}
