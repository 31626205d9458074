import { z } from 'zod'
import { StintError } from '../../core/errors.ts'
import { defineJob } from '../../engine/define-job.ts'
import type { AnyJob, JobContext } from '../../engine/handler.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { JobsQuery } from '../../engine/jobs-api.ts'
import type { Stint } from '../../engine/stint.ts'
import { isSystemPath } from '../../store/system-path.ts'
import { type GuestRules, guestStore } from '../access/guest-store.ts'
import { problemOf } from '../problem.ts'

/** What can be done to many jobs. */
export const operationActions = ['cancel', 'retry'] as const

/** Which jobs: the same as lists have. */
export const operationFilter = z.strictObject({
  branch: z.string().optional(),
  type: z.string().optional(),
  status: z.enum(['QUEUED', 'RUNNING', 'CANCELLED', 'FINISHED']).optional(),
  outcome: z.enum(['COMPLETED', 'FAILED', 'SKIPPED']).optional(),
  key: z.string().optional(),
  label: z.strictObject({ name: z.string(), value: z.string() }).optional(),
  text: z.string().min(1).max(500).optional(),
  error: z.string().min(1).max(500).optional(),
  params: z.record(z.string(), z.string()).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
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
export function operationJob(stint: Stint, rules: GuestRules): AnyJob {
  return defineJob(operationType, { params: operationParams, run: (ctx) => run(stint, rules, ctx) })
}

async function run(stint: Stint, rules: GuestRules, ctx: JobContext<OperationParams>): Promise<Counts> {
  const { action, reason, scope, actor } = ctx.params
  // It may do what whoever asked for it may do one by one, and no more.
  const own = stint.within({ path: scope, actor, through: (store) => guestStore(store, rules) })
  const doOne = action === 'cancel' ? cancelling(own, reason) : retrying(own)
  const query = queryOf(ctx.params)
  try {
    let { cursor, counts } = (ctx.lastCheckpoint as Saved | null) ?? { cursor: null, counts: none }
    for (let isMore = true; isMore; isMore = cursor !== null) {
      ctx.signal.throwIfAborted()
      const page = await own.jobs.list({ ...query, cursor, limit: pageSize })
      const meant = page.items.filter((job) => job.id !== ctx.id && isMeant(job, ctx.params))
      counts = await doPage(meant, doOne, counts)
      cursor = page.cursor
      ctx.progress(counts.done + counts.refused)
      await ctx.checkpoint({ cursor, counts } satisfies Saved)
    }
    return counts
  } finally {
    await own.close()
  }
}

/** As the library lists them. Without a word on how jobs are or ended, those that failed are run again. */
function queryOf({ action, filter }: OperationParams): JobsQuery {
  const { status, since, ...rest } = filter
  const isOfAny = status === undefined && filter.outcome === undefined
  return {
    ...rest,
    ...(action === 'retry' && isOfAny ? { outcome: 'FAILED' } : {}),
    ...(status === undefined ? {} : { status: status === 'FINISHED' ? null : status }),
    ...(since === undefined ? {} : { since: new Date(since) }),
  } as JobsQuery
}

/** What is over need not be cancelled. What Stint does for itself, operations too, is meant only by those who name it. */
function isMeant({ name, state }: JobView, { action, filter }: OperationParams): boolean {
  if (isSystemPath(name) && !isSystemPath(filter.branch)) return false
  return action !== 'cancel' || state !== 'final'
}

const none: Counts = { done: 0, refused: 0, firstRefusal: null }

type DoOne = (job: JobView) => Promise<unknown>

function cancelling(stint: Stint, reason: string | undefined): DoOne {
  const options = { branch: false, ...(reason === undefined ? {} : { reason }) }
  return (job) => stint.jobs.cancel(job.id, options)
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
