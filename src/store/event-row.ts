import { eventIdOf, eventSchema, type JobEvent } from '../core/job/events.ts'
import type { OutsideEvent } from '../core/job/outside-event.ts'
import type { JsonObject } from '../core/json.ts'
import { decodeEventData, typeOfCode } from './event-data.ts'
import { outsideKey } from './new-event.ts'
import type { LogEntry } from './store.ts'

/** One row of the log, with the id of its job. Stint's own events have a code and a version, others a type in words. */
export interface EventRow {
  readonly log_id: number
  readonly job: number | null
  readonly job_id: string | null
  readonly version: number | null
  readonly code: number | null
  readonly occurred_at: number
  readonly received_at: number
  readonly namespace: string
  readonly actor: string | null
  readonly cause: string | null
  readonly execution_id: string | null
  readonly trace_id: string | null
  readonly span_id: string | null
  readonly attributes: string
  readonly source: string | null
  readonly event_id: string | null
  readonly event_type: string | null
  readonly job_ref: string | null
  readonly task_ref: string | null
}

export function logEntry(row: EventRow): LogEntry {
  const own = row.code === null ? null : typeOfCode(row.code)
  return {
    logId: row.log_id,
    eventId: row.event_id ?? eventIdOf({ jobId: row.job_id ?? '', version: row.version ?? 0 }),
    eventType: own ?? row.event_type ?? '',
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    namespace: row.namespace,
    jobId: row.job_ref ?? row.job_id,
    taskId: row.task_ref,
    version: row.version,
    schemaVersion: own === null ? null : eventSchema,
    source: row.source,
    actor: row.actor,
    cause: row.cause,
    executionId: row.execution_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    attributes:
      own === null ? JSON.parse(row.attributes) : decodeEventData(own, row.attributes, row.occurred_at, row.job ?? 0),
  }
}

/** The event of the core that an entry of Stint's own holds. */
export function jobEvent(entry: LogEntry): JobEvent {
  const { jobId, version, actor, cause, executionId, traceId, spanId } = entry
  const origin = { actor, cause, executionId, traceId, spanId }
  return { type: entry.eventType, jobId, version, at: entry.occurredAt, data: entry.attributes, ...origin } as JobEvent
}

export function outsideEvent(entry: LogEntry): OutsideEvent {
  const { eventType, taskId, occurredAt, executionId, traceId, spanId } = entry
  const attributes: JsonObject = entry.attributes
  const key = outsideKey(entry.source ?? '', entry.eventId)
  return { key, type: eventType, taskId, at: occurredAt, attributes, executionId, traceId, spanId }
}
