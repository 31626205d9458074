import type { LogEntry } from '../store/store.ts'

/** An entry of the log as it is shown. The token of an attempt is the right to end it, so nobody is shown it. */
export function shownEntry(entry: LogEntry): LogEntry {
  if (entry.version === null || !('token' in entry.attributes)) return entry
  const { token: _, ...attributes } = entry.attributes
  return { ...entry, attributes }
}
