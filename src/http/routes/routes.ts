import type { Route } from '../route.ts'
import { jobRoutes } from './jobs.ts'
import { operationRoutes } from './operations.ts'
import { overviewRoutes } from './overview.ts'
import { webhookRoutes } from './webhooks.ts'

/** All that the API can do. */
export const routes: readonly Route[] = [...jobRoutes, ...overviewRoutes, ...operationRoutes, ...webhookRoutes]
