import { StintError } from '../../core/errors.ts'
import { checkText, checkUuid } from '../check-input.ts'
import { missingJob } from '../missing.ts'
import type { StoredJob } from '../store.ts'
import type { LockOptions, Transaction } from '../transaction.ts'

/** What belongs to an attempt is written by the one that holds the job, and by no other. */
export async function requireHeld(
  tx: Transaction,
  { job: id, token }: { readonly job: string; readonly token: string },
  options: LockOptions = {},
): Promise<StoredJob> {
  const uuid = checkUuid(id, 'job')
  await tx.lock([uuid], options)
  const [stored] = await tx.load([uuid])
  if (stored === undefined) throw missingJob(uuid)
  const { phase, token: held } = stored.job
  if (phase === 'running' && held === checkText(token, 'token', 128)) return stored
  throw new StintError('stale_token', `The attempt has lost job ${uuid}: nothing was written.`, { jobId: uuid })
}
