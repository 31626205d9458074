import { StintError } from '../../core/errors.ts'
import type { SettingsOptions } from '../../engine/templates-api.ts'
import type { DefaultsRow } from '../../store/controls.ts'
import { type Route, route } from '../route.ts'
import { page } from '../schemas/common.ts'
import { atPath, defaults, newDefaults } from '../schemas/paths.ts'
import { pathsQuery, recordsOf } from './common.ts'

const tag = 'Paths'

function shown(row: DefaultsRow) {
  return { ...row, updatedAt: new Date(row.updatedAt) }
}

export const defaultsRoutes: readonly Route[] = [
  route({
    method: 'put',
    path: '/defaults',
    id: 'setDefaults',
    tag,
    summary: 'Sets all that jobs below a path have by default, from now on. The nearest path is the strongest.',
    role: 'admin',
    body: newDefaults,
    response: defaults,
    run: async ({ stint, body: { path, settings } }) => {
      return shown(await stint.defaults.set(path, settings as SettingsOptions))
    },
  }),
  route({
    method: 'get',
    path: '/defaults',
    id: 'listDefaults',
    tag,
    summary: 'The defaults of paths, the newest first.',
    role: 'read',
    query: pathsQuery,
    response: page(defaults),
    run: async ({ stint, query }) => {
      const { items, cursor } = await stint.defaults.list(recordsOf(stint, query))
      return { items: items.map(shown), cursor }
    },
  }),
  route({
    method: 'delete',
    path: '/defaults',
    id: 'removeDefaults',
    tag,
    summary: 'Forgets the defaults of a path.',
    role: 'admin',
    query: atPath,
    status: 204,
    run: async ({ stint, query: { path } }) => {
      if (await stint.defaults.remove(path)) return
      throw new StintError('not_found', `The path ${path} has no defaults.`, { path })
    },
  }),
]
