import { z } from 'zod'
import type { LogEntry } from '../../store/store.ts'
import { cloudEvent } from '../cloud-event.ts'
import { instant, json, shownInstant } from './common.ts'
import { problem } from './problem.ts'

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

/** An event from outside, in Stint's own form. */
export const newEvent = z.strictObject({
  type: z.string().min(1),
  id: z.string().min(1).optional().meta({ description: 'Unique for its source: a second delivery changes nothing.' }),
  source: z.string().min(1).optional().meta({ description: 'Default `stint`.' }),
  job: z.string().min(1).max(1_200).optional().meta({ description: 'Only events of a job count for what it awaits.' }),
  taskId: z.string().min(1).optional(),
  occurredAt: instant.optional(),
  attributes: z.record(z.string(), json).optional(),
  namespace: z.string().min(1).optional(),
})

/** How many events one request may bring. */
export const eventMax = 10_000

const inline = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })

const oneEvent = { anyOf: [inline(newEvent), inline(cloudEvent)] }

/** Each is checked alone, so this says only what may come. */
export const newEvents = z.unknown().meta({ anyOf: [oneEvent, { type: 'array', items: oneEvent, maxItems: eventMax }] })

export const appended = z.union([z.object({ outcome: z.enum(['recorded', 'duplicate']) }), z.object({ problem })])
