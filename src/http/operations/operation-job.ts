import { z } from 'zod'
import { StintError } from '../../core/errors.ts'
import { defineJob } from '../../engine/define-job.ts'
import type { AnyJob, JobContext } from '../../engine/handler.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { JobsQuery } from '../../engine/jobs-api.ts'
import type { Stint } from '../../engine/stint.ts'
import { problemOf } from '../problem.ts'

/** What can be done to many jobs. */
export const operationActions = ['cancel', 'retry'] as const

/** Which jobs. */
export const operationFilter = z.strictObject({
  branch: z.string().optional(),
  type: z.string().optional(),
  status: z.enum(['QUEUED', 'RUNNING', 'CANCELLED', 'FINISHED']).optional(),
  outcome: z.enum(['COMPLETED', 'FAILED', 'SKIPPED']).optional(),
  key: z.string().optional(),
  label: z.strictObject({ name: z.string(), value: z.string() }).optional(),
})

export const operationParams = z.strictObject({
  action: z.enum(operationActions),
  filter: operationFilter,
  reason: z.string().min(1).max(1_000).optional(),
  /** The branch that whoever asked for it reaches; null for everything. */
  scope: z.string().nullable(),
  actor: z.string(),
})

export type OperationParams = z.output<typeof operationParams>

/** How far it is; its result in the end. */
export const operationCounts = z.object({
  done: z.int(),
  refused: z.int().meta({ description: 'Jobs to which it could not be done, because of their state for example.' }),
  firstRefusal: z.string().nullable(),
})

type Counts = z.output<typeof operationCounts>

interface Saved {
  readonly cursor: string | null
  readonly counts: Counts
}

export const operationType = 'stint.operation'

const pageSize = 200

/** Does something to all jobs that match, page by page; it goes on where it was if its server dies. */
export function operationJob(stint: Stint): AnyJob {
  return defineJob(operationType, { params: operationParams, run: (ctx) => run(stint, ctx) })
}

async function run(stint: Stint, ctx: JobContext<OperationParams>): Promise<Counts> {
  const { action, filter, reason, scope, actor } = ctx.params
  const own = stint.within({ path: scope, actor })
  const doOne = action === 'cancel' ? cancelling(own, reason) : retrying(own)
  const { status, ...rest } = { ...defaultStatus[action], ...filter }
  const query = { ...rest, ...(status === undefined ? {} : { status: status === 'FINISHED' ? null : status }) }
  try {
    let { cursor, counts } = (ctx.lastCheckpoint as Saved | null) ?? { cursor: null, counts: none }
    for (let isMore = true; isMore; isMore = cursor !== null) {
      ctx.signal.throwIfAborted()
      const page = await own.jobs.list({ ...query, cursor, limit: pageSize } as JobsQuery)
      counts = await doPage(page.items, doOne, counts)
      cursor = page.cursor
      ctx.progress(counts.done + counts.refused)
      await ctx.checkpoint({ cursor, counts } satisfies Saved)
    }
    return counts
  } finally {
    await own.close()
  }
}

const none: Counts = { done: 0, refused: 0, firstRefusal: null }

/** What it makes sense to look at, unless the filter says otherwise. */
const defaultStatus: {
  readonly [A in OperationParams['action']]: Pick<OperationParams['filter'], 'status' | 'outcome'>
} = {
  cancel: {},
  retry: { outcome: 'FAILED' },
}

type DoOne = (job: JobView) => Promise<unknown>

function cancelling(stint: Stint, reason: string | undefined): DoOne {
  return async (job) => {
    if (job.state === 'final') throw new StintError('illegal_transition', `Job ${job.name} is over.`)
    await stint.jobs.cancel(job.id, { branch: false, ...(reason === undefined ? {} : { reason }) })
  }
}

/** What was run again already has its name taken, by whoever runs now or has since succeeded. */
function retrying(stint: Stint): DoOne {
  return async (job) => {
    const newest = await stint.jobs.get(job.name)
    if (newest !== null && newest.id !== job.id) throw new StintError('name_taken', `Job ${job.name} was run again.`)
    await stint.jobs.retry(job.id)
  }
}

async function doPage(jobs: readonly JobView[], doOne: DoOne, before: Counts): Promise<Counts> {
  let { done, refused, firstRefusal } = before
  for (const job of jobs) {
    try {
      await doOne(job)
      done += 1
    } catch (error) {
      // What is no refusal concerns them all, and the attempt is tried again from here.
      if (!(error instanceof StintError) || problemOf(error).status >= 500) throw error
      refused += 1
      firstRefusal ??= `${job.name}: ${error.message}`
    }
  }
  return { done, refused, firstRefusal }
}
