import { z } from 'zod'
import { StintError, show } from '../../core/errors.ts'
import { unknownJob } from '../../engine/references.ts'
import type { Stint } from '../../engine/stint.ts'
import { artifactResponse } from '../artifacts.ts'
import { idOnce } from '../idempotency.ts'
import { type Route, route } from '../route.ts'
import { flag, instant, jobId, json, page, pageQuery, path, wholeNumber } from '../schemas/common.ts'
import { each, job, logLine, newJob, run, submitResults } from '../schemas/jobs.ts'
import { submitEach, submitOne } from '../submission.ts'
import { defined, jobParam, untilOver, waitMs } from './common.ts'

const tag = 'Jobs'

const filters = {
  type: z.string().optional(),
  status: z
    .enum(['QUEUED', 'RUNNING', 'CANCELLED', 'FINISHED'])
    .optional()
    .meta({ description: 'FINISHED: over, and not cancelled.' }),
  outcome: z.enum(['COMPLETED', 'FAILED', 'SKIPPED']).optional(),
  branch: path.optional().meta({ description: 'A name: the job itself and all below it.' }),
  key: z.string().optional(),
  label: z
    .string()
    .regex(/^[^=]+=.*$/s, { error: 'must be name=value' })
    .optional()
    .meta({ description: '`name=value`.' }),
  text: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'Stands in the name, type, key or error, whatever the case.' }),
  error: z.string().min(1).max(500).optional().meta({ description: 'Stands in the error, whatever the case.' }),
  params: z
    .string()
    .min(1)
    .max(2_000)
    .transform((text) => Object.fromEntries(new URLSearchParams(text)))
    .optional()
    .meta({ description: 'Values in the params by where they are, written as a query: `customer.id=42&day=1`.' }),
  since: instant.optional().meta({ description: 'Created then or later.' }),
  tasks: flag.optional().meta({ description: 'Whether tasks of sharded jobs are shown, too. Default false.' }),
}

/** How many jobs one request may name. */
const idsMax = 200

const listQuery = z.strictObject({
  ...filters,
  ids: z
    .string()
    .max(20_000)
    .transform((text) => text.split(','))
    .pipe(z.array(jobId).max(idsMax))
    .optional()
    .meta({ description: `Ids with commas between them, at most ${idsMax}: those that are there, in this order.` }),
  name: path.optional().meta({ description: 'The live job of this name, else the newest: a page of one or none.' }),
  ...pageQuery,
})

