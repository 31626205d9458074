import { z } from 'zod'
import { StintError, show } from '../../core/errors.ts'
import { type Route, route } from '../route.ts'
import { page, pageQuery } from '../schemas/common.ts'
import { endpoint } from '../schemas/endpoints.ts'
import { defined } from './common.ts'

const tag = 'Endpoints'

const namespace = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .meta({ description: 'Default that of the path of the key, else the default namespace.' })

export const endpointRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/endpoints',
    id: 'listEndpoints',
    tag,
    summary: 'The endpoints of a namespace, by name.',
    role: 'read',
    query: z.strictObject({ namespace, ...pageQuery }),
    response: page(endpoint),
    run: ({ stint, query }) => stint.endpoints.list(defined(query)),
  }),
  route({
    method: 'get',
    path: '/endpoints/{name}',
    id: 'getEndpoint',
    tag,
    summary: 'The endpoint that an open attempt has registered under a name.',
    role: 'read',
    params: z.strictObject({ name: z.string().min(1).max(128) }),
    query: z.strictObject({ namespace }),
    response: endpoint,
    run: async ({ stint, params: { name }, query }) => {
      const row = await stint.endpoints.get(name, defined(query))
      if (row !== null) return row
      throw new StintError('not_found', `There is no endpoint ${show(name)}.`, { endpoint: name })
    },
  }),
]
