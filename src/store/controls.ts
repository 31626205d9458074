import type { Key } from '../core/access/key.ts'
import type { LimitInput } from '../core/gates/limit.ts'
import type { Group, GroupMode, GroupStatus } from '../core/group/group.ts'
import type { Labels, OnFailure, Outcome, RetryPolicy, Status } from '../core/job/job.ts'
import type { JsonObject } from '../core/json.ts'
import type { Retention, RetentionPolicy } from '../core/retention/policy.ts'
import type { CatchUp, Overlap, ScheduleContent, ScheduleStatus } from '../core/schedule/schedule.ts'
import type { TimingSpec } from '../core/schedule/timing.ts'
import type { ShardCounts, ShardedSpec } from '../core/shard/sharded.ts'
import type { Slot } from '../core/slot/slot.ts'
import type { TemplateStatus } from '../core/template/template.ts'
import type { Fate, Webhook } from '../core/webhook/webhook.ts'
import type { LogEntry } from './log-entry.ts'
import type { Submission } from './new-job.ts'
import type { ShardRow, TaskState } from './shards/shards.ts'

export type JsonSchema = JsonObject | boolean

/** What a template, a schedule or a path says about jobs that do not say it themselves. Absent where it says nothing. */
export interface JobSettings {
  readonly retry?: Partial<RetryPolicy>
  readonly timeoutMs?: number | null
  /** How long after its time a job may start; then it is skipped. */
  readonly expiresInMs?: number
  /** How long after its time a job must have ended; then it has failed. */
  readonly deadlineInMs?: number
  readonly priority?: number
  readonly limits?: readonly LimitInput[]
  readonly labels?: Labels
}

/** The same with params. They are merged by their first level, like labels and the fields of `retry`. */
export interface JobTexture extends JobSettings {
  readonly params?: JsonObject
}

export interface ListInput {
  /** At this path or below. */
  readonly path?: string
  /** Those that are archived, deleted or over, too. */
  readonly withReleased?: boolean
  /** `next` of the page before. */
  readonly before?: number | null
  readonly limit: number
}

/** What a template says: the type of its jobs and what they have by default. */
export interface TemplateInput extends JobSettings {
  readonly type: string
  readonly label?: string | null
  readonly description?: string | null
  readonly params?: JsonObject
  readonly schema?: JsonSchema | null
}

export interface NewTemplate extends TemplateInput {
  readonly id: string
  readonly path: string
}

