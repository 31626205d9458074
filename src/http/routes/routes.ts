import type { Route } from '../route.ts'
import { answerRoutes } from './answers.ts'
import { defaultsRoutes } from './defaults.ts'
import { endpointRoutes } from './endpoints.ts'
import { eventRoutes } from './events.ts'
import { groupRoutes } from './groups.ts'
import { jobRoutes } from './jobs.ts'
import { keyRoutes } from './keys.ts'
import { limitRoutes } from './limits.ts'
import { operationRoutes } from './operations.ts'
import { overviewRoutes } from './overview.ts'
import { pauseRoutes } from './pauses.ts'
import { retentionRoutes } from './retention.ts'
import { scheduleRoutes } from './schedules.ts'
import { shardRoutes } from './shards.ts'
import { slotRoutes } from './slots.ts'
import { streamRoutes } from './stream.ts'
import { templateRoutes } from './templates.ts'
import { webhookRoutes } from './webhooks.ts'
import { workRoutes } from './work.ts'
import { workerRoutes } from './workers.ts'

/** All that the API can do. */
export const routes: readonly Route[] = [
  ...jobRoutes,
  ...shardRoutes,
  ...answerRoutes,
  ...operationRoutes,
  ...overviewRoutes,
  ...templateRoutes,
  ...scheduleRoutes,
  ...groupRoutes,
  ...slotRoutes,
  ...endpointRoutes,
  ...limitRoutes,
  ...pauseRoutes,
  ...defaultsRoutes,
  ...retentionRoutes,
  ...workerRoutes,
  ...webhookRoutes,
  ...workRoutes,
  ...eventRoutes,
  ...streamRoutes,
  ...keyRoutes,
]
