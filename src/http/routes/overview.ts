import { z } from 'zod'
import { type Route, route } from '../route.ts'
import { page, pageQuery, path } from '../schemas/common.ts'
import { depth, treeNode } from '../schemas/overview.ts'
import { defined } from './common.ts'

const tag = 'Overview'

export const overviewRoutes: readonly Route[] = [
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
]
