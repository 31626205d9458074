import type { Context } from '../core/job/commands.ts'
import { checkPaths } from './check-gates.ts'
import {
  checkArray,
  checkContext,
  checkInstant,
  checkInteger,
  checkObject,
  checkOptionalText,
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
  /** None lies below another. Null: any. */
  readonly paths: readonly string[] | null
  readonly fairness: { readonly after: string | null } | null
  readonly context: Context
  /** Undefined: the database's time. */
  readonly now: number | undefined
}

/** Whether a claim is more than the first jobs of its types: it is bound to branches, or takes turns between namespaces. */
export function takesTurns({ paths, fairness }: Pick<CheckedClaim, 'paths' | 'fairness'>): boolean {
  return paths !== null || fairness !== null
}

export function checkClaim(request: ClaimRequest): CheckedClaim {
  checkObject(request, 'a claim')
  return {
    workerId: checkPlainId(request.workerId, 'workerId'),
    token: checkPlainId(request.token, 'token'),
    types: [...new Set(checkArray(request.types, 'types', typeMax).map((type) => checkType(type)))],
    limit: checkInteger(request.limit, 'limit', 0, claimMax),
    suspectLimit: checkInteger(request.suspectLimit ?? 1, 'suspectLimit', 0, claimMax),
    paths: checkPaths(request.paths),
    fairness: checkFairness(request.fairness),
    context: checkContext(request.context),
    now: request.now === undefined ? undefined : checkInstant(request.now, 'now'),
  }
}

function checkFairness(given: ClaimRequest['fairness']): CheckedClaim['fairness'] {
  if (given === undefined || given === null) return null
  const { after }: { after?: unknown } = checkObject(given, 'fairness')
  return { after: checkOptionalText(after, 'fairness.after', 1_000) }
}
