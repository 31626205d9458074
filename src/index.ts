export type { StintConfig } from './cli/settings.ts'
export type { ErrorCode, ErrorDetails } from './core/errors.ts'
export { errorCodes, StintError } from './core/errors.ts'
export type { GroupCounts, GroupMode, GroupStatus } from './core/group/group.ts'
export type { CatalogueType } from './core/job/events.ts'
export type { Labels, Outcome, Progress, RetryPolicy, SlicePolicy, State, Status } from './core/job/job.ts'
export type { Json, JsonObject } from './core/json.ts'
export type { IdParts } from './core/names/ids.ts'
export { IncrementalTaskId, JobRunId, RunId, SlotId } from './core/names/ids.ts'
export { JobName } from './core/names/job-name.ts'
export type { Retention, RetentionPolicy } from './core/retention/policy.ts'
export type { Fold, Gap } from './core/schedule/timing.ts'
export type { Clock } from './engine/clock.ts'
export type { Command } from './engine/command/define-command.ts'
export { defineCommand } from './engine/command/define-command.ts'
export type { StintOptions } from './engine/create-stint.ts'
export { createStint } from './engine/create-stint.ts'
export { defineJob } from './engine/define-job.ts'
export type { EndpointsQuery, EndpointView, JobEndpoints } from './engine/endpoints-api.ts'
export type { EventsQuery, OutsideEventInput, SegmentView } from './engine/events-api.ts'
export type { FailureGroup, FailuresQuery, FailuresView } from './engine/failures.ts'
export type { FollowingJob } from './engine/following-job.ts'
export type { LimitOption, LimitSettings, PauseTarget } from './engine/gates-api.ts'
export type { GroupHandle, GroupReference, GroupView, MemberView, NewGroupOptions } from './engine/groups-api.ts'
export type { AnyJob, JobContext, JobDefaults, JobDefinition } from './engine/handler.ts'
export type { Instant } from './engine/instants.ts'
export { currentContext } from './engine/job-context.ts'
export type { JobHandle, ResultOptions } from './engine/job-handle.ts'
export type { JobView } from './engine/job-view.ts'
export type { CancelOptions, EditOptions, JobNotes, JobsQuery, MoveTarget, Page } from './engine/jobs-api.ts'
export type { LaterOptions } from './engine/later.ts'
export { FailJobError, Later, Snooze, TerminalError } from './engine/later.ts'
export type { CounterName, Sample } from './engine/metrics.ts'
export { counters } from './engine/metrics.ts'
export type { DepthView, TreeQuery } from './engine/overview.ts'
export type { ClockChangeView, Outlook, PreviewOptions, TimingOptions } from './engine/preview-fires.ts'
export { previewFires } from './engine/preview-fires.ts'
export type { RecordsQuery } from './engine/record-pages.ts'
export type { JobReference } from './engine/references.ts'
export type { RunView } from './engine/run-view.ts'
export type {
  BackfillOptions,
  BackfillView,
  CatchUpAll,
  FiredView,
  NewScheduleOptions,
  ScheduleOptions,
  ScheduleView,
} from './engine/schedules-api.ts'
export type {
  Budget,
  DoneTask,
  FailedTask,
  ShardedSettings,
  SliceInput,
  SliceResult,
} from './engine/shards/define-sharded-job.ts'
export { defineShardedJob } from './engine/shards/define-sharded-job.ts'
export type {
  IncrementalTaskState,
  RetryShardsOptions,
  ShardedJobState,
  TaskStatus,
} from './engine/shards/shards-api.ts'
export { definePipeline } from './engine/slots/define-pipeline.ts'
export type { Edge, Graph, GraphJob, GraphSlot } from './engine/slots/graph.ts'
export type { PipelineBuilder, Step } from './engine/slots/pipeline-builder.ts'
export type { Slotted } from './engine/slots/slot.ts'
export { Slot } from './engine/slots/slot.ts'
export type { DelayOptions, SlotOptions, SlotReference, SlotView } from './engine/slots/slots-api.ts'
export type { After } from './engine/slots/take-slots.ts'
export type { StandardSchema } from './engine/standard-schema.ts'
export type { AnswerReference, LogQuery } from './engine/stint.ts'
export { Stint } from './engine/stint.ts'
export type { SubmitOptions } from './engine/submit-options.ts'
export type { SubmitItem } from './engine/submitter.ts'
export type { NewTemplateOptions, SettingsOptions, TemplateOptions, TemplateView } from './engine/templates-api.ts'
export type { StopReason } from './engine/worker/attempt.ts'
export { StoppedError } from './engine/worker/attempt.ts'
export type { StopOptions } from './engine/worker/worker.ts'
export { Worker } from './engine/worker/worker.ts'
export type { WorkerOptions } from './engine/worker/worker-settings.ts'
export type {
  AppendResult,
  CappedCount,
  LimitRow,
  LogEntry,
  LogLine,
  OnConflict,
  PauseRow,
  QueryClient,
  TreeNode,
  WorkerRow,
} from './store/store.ts'
export type { Difference } from './store/verify.ts'
