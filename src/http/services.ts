import type { Stint } from '../engine/stint.ts'
import type { Operations } from './operations/operations.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

/** What routes share beside Stint itself. */
export interface Services {
  /** Stint as the operator sees it: everything. Routes use that of the call; this is for what belongs to nobody. */
  readonly stint: Stint
  /** Whether jobs that run any program may be submitted. */
  readonly commands: boolean
  readonly operations: Operations
  readonly webhooks: Webhooks
  /** Aborts when the server closes: whatever waits or streams ends then. */
  readonly closing: AbortSignal
}
