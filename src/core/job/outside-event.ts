import type { JsonObject } from '../json.ts'

/** Kept with an event for people who look at it. No rule may ever read these: a law holds that. */
export interface Observed {
  readonly executionId: string | null
  readonly traceId: string | null
  readonly spanId: string | null
}

/** An event from outside. `key` is unique for (namespace, source, id): a second delivery has the same. */
export interface OutsideEvent extends Observed {
  readonly key: string
  readonly type: string
  readonly taskId: string | null
  /** When it happened, in epoch milliseconds, as its sender says. */
  readonly at: number
  readonly attributes: JsonObject
}
