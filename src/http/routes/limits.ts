import { StintError, show } from '../../core/errors.ts'
import { type Route, route } from '../route.ts'
import { page } from '../schemas/common.ts'
import { limit, limitKey, newLimit } from '../schemas/limits.ts'
import { defined } from './common.ts'

const tag = 'Gates'

function unknownLimit(key: string): StintError {
  return new StintError('not_found', `There is no limit ${show(key)}.`, { key })
}

/** Keys hold slashes, so they do not stand in paths. */
export const limitRoutes: readonly Route[] = [
  route({
    method: 'put',
    path: '/limits',
    id: 'setLimit',
    tag,
    summary: 'Sets a limit for all attempts that start from now on. What is not said stays as it is.',
    role: 'admin',
    body: newLimit,
    response: limit,
    run: async ({ stint, body: { key, ...settings } }) => {
      await stint.limits.set(key, defined(settings))
      const set = await stint.limits.get(key)
      if (set === null) throw unknownLimit(key)
      return set
    },
  }),
  route({
    method: 'get',
    path: '/limits',
    id: 'listLimits',
    tag,
    summary: 'All limits, with how full they are.',
    role: 'read',
    response: page(limit),
    run: ({ stint }) => stint.limits.list(),
  }),
  route({
    method: 'delete',
    path: '/limits',
    id: 'removeLimit',
    tag,
    summary: 'Forgets a limit.',
    role: 'admin',
    query: limitKey,
    status: 204,
    run: async ({ stint, query: { key } }) => {
      if (!(await stint.limits.remove(key))) throw unknownLimit(key)
    },
  }),
]
