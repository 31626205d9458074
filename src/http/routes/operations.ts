import { z } from 'zod'
import { idOnce } from '../idempotency.ts'
import { operationActions, operationCounts, operationFilter } from '../operations/operation-job.ts'
import { type Route, route } from '../route.ts'
import { page, pageQuery, shownInstant } from '../schemas/common.ts'
import { defined } from './common.ts'

const tag = 'Operations'

const operation = z
  .object({
    id: z.string(),
    action: z.enum(operationActions),
    filter: operationFilter,
    status: z.enum(['QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED']),
    counts: operationCounts,
    error: z.string().nullable(),
    requestedBy: z.string(),
    createdAt: shownInstant,
    finishedAt: shownInstant.nullable(),
  })
  .meta({ id: 'Operation' })

const byId = z.strictObject({ operation: z.string().min(1).max(200) })

export const operationRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/operations',
    id: 'beginOperation',
    tag,
    summary: 'Cancels or runs again all jobs of a branch or a filter, in the background.',
    description:
      'Without `status` and `outcome` in the filter, all that are not over are cancelled, or those that failed are run again. What Stint does for itself is left alone unless `branch` names it.',
    role: 'submit',
    body: z.strictObject({
      action: z.enum(operationActions),
      filter: operationFilter,
      reason: z.string().min(1).max(1_000).optional(),
    }),
    status: 202,
    response: operation,
    run: ({ stint, access, body: { filter, ...rest }, services, once }) => {
      // What is no branch is refused here, and not when it is too late to tell anybody.
      const branch = filter.branch === undefined ? {} : { branch: stint.resolve(filter.branch) }
      return services.operations.begin(access, { ...defined(rest), filter: { ...filter, ...branch } }, idOnce(once))
    },
  }),
  route({
    method: 'get',
    path: '/operations',
    id: 'listOperations',
    tag,
    summary: 'Operations, the newest first.',
    role: 'read',
    query: z.strictObject(pageQuery),
    response: page(operation),
    run: ({ access, query, services }) => services.operations.list(access, defined(query)),
  }),
  route({
    method: 'get',
    path: '/operations/{operation}',
    id: 'getOperation',
    tag,
    summary: 'An operation, and how far it is.',
    role: 'read',
    params: byId,
    response: operation,
    run: ({ access, params, services }) => services.operations.get(access, params.operation),
  }),
  route({
    method: 'post',
    path: '/operations/{operation}/cancel',
    id: 'cancelOperation',
    tag,
    summary: 'Stops an operation. What it has done stays done.',
    role: 'submit',
    params: byId,
    response: operation,
    run: ({ access, params, services }) => services.operations.cancel(access, params.operation),
  }),
]
