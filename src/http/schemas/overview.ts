import { z } from 'zod'
import { shownInstant } from './common.ts'

const count = z
  .object({ count: z.int(), more: z.boolean().meta({ description: 'There are more, or some were not looked at.' }) })
  .meta({ id: 'CappedCount', description: 'A count up to 1,000.' })

/** One component of the tree of names. */
export const treeNode = z
  .object({
    path: z.string(),
    job: z.boolean().meta({ description: 'Whether there is a job of exactly this name.' }),
    branch: z.boolean().meta({ description: 'Whether something other than tasks is below it.' }),
    live: count.meta({ description: 'Jobs at and below it that are not over.' }),
    finished: count.meta({ description: 'Those that are over.' }),
  })
  .meta({ id: 'TreeNode' })

/** What was submitted and ended within ten seconds. */
export const throughputPoint = z
  .object({
    at: shownInstant.meta({ description: 'The beginning of the ten seconds.' }),
    submitted: z.int(),
    completed: z.int(),
    failed: z.int().meta({ description: 'For good.' }),
    cancelled: z.int().meta({ description: 'Or skipped.' }),
  })
  .meta({ id: 'ThroughputPoint' })

/** Jobs that failed for the same cause. */
const failureGroup = z
  .object({
    type: z.string(),
    fingerprint: z
      .string()
      .meta({ description: 'What their errors have in common: without numbers, ids and the like.' }),
    error: z.string().meta({ description: 'The error of the newest.' }),
    count: z.int(),
    firstAt: shownInstant,
    lastAt: shownInstant,
    jobs: z.array(z.object({ id: z.string(), name: z.string() })).meta({ description: 'The newest of them.' }),
  })
  .meta({ id: 'FailureGroup' })

export const failures = z
  .object({
    items: z.array(failureGroup),
    looked: z.int().meta({ description: 'How many jobs were looked at.' }),
    more: z.boolean().meta({ description: 'Whether there are older ones.' }),
  })
  .meta({ id: 'Failures' })

export const depth = z
  .object({
    namespace: z.string(),
    type: z.string(),
    ready: z.int().meta({ description: 'May start now.' }),
    delayed: z.int().meta({ description: 'Wait for their time.' }),
    gated: z.int().meta({ description: 'Wait at a limit or a pause.' }),
    running: z.int().meta({ description: 'Held by a worker.' }),
    oldestReadyAt: shownInstant.nullable().meta({ description: 'When the oldest that is ready was to start.' }),
  })
  .meta({ id: 'Depth' })

/** The server that answers. */
export const server = z
  .object({
    version: z.string(),
    node: z.string(),
    store: z.enum(['sqlite', 'postgres']),
    startedAt: shownInstant,
    now: shownInstant.meta({ description: 'The time of the database.' }),
    storeMs: z.number().meta({ description: 'How long the database took to tell it.' }),
    settings: z
      .object({
        requireKeys: z.boolean(),
        commands: z.boolean(),
        requestsPerSecond: z.number(),
        basePath: z.string(),
        allowedHosts: z.array(z.string()),
        allowedOrigins: z.array(z.string()),
      })
      .nullable(),
    process: z
      .object({
        residentBytes: z.int(),
        eventLoopDelayMs: z.number().meta({ description: 'How late it was at the most, lately.' }),
        answered: z.int().meta({ description: 'Requests.' }),
        refused: z.int().meta({ description: 'Those that were wrong.' }),
        failed: z.int().meta({ description: 'Those that went wrong here.' }),
        meanMs: z.number().nullable(),
      })
      .nullable(),
    counters: z
      .array(z.object({ name: z.string(), help: z.string(), value: z.number() }))
      .nullable()
      .meta({ description: 'What this process has counted since it started.' }),
  })
  .meta({ id: 'Server' })
