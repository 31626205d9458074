import { recordCatalogue } from '../core/records/events.ts'
import type { RecordEntry, RecordEventRow } from './records.ts'

/** The row of a record's event in the log. What it is about stands in its attributes. */
export function recordEventRow({ record, version, event, at, context }: RecordEntry): RecordEventRow {
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = context
  return {
    job: record.pk,
    version,
    code: recordCatalogue[event.type],
    occurred_at: at,
    namespace: record.namespace,
    actor,
    cause,
    execution_id: executionId,
    trace_id: traceId,
    span_id: spanId,
    event_id: recordEventId(record.id, version),
    attributes: JSON.stringify({ id: record.id, ...event.data }),
  }
}

export function recordEventId(id: string, version: number): string {
  return `${id}.${version}`
}
