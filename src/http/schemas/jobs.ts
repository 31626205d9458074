import { z } from 'zod'
import { attempt } from '../../store/check-input.ts'
import { checked } from '../check.ts'
import { instant, jobId, json, labels, limitOption, path, retryPolicy, shownInstant } from './common.ts'
import { problem } from './problem.ts'

/** A job as the API shows it. */
export const job = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    key: z.string().nullable(),
    labels,
    templateId: z.string().nullable(),
    scheduleId: z.string().nullable(),
    groupId: z.string().nullable(),
    retryOf: z.string().nullable(),
    submittedBy: z.string().nullable(),
    params: json,
    priority: z.int(),
    position: z.number(),
    state: z.enum(['initial', 'running', 'error', 'final']),
    status: z.enum(['QUEUED', 'RUNNING', 'CANCELLED']).nullable(),
    reason: z.string().nullable().meta({ description: 'Why it is not running yet.' }),
    attempt: z.int(),
    charged: z.int(),
    error: z.string().nullable(),
    result: json,
    outcome: z.enum(['COMPLETED', 'FAILED', 'SKIPPED']).nullable(),
    scheduledFor: shownInstant,
    expiresAt: shownInstant.nullable(),
    createdAt: shownInstant,
    queuedAt: shownInstant.nullable(),
    startedAt: shownInstant.nullable(),
    finishedAt: shownInstant.nullable(),
    updatedAt: shownInstant,
  })
  .meta({ id: 'Job' })

export const following = z.union([
  z.string().min(1),
  z.strictObject({ type: z.string().min(1), name: path.optional(), params: z.record(z.string(), json).optional() }),
])

export const awaits = z.strictObject({
  events: z.array(
    z.strictObject({
      eventType: z.string().min(1),
      match: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
      times: z.int().min(1).optional(),
      taskId: z.string().nullable().optional(),
    }),
  ),
  failOn: z.array(z.string().min(1)).optional(),
})

/** A job to submit. */
export const newJob = z
  .strictObject({
    type: z.string().min(1).max(128).optional().meta({ description: 'May be absent with a template, which says it.' }),
    name: path.optional().meta({ description: '`/reports/daily`. Made up if absent.' }),
    key: z.string().min(1).max(255).optional(),
    params: json.optional(),
    labels: labels.optional(),
    priority: z.int().optional(),
    scheduledFor: instant.optional(),
    expiresAt: instant.optional(),
    deadlineAt: instant.optional(),
    template: z.string().optional(),
    group: z.string().optional(),
    retry: retryPolicy.optional(),
    maxAttempts: z.int().min(1).optional(),
    timeoutMs: z.int().min(1).optional(),
    limits: z.array(limitOption).max(16).optional(),
    awaits: awaits.optional(),
    onFailure: following.optional(),
    onConflict: z.enum(['error', 'keep', 'skip', 'replace']).optional(),
    needs: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Values to come: where in the params, as a JSON pointer, and the id of the slot or job.' }),
    after: z.array(z.string()).max(1_000).optional().meta({ description: 'Ids of slots and jobs to wait for.' }),
    onUpstreamFailure: z.enum(['skip', 'run']).optional(),
    traceparent: z.string().max(255).optional(),
    parent: z
      .strictObject({ jobId, token: z.string().min(1).max(128) })
      .optional()
      .meta({ description: 'The attempt that submits it: the job is below its job, and is cancelled with it.' }),
  })
  .meta({ id: 'NewJob' })

/** One of many: what is wrong with it is its own affair, so it comes as an error, and not as the end of them all. */
export function each<Schema extends z.ZodType>(schema: Schema) {
  return z
    .unknown()
    .transform((given) => attempt(() => checked(schema, given)))
    .meta({ $ref: `#/components/schemas/${schema.meta()?.id}` })
}

/** What became of jobs that were submitted together, in their order. */
export const submitResults = z
  .object({ results: z.array(z.union([z.object({ job }), z.object({ problem })])) })
  .meta({ id: 'SubmitResults' })

/** One attempt as the API shows it. */
export const run = z
  .object({
    id: z.string(),
    jobId: z.string(),
    templateId: z.string().nullable(),
    params: json,
    attempt: z.int(),
    status: z.enum(['COMPLETED', 'FAILED', 'SKIPPED']).nullable(),
    reason: z.string().nullable(),
    error: z.string().nullable(),
    workerId: z.string().nullable(),
    startedAt: shownInstant.nullable(),
    finishedAt: shownInstant.nullable(),
    durationMs: z.number().nullable(),
    exitCode: z.int().nullable(),
    artifacts: z.array(z.string()),
    logPath: z.string().nullable(),
  })
  .meta({ id: 'Run' })

export const logLine = z.object({ seq: z.int(), at: shownInstant, line: z.string() }).meta({ id: 'LogLine' })
