import { z } from 'zod'
import { StintError } from '../../core/errors.ts'
import type { Stint } from '../../engine/stint.ts'
import { idOnce } from '../idempotency.ts'
import { type Route, route } from '../route.ts'
import { page, pageQuery } from '../schemas/common.ts'
import { job } from '../schemas/jobs.ts'
import { graph, retriedShards, shardedJob, shardTask } from '../schemas/shards.ts'
import { defined, jobParam } from './common.ts'

const tag = 'Shards'

async function requireShards(stint: Stint, id: string) {
  const state = await stint.shards.get(id)
  if (state !== null) return state
  throw new StintError('not_found', `Job ${id} is not split into tasks, or not yet.`, { job: id })
}

export const shardRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/jobs/{job}/shards',
    id: 'getShards',
    tag,
    summary: 'How far a sharded job is.',
    role: 'read',
    params: jobParam,
    response: shardedJob,
    run: ({ stint, params }) => requireShards(stint, params.job),
  }),
  route({
    method: 'get',
    path: '/jobs/{job}/shards/tasks',
    id: 'listTasks',
    tag,
    summary: 'The tasks of a sharded job, by index.',
    role: 'read',
    params: jobParam,
    query: z.strictObject(pageQuery),
    response: page(shardTask),
    run: ({ stint, params, query }) => stint.shards.tasks(params.job, defined(query)),
  }),
  route({
    method: 'post',
    path: '/jobs/{job}/shards/retry',
    id: 'retryShards',
    tag,
    summary:
      'Runs the tasks that were not done once more, and those that are named, as a new job. The others keep their states.',
    role: 'submit',
    params: jobParam,
    body: retriedShards,
    status: 201,
    response: job,
    run: async ({ stint, params, body, once }) => {
      return (await stint.shards.retry(params.job, { ...defined(body), ...idOnce(once) })).toJSON()
    },
  }),
  route({
    method: 'get',
    path: '/jobs/{job}/graph',
    id: 'getGraph',
    tag: 'Jobs',
    summary: 'The jobs and slots at and below the name of a job, and the values that go from one to the other.',
    role: 'read',
    params: jobParam,
    response: graph,
    run: ({ stint, params }) => stint.graph(params.job),
  }),
]
