import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 10

/**
 * Tells when another connection has committed. SQLite sends no word of it, but counts: `data_version` of a connection
 * changes when others commit, and not when it does so itself. So the connection that writes is the one to ask.
 */
export function watchDatabase(db: DatabaseSync, onChange: () => void): () => void {
  const stop = new AbortController()
  void poll(db, onChange, stop.signal)
  return () => stop.abort()
}

async function poll(db: DatabaseSync, onChange: () => void, signal: AbortSignal): Promise<void> {
  const version = db.prepare('pragma data_version')
  let known = versionNow()
  while (!signal.aborted) {
    // Jitter, so that processes that began together do not ask together.
    await sleep(pollMs * (0.75 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return
    const found = versionNow()
    if (found !== known) onChange()
    known = found
  }

  /** A file that is locked, which is rare, was changed for all we know. */
  function versionNow(): unknown {
    try {
      return version.get()?.['data_version']
    } catch {
      return null
    }
  }
}