export interface TemplateRow extends JobTexture {
  readonly id: string
  readonly path: string
  readonly status: TemplateStatus
  readonly type: string
  readonly label: string | null
  readonly description: string | null
  readonly schema: JsonSchema | null
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

export interface TemplateControls {
  'template.create': { input: NewTemplate; output: TemplateRow }
  'template.change': { input: { template: string; changes: Partial<TemplateInput> }; output: TemplateRow }
  'template.activate': { input: { template: string }; output: TemplateRow }
  'template.archive': { input: { template: string }; output: TemplateRow }
  'template.get': { input: { template: string }; output: TemplateRow | null }
  'template.list': { input: ListInput; output: { items: readonly TemplateRow[]; next: number | null } }
}

/** What jobs at a path and below it have, where neither they nor what they are made of say it. */
export interface DefaultsRow {
  readonly path: string
  readonly settings: JobSettings
  readonly updatedAt: number
}

export interface DefaultsControls {
  'defaults.set': { input: { id: string; path: string; settings: JobSettings }; output: DefaultsRow }
  'defaults.remove': { input: { path: string }; output: boolean }
  'defaults.list': { input: ListInput; output: { items: readonly DefaultsRow[]; next: number | null } }
}

/** What a schedule says: when, of what, and what its jobs have over the template. */
export interface ScheduleInput extends JobTexture, TimingSpec {
  readonly label?: string | null
  /** The UUID or path of a template; or the type of the jobs, without one. */
  readonly template?: string | null
  readonly type?: string | null
  readonly overlap?: Overlap
  readonly catchUp?: CatchUp
  readonly jitterMs?: number
}

/** What became of one instant. */
export interface Fired {
  /** The nominal instant. */
  readonly at: number
  /** UUID of the job; null when none could be made. */
  readonly jobId: string | null
  /** `skipped` by its overlap policy, `refused` when no job could be made. */
  readonly outcome: 'created' | 'skipped' | 'refused'
  readonly error: string | null
}

/** What happens to instants that fired before: nothing, once more if their job did not complete, or once more in any case. */
export type Reprocess = 'none' | 'failed' | 'all'

export interface BackfillInput {
  readonly schedule: string
  /** From this instant on. */
  readonly from: number
  /** Up to this instant, which must have passed. */
  readonly to: number
  /** Default none. */
  readonly reprocess?: Reprocess
  /** Only tells what it would do. Default false. */
  readonly dryRun?: boolean
  /** `next` of the page before. */
  readonly after?: number | null
  readonly limit: number
}

export interface BackfillItem {
  readonly at: number
  /** `run` for the first time, `again`, or `keep` what there is. */
  readonly action: 'run' | 'again' | 'keep'
  /** The job that is made, or that there is; null in a dry run of one that is not there. */
  readonly jobId: string | null
  readonly error: string | null
}

export interface NewSchedule extends ScheduleInput {
  readonly id: string
  readonly path: string
  /** Default true. */
  readonly enabled?: boolean
}

export interface ScheduleRow extends ScheduleContent {
  readonly id: string
  readonly path: string
  readonly status: ScheduleStatus
  readonly lastTriggeredAt: number | null
  readonly nextTriggerAt: number | null
  readonly blocked: string | null
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

export interface OneSchedule {
  readonly schedule: string
}

export interface ScheduleControls {
  'schedule.create': { input: NewSchedule; output: ScheduleRow }
  'schedule.change': { input: OneSchedule & { changes: ScheduleInput }; output: ScheduleRow }
  'schedule.enable': { input: OneSchedule; output: ScheduleRow }
  'schedule.disable': { input: OneSchedule; output: ScheduleRow }
  'schedule.delete': { input: OneSchedule; output: ScheduleRow }
  'schedule.get': { input: OneSchedule; output: ScheduleRow | null }
  'schedule.list': { input: ListInput; output: { items: readonly ScheduleRow[]; next: number | null } }
  /** Fires the schedule that has been due for longest, but for some that are passed over. */
  'schedule.fire': { input: { skip?: number }; output: FireReport }
  /** Fires one now, whether it is enabled or not. */
  'schedule.trigger': { input: OneSchedule & { overlap?: Overlap }; output: Fired }
  /** Fires for instants that have passed, by page. */
  'schedule.backfill': {
    input: BackfillInput
    output: { items: readonly BackfillItem[]; next: number | null }
  }
}

export interface FireReport {
  /** Whether a schedule was due; then there may be more. */
  readonly isDue: boolean
  /** How long until the next one is due; null when none is. */
  readonly nextInMs: number | null
}

export interface GroupInput {
  readonly mode: GroupMode
  /** The most members of a parallel group that run at once. Default any number. */
  readonly width?: number | null
  /** What a sequential group does when a member has failed for good. Default `stop`. */
  readonly onFailure?: 'stop' | 'continue'
  readonly label?: string | null
  /** The job that is submitted at its end. */
  readonly finish?: OnFailure | null
}

export interface NewGroup extends GroupInput {
  readonly id: string
  readonly path: string
}

export interface GroupRow extends Omit<Group, 'lastSeq' | 'reached' | 'current'> {
  readonly id: string
  readonly path: string
  readonly status: GroupStatus
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** A member as a list of them shows it. */
export interface MemberRow {
  readonly jobId: string
  readonly name: string
  readonly type: string
  readonly status: Status
  readonly outcome: Outcome | null
  readonly attempt: number
}

interface ByGroup {
  /** Its UUID or path. */
  readonly group: string
}

export interface GroupControls {
  'group.create': { input: NewGroup; output: GroupRow }
  'group.seal': { input: ByGroup; output: GroupRow }
  'group.cancel': { input: ByGroup & { readonly reason: string }; output: GroupRow }
  /** `jobIds` are those of all members that have not started, in their new order. */
  'group.reorder': { input: ByGroup & { readonly jobIds: readonly string[] }; output: GroupRow }
  'group.get': { input: ByGroup; output: GroupRow | null }
  'group.list': { input: ListInput; output: { items: readonly GroupRow[]; next: number | null } }
  'group.members': {
    input: ByGroup & { readonly after?: number | null; readonly limit: number }
    output: { items: readonly MemberRow[]; next: number | null }
  }
}

/** What a path says about how long things are kept. */
export interface RetentionRow {
  readonly path: string
  readonly policy: RetentionPolicy
  readonly updatedAt: number
}

export interface RetentionControls {
  'retention.set': { input: { id: string; path: string; policy: RetentionPolicy }; output: RetentionRow }
  'retention.remove': { input: { path: string }; output: boolean }
  'retention.list': { input: ListInput; output: { items: readonly RetentionRow[]; next: number | null } }
  /** What holds at a path, with all that it inherits. */
  'retention.get': { input: { path: string }; output: Retention }
  /** One small step: looks at up to `limit` jobs. */
  'retention.prune': { input: { limit: number }; output: PruneReport }
}

export interface PruneReport {
  /** How many jobs have left. */
  readonly pruned: number
  /** Whether something was looked at; then there may be more. */
  readonly more: boolean
}

/** Entries of the log that have left it for a file. */
export interface Segment {
  readonly file: string
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly checksum: string
  readonly count: number
  /** Log ids of the first and the last of them. Others between the two may have stayed. */
  readonly firstId: number
  readonly lastId: number
  /** When they were received. */
  readonly firstAt: number
  readonly lastAt: number
  readonly archivedAt: number
}

/** Entries that are old enough to leave the log, and where they stand. */
export interface Collected {
  readonly stretch: number
  /** In log order. Empty when none of what was looked at can leave. */
  readonly entries: readonly LogEntry[]
}

export interface NewSegment extends Pick<Segment, 'file' | 'checksum'> {
  readonly stretch: number
  /** Log ids of all its entries. */
  readonly logIds: readonly number[]
}

export interface ArchiveControls {
  /** Looks at up to `limit` entries of the log; null when there is no more to look at now. */
  'archive.collect': { input: { limit: number }; output: Collected | null }
  /** Entries that were collected stand in a file, durably: they leave the log. Doing it again does no harm. */
  'archive.record': { input: NewSegment; output: Segment }
  'archive.get': { input: { file: string }; output: Segment | null }
  /** The newest first. */
  'archive.list': {
    input: Pick<ListInput, 'before' | 'limit'>
    output: { items: readonly Segment[]; next: number | null }
  }
}

/** A page of a plan. The first says what all tasks have in common, and forgets a plan that was begun before. */
export interface PlanInput {
  /** UUID of the job. */
  readonly job: string
  readonly token: string
  readonly spec?: ShardedSpec
  readonly shards: readonly ShardRow[]
  /** Shards that are done from the beginning, with the state in which an earlier job left them. */
  readonly adopted?: readonly ShardRow[]
}

export interface ShardControls {
  'shard.plan': { input: PlanInput; output: null }
  /** Null when the job is not split. */
  'shard.get': { input: { job: string }; output: (ShardCounts & { readonly spec: ShardedSpec }) | null }
  /** Shards that are no tasks, from an index on: those that were taken over from an earlier job, or those to come. */
  'shard.list': {
    input: { job: string; adopted: boolean; from: number; limit: number }
    output: readonly ShardRow[]
  }
  /** What those shards came to that are tasks, from an index on. */
  'shard.tasks': { input: { job: string; from: number; limit: number }; output: readonly TaskState[] }
}

export interface NewSlotInput {
  readonly id: string
  readonly path: string
  readonly label?: string | null
  /** When it fills itself, and with what: JSON text, null for none. */
  readonly dueAt?: number | null
  readonly value?: string | null
}

export interface SlotRow extends Slot {
  readonly id: string
  readonly path: string
  readonly namespace: string
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** A slot by UUID or path, if the namespace is said only one of it. */
interface SlotTarget {
  readonly slot: string
  readonly namespace?: string
}

export interface AwaitedValues {
  readonly names: readonly string[]
  readonly count: number
}

export interface SlotControls {
  /** With a parent it is made by an attempt, which must still hold its job, and fails with it. */
  'slot.create': {
    input: NewSlotInput & { readonly parent?: { readonly jobId: string; readonly token: string } | null }
    output: SlotRow
  }
  'slot.fill': { input: SlotTarget & { readonly value: string | null; readonly by: string }; output: SlotRow }
  'slot.fail': { input: SlotTarget & { readonly error: string }; output: SlotRow }
  /** Fills the slot that has been due for longest, but for some. Without one: in how many milliseconds the next one is. */
  'slot.due': { input: { skip: number }; output: { isDue: boolean; nextInMs: number | null } }
  'slot.get': { input: { slot: string }; output: SlotRow | null }
  /** What jobs still wait for the values of, by name: of each so many at the most, and how many there are. */
  'slot.awaited': { input: { jobs: readonly string[]; limit: number }; output: readonly AwaitedValues[] }
  'slot.list': { input: ListInput; output: { items: readonly SlotRow[]; next: number | null } }
  /** Makes the slots and jobs of a pipeline, all or none, for an attempt that must still hold its job. */
  'pipeline.build': {
    input: {
      readonly job: string
      readonly token: string
      readonly slots: readonly NewSlotInput[]
      readonly jobs: readonly Submission[]
    }
    output: null
  }
}

/** An endpoint whose attempt is open. */
export interface EndpointRow {
  readonly name: string
  readonly url: string
  /** Name of the job. */
  readonly job: string
  readonly registeredAt: number
}

/** The endpoint of an attempt. */
export interface OwnEndpoint {
  /** UUID of the job. */
  readonly job: string
  readonly token: string
  readonly name: string
}

/**
 * What running jobs are found by, within their namespace. An endpoint is not state of a job: nothing follows from it, so it has
 * no events.
 */
export interface EndpointControls {
  /** The same attempt may register a name again, with another address. */
  'endpoint.register': { input: OwnEndpoint & { readonly url: string }; output: null }
  /** Null when no open attempt has the name. */
  'endpoint.resolve': { input: { namespace: string; name: string }; output: EndpointRow | null }
  /** By name; `after` is `next` of the page before. */
  'endpoint.list': {
    input: { namespace: string; after?: string | null; limit: number }
    output: { items: readonly EndpointRow[]; next: string | null }
  }
  /** False when the attempt has no endpoint of this name. */
  'endpoint.remove': { input: OwnEndpoint; output: boolean }
}

/** A key as it is shown. */
export interface KeyRow extends Omit<Key, 'hash'> {
  readonly id: string
  readonly createdAt: number
}

export interface HashedKeyRow extends KeyRow {
  readonly hash: string
}

export interface KeyControls {
  'key.create': { input: Omit<Key, 'revokedAt'> & { readonly id: string }; output: KeyRow }
  /** Doing it again changes nothing. */
  'key.revoke': { input: { key: string }; output: KeyRow }
  'key.get': { input: { key: string }; output: KeyRow | null }
  'key.list': { input: Omit<ListInput, 'path'>; output: { items: readonly KeyRow[]; next: number | null } }
  /** All that open a door at this moment, for those who stand there. */
  'key.inForce': { input: Record<string, never>; output: readonly HashedKeyRow[] }
}

/** What became of the wish to do something once. */
export type BegunAnswer =
  /** Whoever gets this does it, and says then how it was answered. */
  | { readonly outcome: 'begun' }
  /** It was done: this was the answer. */
  | { readonly outcome: 'answered'; readonly status: number; readonly body: string }
  /** Somebody is at it. */
  | { readonly outcome: 'running' }
  /** The same id was used for something else. */
  | { readonly outcome: 'mismatch' }

/** Requests that are done once however often they are sent. Ids and fingerprints are hashes. */
export interface AnswerControls {
  'answer.begin': { input: { id: string; fingerprint: string }; output: BegunAnswer }
  /** It is kept for a day. */
  'answer.finish': { input: { id: string; fingerprint: string; status: number; body: string }; output: null }
  /** It was not done after all: the next who asks does it. */
  'answer.forget': { input: { id: string }; output: null }
}

/** A webhook as it is shown. */
export interface WebhookRow extends Omit<Webhook, 'secret' | 'previous' | 'cursor' | 'since'> {
  readonly id: string
  /** Until when the secret before signs, too; null when there is none. */
  readonly rotatingUntil: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** A webhook as those see it who make its messages. */
export interface ActiveWebhook extends Pick<Webhook, 'scope' | 'types' | 'since' | 'cursor'> {
  readonly id: string
}

/** A webhook as those see it who send its messages. */
export interface WebhookTarget extends Pick<Webhook, 'url' | 'status' | 'reason' | 'failures'> {
  /** All that sign now. */
  readonly secrets: readonly string[]
}

interface ByWebhook {
  /** Its UUID. */
  readonly webhook: string
}

export interface WebhookControls {
  'webhook.create': {
    input: Pick<Webhook, 'url' | 'scope' | 'secret'> &
      Partial<Pick<Webhook, 'types' | 'label'>> & { readonly id: string }
    output: WebhookRow
  }
  /** To enable it is to begin anew, with what happens from then on. */
  'webhook.change': {
    input: ByWebhook & { readonly changes: Partial<Pick<Webhook, 'url' | 'types' | 'label' | 'status' | 'reason'>> }
    output: WebhookRow
  }
  /** The secret that it had signs as well, for so long. */
  'webhook.rotate': { input: ByWebhook & { readonly secret: string; readonly keepMs: number }; output: WebhookRow }
  'webhook.delete': { input: ByWebhook; output: WebhookRow }
  'webhook.get': { input: ByWebhook; output: WebhookRow | null }
  'webhook.list': { input: Omit<ListInput, 'path'>; output: { items: readonly WebhookRow[]; next: number | null } }
  /** All that messages are made for. */
  'webhook.active': { input: Record<string, never>; output: readonly ActiveWebhook[] }
  /** The messages of these are made up to a place, unless somebody else has come further since. */
  'webhook.advance': {
    input: { readonly webhooks: readonly string[]; readonly from: string; readonly to: string }
    output: null
  }
  /** Null for one that is deleted. */
  'webhook.target': { input: ByWebhook; output: WebhookTarget | null }
  /** What became of a message. */
  'webhook.tell': { input: ByWebhook & { readonly fate: Fate }; output: null }
}

/** All that can be done to what is described rather than run, by name: what it takes and what it gives. */
export interface Controls
  extends TemplateControls,
    ScheduleControls,
    GroupControls,
    DefaultsControls,
    RetentionControls,
    ArchiveControls,
    ShardControls,
    SlotControls,
    EndpointControls,
    KeyControls,
    AnswerControls,
    WebhookControls {}

export type ControlName = keyof Controls
