import { Client } from './client.ts'
import type { ConnectOptions } from './transport.ts'

export type { ErrorCode, ErrorDetails } from '../core/errors.ts'
export { StintError } from '../core/errors.ts'
export type { Json, JsonObject } from '../core/json.ts'
export type { EndpointView } from '../engine/endpoints-api.ts'
export type { FailureGroup, FailuresView } from '../engine/failures.ts'
export type { GroupView, MemberView } from '../engine/groups-api.ts'
export type { JobView } from '../engine/job-view.ts'
export type { JobsQuery, MoveTarget, Page } from '../engine/jobs-api.ts'
export type { DepthView } from '../engine/overview.ts'
export type { ClockChangeView, Outlook, TimingOptions } from '../engine/preview-fires.ts'
export type { RunView } from '../engine/run-view.ts'
export type { BackfillView, FiredView, ScheduleView } from '../engine/schedules-api.ts'
export type { IncrementalTaskState, RetryShardsOptions, ShardedJobState } from '../engine/shards/shards-api.ts'
export type { Graph } from '../engine/slots/graph.ts'
export { Slot } from '../engine/slots/slot.ts'
export type { SlotView } from '../engine/slots/slots-api.ts'
export type { TemplateView } from '../engine/templates-api.ts'
export type { LimitRow, TreeNode } from '../store/store.ts'
export { Client } from './client.ts'
export type { NewOperation, OperationFilter, OperationView } from './operations.ts'
export type { StreamedEntry, StreamOptions } from './stream.ts'
export type { RemoteSubmitItem, RemoteSubmitOptions } from './submission.ts'
export type { ConnectOptions } from './transport.ts'
export type { AccessView, KeyView, NewKey, RemoteEntry, RemoteWorker, ServerView, ThroughputPoint } from './views.ts'
export type { DeliveryDetails, DeliveryView, NewWebhook, WebhookView } from './webhooks.ts'

/** Stint on a server elsewhere. */
export function connect(options: ConnectOptions): Client {
  return new Client(options)
}
