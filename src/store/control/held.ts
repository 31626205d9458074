import { StintError } from '../../core/errors.ts'
import { checkText, checkUuid } from '../check-input.ts'
import type { StoredJob } from '../store.ts'
import type { Transaction } from '../transaction.ts'

/** The job that an attempt still holds, locked. What an attempt that has lost it would write is refused. */
export async function requireHeld(tx: Transaction, job: unknown, token: unknown): Promise<StoredJob> {
  const uuid = checkUuid(job, 'job')
  await tx.lock([uuid])
  const [stored] = await tx.load([uuid])
  if (stored === undefined) throw new StintError('not_found', `There is no job with the id ${uuid}.`, { jobId: uuid })
  if (stored.job.phase === 'running' && stored.job.token === checkText(token, 'token', 128)) return stored
  throw new StintError('stale_token', `The attempt lost job ${uuid}: nothing was written.`, { jobId: uuid })
}
