import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import { durationMs, json, labels, limitOption, retryPolicy } from './common.ts'

/** What templates, schedules and paths say about jobs that do not say it themselves. */

/** Params that others are merged over are an object. */
export const jsonObject = z.record(z.string(), json) as unknown as z.ZodType<JsonObject>

const shared = {
  expiresInMs: durationMs
    .optional()
    .meta({ description: 'How long after its time a job may start; then it is skipped.' }),
  deadlineInMs: durationMs
    .optional()
    .meta({ description: 'How long after its time a job must have ended; then it has failed.' }),
  timeoutMs: z.int().min(1).nullable().optional().meta({ description: 'How long one attempt may take.' }),
  priority: z.int().optional().meta({ description: 'Higher sooner.' }),
  labels: labels.optional(),
}

/** As it is given. */
export const settingsFields = {
  ...shared,
  retry: retryPolicy.optional(),
  limits: z.array(limitOption).max(16).optional(),
}

export const shownRate = z
  .object({ count: z.int(), perMs: z.int() })
  .meta({ id: 'Rate', description: 'So many starts within any time of this length.' })

/** As it is shown: only what is said. */
export const shownSettingsFields = {
  ...shared,
  retry: z
    .object({
      maxAttempts: z.int(),
      baseMs: z.int(),
      factor: z.number(),
      capMs: z.int(),
      maxSnoozes: z.int(),
    })
    .partial()
    .optional(),
  limits: z
    .array(
      z.object({
        key: z.string(),
        concurrency: z.int().nullable().optional(),
        rate: shownRate.nullable().optional(),
      }),
    )
    .optional(),
}

/** The same with params. */
export const shownTextureFields = { ...shownSettingsFields, params: jsonObject.optional() }
