import { z } from 'zod'
import type { LogEntry } from '../../store/store.ts'
import { json, shownInstant } from './common.ts'

/** An entry of the log as the API shows it. */
export const event = z
  .object({
    logId: z.int(),
    eventId: z.string(),
    eventType: z.string(),
    occurredAt: shownInstant,
    receivedAt: shownInstant,
    namespace: z.string(),
    jobId: z.string().nullable().meta({ description: 'The UUID of its job.' }),
    taskId: z.string().nullable(),
    executionId: z.string().nullable(),
    traceId: z.string().nullable(),
    spanId: z.string().nullable(),
    version: z
      .int()
      .nullable()
      .meta({ description: 'The version that it gave its job; null for events from outside.' }),
    schemaVersion: z.int().nullable(),
    source: z.string().nullable().meta({ description: 'Where an event from outside came from.' }),
    actor: z.string().nullable(),
    cause: z.string().nullable(),
    attributes: z.record(z.string(), json),
  })
  .meta({ id: 'Event' })

export function shownEvent(entry: LogEntry) {
  return { ...entry, occurredAt: new Date(entry.occurredAt), receivedAt: new Date(entry.receivedAt) }
}
