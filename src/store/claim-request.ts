import type { Context } from '../core/job/commands.ts'
import {
  checkArray,
  checkContext,
  checkInstant,
  checkInteger,
  checkObject,
  checkPlainId,
  checkType,
} from './check-input.ts'
import type { ClaimRequest } from './store.ts'

/** The most jobs that one claim can take. */
export const claimMax = 10_000

const typeMax = 10_000

export interface CheckedClaim {
  readonly workerId: string
  readonly token: string
  readonly types: readonly string[]
  readonly limit: number
  readonly suspectLimit: number
  readonly context: Context
  /** Undefined: the database's time. */
  readonly now: number | undefined
}

export function checkClaim(request: ClaimRequest): CheckedClaim {
  checkObject(request, 'a claim')
  return {
    workerId: checkPlainId(request.workerId, 'workerId'),
    token: checkPlainId(request.token, 'token'),
    types: [...new Set(checkArray(request.types, 'types', typeMax).map((type) => checkType(type)))],
    limit: checkInteger(request.limit, 'limit', 0, claimMax),
    suspectLimit: checkInteger(request.suspectLimit ?? 1, 'suspectLimit', 0, claimMax),
    context: checkContext(request.context),
    now: request.now === undefined ? undefined : checkInstant(request.now, 'now'),
  }
}
