import { StintError } from '../../core/errors.ts'
import type { RetentionPolicy } from '../../core/retention/policy.ts'
import type { RetentionRow } from '../../store/controls.ts'
import { type Route, route } from '../route.ts'
import { page } from '../schemas/common.ts'
import { atPath, effectiveRetention, newRetention, retention } from '../schemas/paths.ts'
import { pathsQuery, recordsOf } from './common.ts'

const tag = 'Paths'

function shown(row: RetentionRow) {
  return { ...row, updatedAt: new Date(row.updatedAt) }
}

export const retentionRoutes: readonly Route[] = [
  route({
    method: 'put',
    path: '/retention',
    id: 'setRetention',
    tag,
    summary:
      'Sets all that a path says about how long things are kept. The nearest path is the strongest, field by field.',
    role: 'admin',
    body: newRetention,
    response: retention,
    run: async ({ stint, body: { path, policy } }) => {
      return shown(await stint.retention.set(path, policy as RetentionPolicy))
    },
  }),
  route({
    method: 'get',
    path: '/retention',
    id: 'listRetention',
    tag,
    summary: 'What paths say about how long things are kept, the newest first.',
    role: 'read',
    query: pathsQuery,
    response: page(retention),
    run: async ({ stint, query }) => {
      const { items, cursor } = await stint.retention.list(recordsOf(stint, query))
      return { items: items.map(shown), cursor }
    },
  }),
  route({
    method: 'get',
    path: '/retention/effective',
    id: 'getRetention',
    tag,
    summary: 'How long things are kept at a path, with all that it inherits.',
    role: 'read',
    query: atPath,
    response: effectiveRetention,
    run: ({ stint, query: { path } }) => stint.retention.get(path),
  }),
  route({
    method: 'delete',
    path: '/retention',
    id: 'removeRetention',
    tag,
    summary: 'Forgets what a path says about how long things are kept.',
    role: 'admin',
    query: atPath,
    status: 204,
    run: async ({ stint, query: { path } }) => {
      if (await stint.retention.remove(path)) return
      throw new StintError('not_found', `The path ${path} says nothing about how long things are kept.`, { path })
    },
  }),
]
