import type { Route } from '../route.ts'
import { jobRoutes } from './jobs.ts'
import { scheduleRoutes } from './schedules.ts'
import { templateRoutes } from './templates.ts'

/** All that the API can do. */
export const routes: readonly Route[] = [...jobRoutes, ...templateRoutes, ...scheduleRoutes]
