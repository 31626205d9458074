import { StintError } from '../core/errors.ts'
import { step } from '../core/job/decide.ts'
import { changeOf } from './change.ts'
import { attempt } from './check-input.ts'
import { childrenOf } from './children.ts'
import { writeWithEffects } from './effects.ts'
import { type EventDraft, eventDraftOf } from './new-event.ts'
import type { AppendResult, NewEvent, StoredJob } from './store.ts'
import type { Change, Transaction } from './transaction.ts'

/** Records events from outside and lets those of live jobs count. */
export async function append(tx: Transaction, events: readonly NewEvent[]): Promise<readonly AppendResult[]> {
  const results: AppendResult[] = []
  const drafts: EventDraft[] = []
  const places: number[] = []
  for (const event of events) {
    const draft = attempt(() => eventDraftOf(event, tx.now))
    results.push(draft instanceof StintError ? { outcome: 'refused', error: draft } : { outcome: 'duplicate' })
    if (draft instanceof StintError) continue
    places.push(results.length - 1)
    drafts.push(draft)
  }
  const recorded = await recordDrafts(tx, drafts)
  for (const i of recorded) results[places[i] as number] = { outcome: 'recorded' }
  return results
}

async function recordDrafts(tx: Transaction, drafts: readonly EventDraft[]): Promise<Iterable<number>> {
  if (drafts.length === 0) return []
  const ids = [...new Set(drafts.flatMap(({ jobUuid }) => jobUuid ?? []))]
  // Locked first: a job that begins to wait at this moment either sees these events or is seen waiting.
  if (ids.length > 0) await tx.lock(ids)
  const recorded = await tx.record(drafts)
  const byJob = new Map<number, EventDraft[]>()
  for (const [i, job] of recorded) {
    if (job !== null) byJob.set(job, [...(byJob.get(job) ?? []), drafts[i] as EventDraft])
  }
  await ingest(tx, byJob)
  return recorded.keys()
}

/** Offers new events to the jobs that wait. Counting is idempotent, so a job that changed meanwhile is simply read again. */
async function ingest(tx: Transaction, byJob: ReadonlyMap<number, readonly EventDraft[]>): Promise<void> {
  let open = [...byJob.keys()]
  while (open.length > 0) {
    const waiting = (await tx.loadByKey(open)).filter(({ job }) => job.awaits !== null)
    const parents = await childrenOf(tx, waiting)
    const changes = waiting.flatMap((stored) => {
      const { pk } = stored.guard
      return counted(stored, byJob.get(pk) ?? [], parents.has(pk), tx.now) ?? []
    })
    const written = await writeWithEffects(tx, changes)
    open = changes.map(({ before }) => before.guard.pk).filter((pk) => !written.has(pk))
  }
}

function counted(stored: StoredJob, drafts: readonly EventDraft[], children: boolean, now: number): Change | null {
  const events = drafts.map(({ event }) => event)
  const last = drafts.at(-1)
  const cause = last === undefined ? null : `${last.source}#${last.id}`
  const made = step(stored.job, { type: 'ingest', events, children }, now, { cause })
  return made.job === stored.job ? null : changeOf(stored, made)
}
