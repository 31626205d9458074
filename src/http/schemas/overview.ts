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
