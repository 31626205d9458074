import type { Route } from '../route.ts'
import { jobRoutes } from './jobs.ts'
import { streamRoutes } from './stream.ts'
import { workRoutes } from './work.ts'

/** All that the API can do. */
export const routes: readonly Route[] = [...jobRoutes, ...streamRoutes, ...workRoutes]
