import type { Stint } from '../engine/stint.ts'
import type { About } from './about.ts'
import type { ArtifactSource } from './artifacts.ts'
import type { Operations } from './operations/operations.ts'
import type { Streams } from './stream/streams.ts'
import type { Throughput } from './throughput.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

/** What routes share beside Stint itself. */
export interface Services {
  /** Stint as the operator sees it: everything. Routes use that of the call; this is for what belongs to nobody. */
  readonly stint: Stint
  readonly operations: Operations
  readonly webhooks: Webhooks
  readonly throughput: Throughput
  readonly about: About
  /** The files of runs. */
  readonly artifacts: ArtifactSource
  /** Aborts when the server closes: whatever waits or streams ends then. */
  readonly closing: AbortSignal
  /** Throws when whoever sent a request may not do so any more. For what lasts longer than its beginning. */
  recheck(request: Request): Promise<void>
  readonly streams: Streams
  /** How often a stream on which nothing happens says that it is alive, in milliseconds. */
  readonly heartbeatMs: number
  /** How often a stream looks whether its client may still see it, in milliseconds. */
  readonly recheckMs: number
}
