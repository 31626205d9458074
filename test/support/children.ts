import type { ApplyRequest, Store, StoredJob, Submission } from '../../src/store/store.ts'
import { accepted, submission } from './fixture.ts'
import { times } from './racing.ts'
import { claimOne } from './requests.ts'

/** A job of the type `parent` whose first attempt runs. Its next attempt is due at once. */
export async function runningParent(store: Store, fields: Partial<Submission> = {}): Promise<StoredJob> {
  const given = submission({ type: 'parent', scheduledFor: 0, retry: { baseMs: 0 }, ...fields })
  accepted((await store.submit([given]))[0])
  return await claimOne(store, { types: ['parent'], workerId: 'wp', token: `of-${given.id}` })
}

export function parentOf({ job }: StoredJob): { readonly jobId: string; readonly token: string } {
  return { jobId: job.id, token: job.token ?? '' }
}

/** Jobs that the open attempt of a job submits. */
export async function submitChildren(
  store: Store,
  parent: StoredJob,
  count: number,
  fields: Partial<Submission> = {},
): Promise<readonly StoredJob[]> {
  const given = times(count, () => submission({ scheduledFor: 0, parent: parentOf(parent), ...fields }))
  return (await store.submit(given)).map(accepted)
}

export async function followUpAll(store: Store, limit = 100): Promise<number> {
  for (let pages = 0; ; pages++) if (!(await store.followUp({ limit }))) return pages
}

export function cancel(job: StoredJob | string, reason = 'test'): ApplyRequest {
  return { job, command: { type: 'cancel', reason } }
}

export async function reread(store: Store, jobs: readonly StoredJob[]): Promise<readonly StoredJob[]> {
  const found = await store.find(jobs.map(({ job }) => ({ id: job.id })))
  return found.map((stored) => {
    if (stored === null) throw new Error('A job is gone.')
    return stored
  })
}
