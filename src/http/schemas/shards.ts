import { z } from 'zod'
import { shardMax } from '../../core/shard/sharded.ts'
import { json } from './common.ts'

const taskStatus = z.enum(['RUNNING', 'DONE', 'ERROR', 'ABORTED'])

const progress = z.tuple([z.number(), z.number()]).meta({ description: 'So much is done, of so much.' })

/** A sharded job as a whole. */
export const shardedJob = z
  .object({
    total: z.int(),
    active: z.int().meta({ description: 'Tasks that are open.' }),
    done: z.int(),
    failed: z.int(),
    status: taskStatus,
    progress,
    fraction: z.number().meta({ description: 'How much of the whole is done, from 0 to 1.' }),
    ratePerSecond: z.number().nullable(),
    timeLeftMs: z.number().nullable(),
  })
  .meta({ id: 'ShardedJob' })

export const shardTask = z
  .object({
    id: z.string(),
    name: z.string(),
    index: z.int(),
    status: taskStatus,
    slice: z.int().meta({ description: 'How many slices were saved.' }),
    state: json,
    retries: z.int(),
    sliceFailures: z.int(),
    progress: progress.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'ShardTask' })

/** Which tasks run again. */
export const retriedShards = z.strictObject({
  indexes: z
    .array(
      z
        .int()
        .min(0)
        .max(shardMax - 1),
    )
    .max(shardMax)
    .optional()
    .meta({
      description: 'Tasks that run again although they are done, by index. Those that are not done run in any case.',
      examples: [[3, 17]],
    }),
})

/** Jobs and slots below a name, and what goes from one to the other. */
export const graph = z
  .object({
    jobs: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        type: z.string(),
        status: z.enum(['QUEUED', 'RUNNING', 'CANCELLED']).nullable(),
        outcome: z.enum(['COMPLETED', 'FAILED', 'SKIPPED']).nullable(),
      }),
    ),
    slots: z.array(
      z.object({
        id: z.string(),
        path: z.string(),
        label: z.string().nullable(),
        status: z.enum(['OPEN', 'FILLED', 'FAILED']),
      }),
    ),
    edges: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        at: z.string().nullable().meta({
          description: 'Where in the params, as a JSON pointer; null when it is only waited for.',
        }),
      }),
    ),
  })
  .meta({ id: 'Graph' })
