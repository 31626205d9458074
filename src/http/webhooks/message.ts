import { JobName } from '../../core/names/job-name.ts'
import { shownEntry } from '../../engine/shown-entry.ts'
import type { Stint } from '../../engine/stint.ts'
import type { ActiveWebhook } from '../../store/controls.ts'
import { derivedUuid } from '../../store/derived-uuid.ts'
import type { LogEntry } from '../../store/store.ts'

/** A job as messages tell of it. It may have been pruned since. */
export interface ToldJob {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly attempt: number | null
  /** JSON text. */
  readonly result: string | null
}

/** What a receiver gets. It is made once and kept as it is: what was signed is what is sent, each time. */
export interface Message {
  readonly webhook: string
  /** The same however often it is sent. */
  readonly message: string
  readonly type: string
  readonly body: string
}

/** A part that is longer is left out: whoever wants it asks for it. */
const partMax = 64 * 1_024

/** The same event for the same webhook is the same message, whoever makes it. */
export function messageIdOf(webhook: string, { namespace, source, eventId }: LogEntry): string {
  return derivedUuid(`webhook ${webhook} ${JSON.stringify([namespace, source, eventId])}`)
}

/** Of each job what a message tells, by UUID. */
export async function toldJobs(stint: Stint, entries: readonly LogEntry[]): Promise<ReadonlyMap<string, ToldJob>> {
  const { store } = stint
  const refs = [...new Set(entries.flatMap(({ jobId }) => jobId ?? []))].map((id) => ({ id }))
  const found = refs.length === 0 ? [] : await store.find(refs)
  const told = found.flatMap((stored): ToldJob[] => (stored === null ? [] : [{ ...stored.job, result: stored.result }]))
  const gone = refs.filter((_, i) => found[i] === null)
  for (const past of gone.length === 0 ? [] : await store.past(gone)) {
    if (past !== null) told.push({ id: past.id, name: past.name, type: past.type, attempt: null, result: null })
  }
  return new Map(told.map((job) => [job.id, job]))
}

/** Whether an event is one of a branch. One of no job belongs to the record at its path, or else to its whole namespace. */
export function isWithin(scope: ActiveWebhook['scope'], entry: LogEntry, job: ToldJob | undefined): boolean {
  if (scope === null) return true
  const path = JobName.parse(scope)
  if (entry.namespace !== path.namespace) return false
  const place = job?.name ?? entry.attributes['path']
  return path.isRoot || (typeof place === 'string' && (place === scope || place.startsWith(`${scope}/`)))
}

/** The body, in the shape of Standard Webhooks. It is made of what cannot change any more. */
export function bodyOf(stint: Stint, given: LogEntry, job: ToldJob | undefined): string {
  const entry = shownEntry(given)
  const omitted: string[] = []
  const kept = (part: string, text: string | null): unknown => {
    if (text === null || text.length <= partMax) return text === null ? null : JSON.parse(text)
    omitted.push(part)
    return null
  }
  const end = endOf(entry, job)
  const id = job === undefined ? null : stint.idOf(job)
  const shown = job === undefined ? null : { id, name: job.name, type: job.type }
  const result = end?.outcome === 'COMPLETED' ? kept('job.result', job?.result ?? null) : null
  const { eventId, source, namespace, actor, attributes } = entry
  return JSON.stringify({
    type: entry.eventType,
    timestamp: new Date(entry.occurredAt).toISOString(),
    data: {
      runId: end === null ? null : `${id}-run-${end.attempt}`,
      job: end === null ? shown : { ...shown, ...end, result },
      event: {
        id: eventId,
        source,
        namespace,
        actor,
        attributes: kept('event.attributes', JSON.stringify(attributes)),
      },
      omitted,
    },
  })
}

/** How the attempt ended that an event is about; null for other events. */
function endOf({ eventType, attributes, version }: LogEntry, job: ToldJob | undefined) {
  const outcome = version === null || job === undefined ? undefined : outcomes.get(eventType)
  if (outcome === undefined) return null
  const { attempt = job?.attempt ?? 0, error = null, retryAt = null, waits = false } = attributes
  return { outcome, attempt, error, isFinal: retryAt === null && waits !== true }
}

const outcomes: ReadonlyMap<string, string> = new Map([
  ['job.run.completed', 'COMPLETED'],
  ['job.run.failed', 'FAILED'],
  ['job.run.skipped', 'SKIPPED'],
])
