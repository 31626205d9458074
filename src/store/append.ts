import { StintError } from '../core/errors.ts'
import { step } from '../core/job/decide.ts'
import { JobName } from '../core/names/job-name.ts'
import { changeOf } from './change.ts'
import { type EventDraft, eventDraftOf } from './new-event.ts'
import type { AppendResult, NewEvent, StoredJob } from './store.ts'
import type { Change, Transaction } from './transaction.ts'
import { writeAndWake } from './write.ts'

/** Records events from outside and lets those of live jobs count. */
export async function append(tx: Transaction, events: readonly NewEvent[]): Promise<readonly AppendResult[]> {
  const results: AppendResult[] = []
  const drafts: EventDraft[] = []
  const places: number[] = []
  for (const event of events) {
    const draft = draftOrError(event, tx.now)
    results.push(draft instanceof StintError ? { outcome: 'refused', error: draft } : { outcome: 'duplicate' })
    if (draft instanceof StintError) continue
    places.push(results.length - 1)
    drafts.push(draft)
  }
  const recorded = await recordDrafts(tx, drafts)
  for (const i of recorded) results[places[i] as number] = { outcome: 'recorded' }
  return results
}

async function recordDrafts(tx: Transaction, drafts: readonly EventDraft[]): Promise<ReadonlySet<number>> {
  if (drafts.length === 0) return new Set()
  const ids = [...new Set(drafts.flatMap(({ jobUuid }) => jobUuid ?? []))]
  // Locked first: a job that begins to wait at this moment either sees these events or is seen waiting.
  if (ids.length > 0) await tx.lock(ids)
  const recorded = await tx.record(drafts)
  await ingest(
    tx,
    drafts.filter((_, i) => recorded.has(i)),
  )
  return recorded
}

/** Offers new events to the jobs that wait. Counting is idempotent, so a job that changed meanwhile is simply read again. */
async function ingest(tx: Transaction, drafts: readonly EventDraft[]): Promise<void> {
  const byJob = Map.groupBy(drafts, ({ jobUuid }) => jobUuid)
  let open = [...byJob.keys()].filter((id) => id !== null)
  while (open.length > 0) {
    const waiting = (await tx.load(open)).filter(({ job }) => job.awaits !== null)
    const changes = waiting.flatMap((stored) => counted(stored, byJob.get(stored.job.id) ?? [], tx.now) ?? [])
    const written = await writeAndWake(tx, changes)
    open = changes.filter(({ before }) => !written.has(before.guard.pk)).map(({ before }) => before.job.id)
  }
}

function counted(stored: StoredJob, drafts: readonly EventDraft[], now: number): Change | null {
  const { namespace } = JobName.parse(stored.job.name)
  // A sender of another namespace cannot move this job: its events are kept and count for nothing.
  const events = drafts.filter((draft) => draft.namespace === namespace).map(({ event }) => event)
  const last = drafts.at(-1)
  const cause = last === undefined ? null : `${last.source}#${last.id}`
  const made = step(stored.job, { type: 'ingest', events }, now, { cause })
  return made.job === stored.job ? null : changeOf(stored, made)
}

function draftOrError(event: NewEvent, now: number): EventDraft | StintError {
  try {
    return eventDraftOf(event, now)
  } catch (error) {
    if (error instanceof StintError) return error
    throw error
  }
}
