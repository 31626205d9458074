import type { Route } from '../route.ts'
import { jobRoutes } from './jobs.ts'
import { overviewRoutes } from './overview.ts'

/** All that the API can do. */
export const routes: readonly Route[] = [...jobRoutes, ...overviewRoutes]
