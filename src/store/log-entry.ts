import type { Observed } from '../core/job/outside-event.ts'
import type { JsonObject } from '../core/json.ts'

/** One entry of the log, as readers see it. */
export interface LogEntry extends Observed {
  readonly logId: number
  readonly eventId: string
  readonly eventType: string
  readonly occurredAt: number
  readonly receivedAt: number
  readonly namespace: string
  readonly jobId: string | null
  readonly taskId: string | null
  /** The version that this event gave its job; null for events from outside. */
  readonly version: number | null
  /** The shape of the attributes of Stint's own events; null for events from outside. */
  readonly schemaVersion: number | null
  /** Where an event from outside came from; null for Stint's own. */
  readonly source: string | null
  readonly actor: string | null
  readonly cause: string | null
  readonly attributes: JsonObject
}
