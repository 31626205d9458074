import { z } from 'zod'
import type { GroupHandle, GroupView, NewGroupOptions } from '../../engine/groups-api.ts'
import { type Route, route } from '../route.ts'
import { page, pageQuery, uuid } from '../schemas/common.ts'
import { group, member, newGroup, newMember } from '../schemas/groups.ts'
import { each, submitResults } from '../schemas/jobs.ts'
import { itemOf, submitEach } from '../submission.ts'
import { defined, found, recordsOf, recordsQuery, untilOver, waitMs } from './common.ts'

const tag = 'Groups'

const params = z.strictObject({ group: uuid })

function shown({ result: _, ...view }: GroupHandle): GroupView {
  return view
}

export const groupRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/groups',
    id: 'createGroup',
    tag,
    summary: 'Makes a group, to add jobs to and then to seal; or with `jobs` all of it at once.',
    role: 'submit',
    body: newGroup,
    status: 201,
    response: group,
    run: async (call) => {
      const {
        stint,
        body: { jobs, ...given },
      } = call
      const options = given as NewGroupOptions
      if (jobs === undefined) return shown(await stint.groups.create(options))
      return shown(await stint.groups.run({ ...options, jobs: jobs.map((each, n) => itemOf(call, each, n)) }))
    },
  }),
  route({
    method: 'get',
    path: '/groups',
    id: 'listGroups',
    tag,
    summary: 'Groups, the newest first; with `all`, those that are over, too.',
    role: 'read',
    query: recordsQuery,
    response: page(group),
    run: ({ stint, query }) => stint.groups.list(recordsOf(stint, query)),
  }),
  route({
    method: 'get',
    path: '/groups/{group}',
    id: 'getGroup',
    tag,
    summary: 'A group. With `waitMs` the answer comes when all members are over, or after that time.',
    role: 'read',
    params,
    query: z.strictObject({ waitMs }),
    response: group,
    run: async ({ stint, params: { group: id }, query: { waitMs: timeoutMs }, request }) => {
      if (timeoutMs !== undefined) await untilOver(stint.groups.result(id, { timeoutMs, signal: request.signal }))
      return found('group', id, await stint.groups.get(id))
    },
  }),
  route({
    method: 'post',
    path: '/groups/{group}/jobs',
    id: 'addToGroup',
    tag,
    summary: 'Adds jobs, in their order. Each has its own fate: what is wrong with one does not stop the others.',
    role: 'submit',
    params,
    body: z.strictObject({ jobs: z.array(each(newMember)).min(1).max(10_000) }),
    response: submitResults,
    run: (call) => submitEach(call, call.body.jobs, (items) => call.stint.groups.add(call.params.group, items)),
  }),
  route({
    method: 'post',
    path: '/groups/{group}/seal',
    id: 'sealGroup',
    tag,
    summary: 'Lets its members run. No more can be added.',
    role: 'submit',
    params,
    response: group,
    run: async ({ stint, params: { group: id } }) => shown(await stint.groups.seal(id)),
  }),
  route({
    method: 'post',
    path: '/groups/{group}/cancel',
    id: 'cancelGroup',
    tag,
    summary: 'Cancels all members that are not over.',
    role: 'submit',
    params,
    body: z.strictObject({ reason: z.string().min(1).max(1_000).optional() }),
    response: group,
    run: async ({ stint, params: { group: id }, body }) => shown(await stint.groups.cancel(id, defined(body))),
  }),
  route({
    method: 'post',
    path: '/groups/{group}/reorder',
    id: 'reorderGroup',
    tag,
    summary: 'Puts all members that have not started into another order.',
    role: 'submit',
    params,
    body: z.strictObject({
      jobs: z.array(z.string().min(1)).max(10_000).meta({ description: 'The ids of all of them.' }),
    }),
    response: group,
    run: async ({ stint, params: { group: id }, body }) => shown(await stint.groups.reorder(id, body.jobs)),
  }),
  route({
    method: 'get',
    path: '/groups/{group}/members',
    id: 'listMembers',
    tag,
    summary: 'The members of a group, in their order.',
    role: 'read',
    params,
    query: z.strictObject(pageQuery),
    response: page(member),
    run: ({ stint, params: { group: id }, query }) => stint.groups.members(id, defined(query)),
  }),
]
