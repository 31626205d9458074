import { z } from 'zod'
import { durationMs, jobId, json, path, waitMax } from './common.ts'
import { job } from './jobs.ts'

const workerId = z.uuid().meta({ description: 'New for each life of a worker.' })

const token = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: 'What the claim gave. Only its holder may end the attempt.' })

const leaseMs = z
  .int()
  .min(100)
  .max(86_400_000)
  .optional()
  .meta({ description: 'How long the worker counts as alive without a sign of life. Default 30,000.' })

export const claim = z.strictObject({
  workerId: workerId.optional(),
  name: z.string().min(1).max(255).optional().meta({ description: 'A label for people.' }),
  types: z.array(z.string().min(1).max(128)).min(1).max(1_000),
  limit: z.int().min(1).max(500).optional().meta({ description: 'How many jobs at the most. Default 1.' }),
  leaseMs,
  waitMs: z.int().min(0).max(waitMax).optional().meta({ description: 'How long to wait for work. Default 0.' }),
  paths: z.array(path).min(1).max(100).optional().meta({ description: 'Only jobs at or below these names.' }),
  token: z.uuid().optional().meta({
    description: 'New for each claim. The same once more gives what was taken, for when the answer was lost.',
  }),
})

export const claimed = z.object({
  workerId: z.string(),
  leaseMs: z.int(),
  leaseUntil: z.iso.datetime(),
  jobs: z.array(
    z.object({
      job,
      runId: z.string(),
      token: z.string(),
      attempt: z.int(),
      checkpoint: json,
      timeoutMs: z.int().nullable(),
      upstream: z.array(z.looseObject({})),
      traceparent: z.string().nullable(),
    }),
  ),
})

/** What names an attempt. */
export const attempt = z.strictObject({ jobId, token })

export const renewal = z.strictObject({
  workerId,
  leaseMs,
  attempts: z.array(attempt).max(10_000).optional().meta({ description: 'What the worker believes that it holds.' }),
})

export const renewed = z.object({
  alive: z.boolean().meta({ description: 'False: the worker was found lost. It goes on under a new id.' }),
  cancel: z.array(attempt).meta({ description: 'Attempts whose end was asked for.' }),
  lost: z.array(attempt).meta({ description: 'Those of `attempts` that the worker does not hold.' }),
})

const facts = {
  exitCode: z.int().min(-2_147_483_648).max(2_147_483_647).optional(),
  artifacts: z.array(z.string().min(1).max(1_000)).max(1_000).optional(),
  logPath: z.string().min(1).max(4_096).optional().meta({ description: 'Where the log is, if not in Stint.' }),
}

export const completion = attempt.extend({ result: json.optional(), ...facts })

export const failure = attempt.extend({
  error: z.string().meta({ description: 'Cut after 65,536 characters.' }),
  terminal: z.boolean().optional().meta({ description: 'Trying again is of no use. Default false.' }),
  ...facts,
})

export const progress = attempt.extend({
  done: z.number().optional(),
  total: z.number().nullable().optional(),
  checkpoint: json.optional(),
})

export const logLines = attempt.extend({
  from: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({ description: 'The number of the first line, counted from 1 in each attempt. A number is kept once.' }),
  lines: z
    .array(z.union([z.string(), z.strictObject({ at: z.iso.datetime({ offset: true }), line: z.string() })]))
    .min(1)
    .max(1_000),
})

export const snooze = attempt.extend({ delayMs: durationMs })

export const retirement = z.strictObject({ workerId })
