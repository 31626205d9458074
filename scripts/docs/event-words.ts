import type { CatalogueType, JobEventData } from '../../src/core/job/events.ts'
import type { RecordEventType } from '../../src/core/records/events.ts'
import type { LogEntry } from '../../src/store/log-entry.ts'

type KeysOf<Data> = Data extends unknown ? keyof Data : never

/** What an event tells, and each of its attributes. The compiler holds that none is missing and none is made up. */
type Words = {
  readonly [T in CatalogueType]: {
    readonly means: string
    readonly data: { readonly [K in KeysOf<JobEventData[T]>]: string }
  }
}

const attempt = 'which attempt, from 1'
const error = 'what went wrong, in words'
const failureReason = '`failed`, `timeout`, `lease_lost`, `released`, `snoozed` or `cancelled`'
const facts = {
  exitCode: 'for a command: its exit code',
  artifacts: 'the files that the run left',
  logPath: 'where its log is, if not in the database',
}
const started = {
  attempt,
  token: 'proves the right to end the attempt; never shown',
  workerId: 'the worker that has it',
  attemptDeadlineAt: 'when the attempt times out; null for never',
}

export const jobEventWords: Words = {
  'job.created': {
    means: 'The job was submitted. Its state is derived from this event on.',
    data: {
      name: 'its name',
      type: 'its type',
      key: 'its key, or null',
      labels: 'its labels',
      templateId: 'the template it was made from',
      scheduleId: 'the schedule that fired it',
      groupId: 'its group',
      retryOf: 'the job that it repeats',
      submittedBy: 'the run that submitted it',
      replaces: 'the job it replaces, and whose end it waits for',
      paramsDigest: 'a digest of its params, which are stored with the job',
      priority: 'higher runs sooner',
      position: 'its place within its priority',
      scheduledFor: 'the earliest time to run it',
      expiresAt: 'when it is skipped if it has not started',
      retry: 'its retry settings',
      timeoutMs: 'how long an attempt may take',
      deadlineAt: 'when it must have ended',
      awaits: 'the events that complete it',
      onFailure: 'the job to submit if it fails for good',
      limits: 'the keys of its limits',
      task: 'for a task: its sharded job, and its number',
      needs: 'the slots whose values it waits for',
      rerun: 'for the retry of a sharded job: the tasks that run again although they are done',
      pending: 'whether it waits for something other than its time',
    },
  },
  'job.queued': {
    means: 'What it waited for is there (its group, its slots, or the end of the job it replaces), so it can run.',
    data: { resolved: 'a digest of its params with the values filled in, and which values will never come' },
  },
  'job.edited': {
    means: 'Somebody changed the job before its first attempt.',
    data: {
      priority: 'the new priority',
      position: 'its new place',
      scheduledFor: 'the new time',
      params: 'a digest of the new params, and the old params as text',
    },
  },
  'job.run.started': { means: 'A worker has taken the job: an attempt begins.', data: started },
  'job.run.suspended': {
    means: 'The attempt no longer needs a worker: it waits for an answer, for events or for a slot.',
    data: {
      attempt,
      awaits: 'the events',
      until: 'when the waiting times out',
      output: 'the slot whose value will be its result',
    },
  },
  'job.run.completed': {
    means: 'The attempt succeeded, and the job has ended.',
    data: { attempt, resultDigest: 'a digest of the result, which is stored with the job', ...facts },
  },
  'job.run.failed': {
    means: 'The attempt failed. If `retryAt` is null, so has the job.',
    data: {
      attempt,
      reason: failureReason,
      error,
      charged: 'whether it counts against `maxAttempts`',
      retryAt: 'when the next attempt is due',
      waits: 'whether the next attempt waits until the children of this one have ended',
      failsJob: 'for a task: whether the whole sharded job has failed',
      ...facts,
    },
  },
  'job.run.skipped': {
    means: 'The job will not run; a SKIPPED run says why.',
    data: { reason: 'in words', cancelled: 'whether it counts as cancelled' },
  },
  'job.cancel.requested': {
    means: 'Somebody cancelled the job while it was running; its handler was told to stop.',
    data: { reason: 'in words' },
  },
  'job.cancelled': { means: 'The job has ended because it was cancelled.', data: { reason: 'in words' } },
  'job.expired': {
    means: 'Its `deadlineAt` passed between two attempts, so the job has failed.',
    data: { reason: 'in words' },
  },
  'job.held': { means: 'The job waits again, because another member of its group goes first.', data: {} },
  'job.run.resumed': { means: 'A worker continues an open attempt.', data: started },
  'job.run.planned': {
    means: 'A sharded job was split into tasks, and waits for them without a worker.',
    data: { attempt, shards: 'how many tasks' },
  },
  'job.run.queued': {
    means: 'What an open attempt waited for is there; it continues when a worker takes it.',
    data: { attempt },
  },
  'task.slice.completed': {
    means: 'A slice of a task was saved.',
    data: {
      attempt,
      seq: 'the number of the slice',
      stateDigest: 'a digest of the state that it returned',
      progress: 'how much is done, and of how much',
      position: 'its new place in the queue, behind all others',
    },
  },
  'task.slice.failed': {
    means: 'A slice failed, and will be tried again from the last saved state.',
    data: {
      attempt,
      seq: 'the number of the slice',
      reason: failureReason,
      error,
      counts: 'whether it counts as one of the failures in a row',
      retryAt: 'when it is tried again',
    },
  },
}

