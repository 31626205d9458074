import type { Ending } from '../../src/core/job/commands.ts'
import { digestOf } from '../../src/store/digest.ts'
import type { ApplyRequest, ClaimRequest, Store, StoredJob } from '../../src/store/store.ts'

/** Short ways to say what tests ask of a store again and again. */

export function claimOf(fields: Partial<ClaimRequest> = {}): ClaimRequest {
  return { workerId: 'w1', token: 't1', types: ['work'], limit: 10, ...fields }
}

export async function claimOne(store: Store, fields: Partial<ClaimRequest> = {}): Promise<StoredJob> {
  const [claimed] = await store.claim(claimOf({ limit: 1, ...fields }))
  if (claimed === undefined) throw new Error('Nothing was claimed.')
  return claimed
}

export function completion(job: StoredJob, result: string | null = null, token = job.job.token ?? ''): ApplyRequest {
  return finish(job, { kind: 'completed', resultDigest: digestOf(result) }, token, result)
}

/** `random` zero: the next attempt is due at once. */
export function failure(
  job: StoredJob,
  error = 'boom',
  fields: { terminal?: boolean; random?: number } = {},
): ApplyRequest {
  const { terminal = false, random = 0 } = fields
  return finish(job, { kind: 'failed', error, terminal, random })
}

export function finish(
  job: StoredJob,
  ending: Ending,
  token: string = job.job.token ?? '',
  result: string | null = null,
): ApplyRequest {
  return { job, command: { type: 'finish', token, ending }, result }
}

/** The code of the error that a call rejects with; null when it does not. */
export async function codeOf(call: Promise<unknown>): Promise<string | null> {
  return await call.then(
    () => null,
    (error: { readonly code?: string }) => error.code ?? String(error),
  )
}