export const jobRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/jobs',
    id: 'submitJob',
    tag,
    summary: 'Submits a job. It is durable when the answer comes.',
    role: 'submit',
    body: newJob,
    status: 201,
    response: job,
    run: (call) => submitOne(call, call.body),
  }),
  route({
    method: 'post',
    path: '/jobs/batch',
    id: 'submitJobs',
    tag,
    summary: 'Submits many jobs. Each has its own fate: what is wrong with one does not stop the others.',
    role: 'submit',
    body: z.strictObject({ jobs: z.array(each(newJob)).min(1).max(10_000) }),
    response: submitResults,
    run: (call) => submitEach(call, call.body.jobs, (items) => call.stint.submitMany(items)),
  }),
  route({
    method: 'get',
    path: '/jobs',
    id: 'listJobs',
    tag,
    summary: 'Jobs, the newest first, or the one of a name.',
    description:
      'What is rare among very many jobs is looked for among 20,000 at a time, `text`, `error` and `params` among 5,000: a page can be short, or have no items at all, and still have a cursor. There is no more only when the cursor is null.',
    role: 'read',
    query: listQuery,
    response: page(job),
    run: async ({ stint, query }) => {
      const { name, ids, ...rest } = query
      if (ids !== undefined) return { items: await stint.jobs.getMany(ids), cursor: null }
      if (name === undefined) return await stint.jobs.list(jobsQuery(rest))
      const found = await stint.jobs.get(stint.resolve(name))
      return { items: found === null ? [] : [found], cursor: null }
    },
  }),
  route({
    method: 'get',
    path: '/queue',
    id: 'listQueue',
    tag,
    summary: 'Jobs that may start now, in the order in which workers get them.',
    role: 'read',
    query: z.strictObject({ type: z.string().optional(), limit: wholeNumber(1, 1_000).optional() }),
    response: page(job),
    run: async ({ stint, query: { type, limit } }) => {
      return await stint.jobs.queue({
        ...(type === undefined ? {} : { types: [type] }),
        ...(limit === undefined ? {} : { limit }),
      })
    },
  }),
  route({
    method: 'get',
    path: '/jobs/{job}',
    id: 'getJob',
    tag,
    summary: 'A job. With `waitMs` the answer comes when the job is over, or after that time.',
    role: 'read',
    params: jobParam,
    query: z.strictObject({ waitMs }),
    response: job,
    run: async ({ stint, params, query, request }) => {
      const { waitMs: timeoutMs } = query
      if (timeoutMs !== undefined) await untilOver(stint.jobs.result(params.job, { timeoutMs, signal: request.signal }))
      return await requireJob(stint, params.job)
    },
  }),
  route({
    method: 'patch',
    path: '/jobs/{job}',
    id: 'editJob',
    tag,
    summary: 'Changes a job that has not been dispatched.',
    role: 'submit',
    params: jobParam,
    body: z.strictObject({
      params: json.optional(),
      priority: z.int().optional(),
      scheduledFor: instant.optional(),
    }),
    response: job,
    run: ({ stint, params, body }) => stint.jobs.edit(params.job, defined(body)),
  }),
  route({
    method: 'post',
    path: '/jobs/{job}/move',
    id: 'moveJob',
    tag,
    summary: 'Gives a job that has not been dispatched another place in the queue.',
    role: 'submit',
    params: jobParam,
    body: z.strictObject({
      to: z.union([
        z.enum(['front', 'end']),
        z.strictObject({ before: z.string() }),
        z.strictObject({ after: z.string() }),
      ]),
    }),
    response: job,
    run: ({ stint, params, body }) => stint.jobs.move(params.job, body.to),
  }),
  route({
    method: 'post',
    path: '/jobs/{job}/cancel',
    id: 'cancelJob',
    tag,
    summary: 'Cancels a job, and the branch below its name unless `branch` is false.',
    role: 'submit',
    params: jobParam,
    body: z.strictObject({ reason: z.string().min(1).max(1_000).optional(), branch: z.boolean().optional() }),
    response: job,
    run: ({ stint, params, body }) => stint.jobs.cancel(params.job, defined(body)),
  }),
  route({
    method: 'post',
    path: '/jobs/{job}/retry',
    id: 'retryJob',
    tag,
    summary: 'Runs a job that is over once more, as a new job.',
    role: 'submit',
    params: jobParam,
    status: 201,
    response: job,
    run: async ({ stint, params, once }) => (await stint.jobs.retry(params.job, idOnce(once))).toJSON(),
  }),
  route({
    method: 'get',
    path: '/jobs/{job}/notes',
    id: 'readNotes',
    tag,
    summary: 'How far a job is, and what its attempts saved last.',
    role: 'read',
    params: jobParam,
    response: z.object({
      progress: z.object({ done: z.number(), total: z.number().nullable() }).nullable(),
      checkpoint: json,
    }),
    run: ({ stint, params }) => stint.jobs.notes(params.job),
  }),
  route({
    method: 'get',
    path: '/jobs/{job}/runs',
    id: 'listRuns',
    tag,
    summary: 'The attempts of a job, in their order.',
    role: 'read',
    params: jobParam,
    response: page(run),
    run: async ({ stint, params: { job: id } }) => {
      const runs = await stint.runs.list({ job: id })
      if (runs.items.length === 0 && (await stint.jobs.uuidOf(id)) === null) throw unknownJob(id)
      return runs
    },
  }),
  route({
    method: 'get',
    path: '/jobs/{job}/runs/{attempt}/artifact',
    id: 'readArtifact',
    tag,
    summary: 'A file that an attempt left, as it is. Which ones there are, the run says.',
    role: 'read',
    params: jobParam.extend({ attempt: wholeNumber(1, 1_000_000) }),
    query: z.strictObject({
      path: z.string().min(1).max(4_096).meta({ description: 'One of `artifacts` of the run.' }),
    }),
    media: 'application/octet-stream',
    run: async ({ stint, params: { job: id, attempt }, query: { path: at }, services }) => {
      const { items } = await stint.runs.list({ job: id })
      const left = items.find((each) => each.attempt === attempt)
      // Only what the run lists: whatever else lies on the disk is nobody's business.
      const file = left?.artifacts.includes(at) ? await services.artifacts.open(left.id, at) : null
      if (file === null) throw unknownArtifact(id, attempt, at)
      return artifactResponse(at, file)
    },
  }),
  route({
    method: 'get',
    path: '/jobs/{job}/runs/{attempt}/log',
    id: 'readLog',
    tag,
    summary: 'The log of one attempt.',
    role: 'read',
    params: jobParam.extend({ attempt: wholeNumber(1, 1_000_000) }),
    query: z.strictObject({ cursor: wholeNumber(0, 1e15).optional(), limit: wholeNumber(1, 5_000).optional() }),
    response: page(logLine),
    run: async ({ stint, params, query: { cursor, limit } }) => {
      const { items, cursor: next } = await stint.runs.log({
        ...params,
        ...(cursor === undefined ? {} : { afterSeq: cursor }),
        ...(limit === undefined ? {} : { limit }),
      })
      return { items: items.map((line) => ({ ...line, at: new Date(line.at) })), cursor: next }
    },
  }),
]

function unknownArtifact(job: string, attempt: number, path: string): StintError {
  const message = `Attempt ${attempt} of job ${show(job)} has no file ${show(path)}, or it is not kept on this server.`
  return new StintError('not_found', message, { job, field: 'path' })
}

export async function requireJob(stint: Stint, reference: string) {
  const found = await stint.jobs.get(reference)
  if (found === null) throw unknownJob(reference)
  return found
}

/** A query of the library, of one in a URL. */
export function jobsQuery({ status, label, ...rest }: Omit<z.output<typeof listQuery>, 'name' | 'ids'>) {
  const [name = '', ...value] = (label ?? '').split('=')
  return {
    ...defined(rest),
    ...(status === undefined ? {} : { status: status === 'FINISHED' ? null : status }),
    ...(label === undefined ? {} : { label: { name, value: value.join('=') } }),
  }
}