/** The same for what is described rather than run. */
export const recordEventWords: Readonly<Record<RecordEventType, string>> = {
  'template.created': 'A template was created, with these attributes.',
  'template.changed': 'A template was changed; the attributes are the new values.',
  'template.activated': 'A template became ACTIVE, by hand or with its first job.',
  'template.archived': 'A template was archived: no more jobs are made from it.',
  'schedule.created': 'A schedule was created, with these attributes.',
  'schedule.changed': 'A schedule was changed; the attributes are the new values.',
  'schedule.enabled': 'A schedule was enabled; it fires next at `nextTriggerAt`.',
  'schedule.disabled': 'A schedule was disabled.',
  'schedule.deleted': 'A schedule was deleted.',
  'schedule.fired':
    'A schedule fired for the instant `at`. `jobId` and `outcome` say what became of it, and `error` why it was refused.',
  'schedule.missed': 'The times between `from` and `to` were left out, because nothing was running then.',
  'schedule.blocked': 'A schedule stopped by itself; `reason` says why.',
  'group.created': 'A group was created.',
  'group.sealed': 'A group was sealed: its members may run, and no more can be added.',
  'group.started': 'The first member of a group has started.',
  'group.finished': 'All members of a group have ended; `status` and `counts` say how.',
  'group.stopped': 'A sequential group stopped at the member `failed`; the rest is cancelled.',
  'group.cancel.requested': 'Somebody cancelled a group; `reason` says why.',
  'group.reordered': 'The members that had not started were put into the order `jobIds`.',
  'defaults.set': 'The defaults for jobs below a path were set to `settings`.',
  'defaults.removed': 'The defaults of a path were removed.',
  'retention.set': 'The retention of a path was set to `policy`.',
  'retention.removed': 'The retention of a path was removed.',
  'slot.created': 'A promise or a delay was created.',
  'slot.filled': 'A slot was filled, by `by`.',
  'slot.failed': 'A slot will never have a value; `error` says why.',
  'key.created': 'A key was created, with `label`, `scope` and `role`. The key itself is never stored.',
  'key.revoked': 'A key was revoked.',
  'webhook.created': 'A webhook was created, with these attributes. The secret is not among them.',
  'webhook.changed': 'A webhook was changed, or its secret was rotated.',
  'webhook.disabled': 'A webhook was disabled; `reason` says why.',
  'webhook.deleted': 'A webhook was deleted.',
}

/** The fields that every entry of the log has. */
export const entryWords: Readonly<Record<keyof LogEntry, string>> = {
  logId: 'its place in the log',
  eventId:
    "unique. For Stint's own events of a job: its UUID, a dot and the version. For outside events: what the sender chose",
  eventType: 'one of the types below, or the type of an outside event',
  occurredAt: 'when it happened, for your information; no rule depends on it',
  receivedAt: 'when it was written to the log',
  namespace: 'the first part of the name it belongs to',
  jobId: 'the job it is about, or null',
  taskId: 'the task of a sharded job, or null',
  version: 'the version of the job after this event; null for outside events',
  schemaVersion: 'the format of the attributes; it goes up when readers need to know the difference',
  source: "where an outside event came from; null for Stint's own",
  actor: 'who did it: a worker, a key, a schedule, a person',
  cause: 'the event or run that led to it',
  executionId: 'for tracing; no rule depends on it',
  traceId: 'the same',
  spanId: 'the same',
  attributes: 'the details, depending on the type',
}
