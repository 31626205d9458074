import type { Context } from '../core/job/commands.ts'
import { checkInteger, checkPlainId } from './check-input.ts'
import type { ClaimRequest } from './store.ts'
import { checkType } from './submission.ts'

/** The most jobs that one claim can take. */
export const claimMax = 10_000

export interface CheckedClaim {
  readonly workerId: string
  readonly token: string
  readonly types: readonly string[]
  readonly limit: number
  readonly suspectLimit: number
  readonly context: Context
}

export function checkClaim(request: ClaimRequest): CheckedClaim {
  return {
    workerId: checkPlainId(request.workerId, 'workerId'),
    token: checkPlainId(request.token, 'token'),
    types: [...new Set(request.types.map(checkType))],
    limit: checkInteger(request.limit, 'limit', 0, claimMax),
    suspectLimit: checkInteger(request.suspectLimit ?? 1, 'suspectLimit', 0, claimMax),
    context: request.context ?? {},
  }
}
