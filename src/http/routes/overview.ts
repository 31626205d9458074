import { z } from 'zod'
import { JobName } from '../../core/names/job-name.ts'
import { type Route, route } from '../route.ts'
import { page, pageQuery, path } from '../schemas/common.ts'
import { depth, failures, server, throughputPoint, treeNode } from '../schemas/overview.ts'
import { defined } from './common.ts'

const tag = 'Overview'

export const overviewRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/server',
    id: 'getServer',
    tag,
    summary: 'The server that answers: its version, its store, how it was started and how it is.',
    description: 'A key of a branch is not told what is of everybody. All that is measured stands at `/metrics`.',
    role: 'read',
    response: server,
    run: ({ access: { path: branch }, services }) => services.about.view({ isWhole: branch === null }),
  }),
  route({
    method: 'get',
    path: '/tree',
    id: 'listTree',
    tag,
    summary: 'What is directly below a path of the tree of names, with counts up to 1,000.',
    description:
      'Without a path: the namespaces, or for a key of a branch what is below it. Tasks of sharded jobs are not shown, but counted with their job.',
    role: 'read',
    query: z.strictObject({ path: path.optional(), ...pageQuery }),
    response: page(treeNode),
    run: ({ stint, query }) => stint.tree(defined(query)),
  }),
  route({
    method: 'get',
    path: '/depths',
    id: 'listDepths',
    tag,
    summary: 'How many jobs wait and run, by namespace and type.',
    description: 'A key of a branch sees something only if that branch is a whole namespace.',
    role: 'read',
    response: page(depth),
    run: ({ stint }) => stint.depths(),
  }),
  route({
    method: 'get',
    path: '/throughput',
    id: 'listThroughput',
    tag,
    summary: 'How many jobs were submitted and ended in each ten seconds of the last hour.',
    description:
      'A server counts while somebody asks. What was before it knows of the newest 10,000 jobs. A key of a branch sees something only if that branch is a whole namespace.',
    role: 'read',
    response: page(throughputPoint),
    run: async ({ access: { path: branch }, services }) => {
      const name = branch === null ? null : JobName.parse(branch)
      if (name?.isRoot === false) return { items: [], cursor: null }
      return { items: await services.throughput.points(name?.namespace ?? null), cursor: null }
    },
  }),
  route({
    method: 'get',
    path: '/failures',
    id: 'listFailures',
    tag,
    summary: 'The newest 1,000 jobs that failed for good, by cause.',
    role: 'read',
    query: z.strictObject({ branch: path.optional(), type: z.string().optional() }),
    response: failures,
    run: ({ stint, query }) => stint.failures(defined(query)),
  }),
]
