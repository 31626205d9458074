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
  exitCode: 'of a command',
  artifacts: 'the files that the run left',
  logPath: 'where its log is, if not in the database',
}
const started = {
  attempt,
  token: 'the right to end the attempt; never shown',
  workerId: 'who has it',
  attemptDeadlineAt: 'when the attempt will have timed out; null for never',
}

export const jobEventWords: Words = {
  'job.created': {
    means: 'The job exists, and this is what it is. Its state is derived from here on.',
    data: {
      name: 'its name',
      type: 'its type',
      key: 'its key, or null',
      labels: 'its labels',
      templateId: 'the template that it is made of',
      scheduleId: 'the schedule that fired it',
      groupId: 'the group that it is a member of',
      retryOf: 'the job that it runs once more',
      submittedBy: 'the run that submitted it',
      replaces: 'the job whose end it waits for, because it took its name or key',
      paramsDigest: 'of its params, which stand once, beside the job',
      priority: 'higher sooner',
      position: 'its place within its priority',
      scheduledFor: 'when it may run first',
      expiresAt: 'when it is skipped if it has not started',
      retry: 'how it is tried again',
      timeoutMs: 'how long an attempt may take',
      deadlineAt: 'when it must have ended',
      awaits: 'the events that complete it',
      onFailure: 'the job that follows if it fails for good',
      limits: 'the keys of limits that it keeps to',
      task: 'of which sharded job it is a task, and which',
      needs: 'the slots whose values it waits for',
      pending: 'whether it waits for something else than its time',
    },
  },
  'job.queued': {
    means: 'The last gate has opened: its group, its slots, or the job that it replaces.',
    data: { resolved: 'the digest of its params with the values of its slots, and what will never have one' },
  },
  'job.edited': {
    means: 'Somebody changed it before its first attempt.',
    data: {
      priority: 'the new one',
      position: 'its new place',
      scheduledFor: 'the new time',
      params: 'the digest of the new ones, and the text that they replace',
    },
  },
  'job.run.started': { means: 'A worker has taken it: an attempt begins.', data: started },
  'job.run.suspended': {
    means:
      'The handler gave back its worker, and the attempt goes on: it waits for an answer, for events or for a slot.',
    data: {
      attempt,
      awaits: 'the events',
      until: 'when the wait has timed out',
      output: 'the slot whose value will be its result',
    },
  },
  'job.run.completed': {
    means: 'The attempt ended with a result, and the job with it.',
    data: { attempt, resultDigest: 'of the result, which stands once, beside the job', ...facts },
  },
  'job.run.failed': {
    means: 'The attempt ended without one. If `retryAt` is null, so did the job.',
    data: {
      attempt,
      reason: failureReason,
      error,
      charged: 'whether it counts against `maxAttempts`',
      retryAt: 'when the next attempt is due',
      waits: 'the next attempt waits until the jobs that this one submitted are over',
      failsJob: 'of a task: the whole sharded job has failed',
      ...facts,
    },
  },
  'job.run.skipped': {
    means: 'It will not run, and a SKIPPED run says why.',
    data: { reason: 'in words', cancelled: 'whether it counts as cancelled' },
  },
  'job.cancel.requested': { means: 'It is to stop: its handler was told.', data: { reason: 'in words' } },
  'job.cancelled': { means: 'It is over because somebody cancelled it.', data: { reason: 'in words' } },
  'job.expired': {
    means: 'Its `deadlineAt` passed between two attempts: it has failed.',
    data: { reason: 'in words' },
  },
  'job.held': { means: 'It waits for a gate again: another member of its group goes first.', data: {} },
  'job.run.resumed': { means: 'A worker goes on with an attempt that was open.', data: started },
  'job.run.planned': {
    means: 'A sharded job was split, and waits for its tasks without a worker.',
    data: { attempt, shards: 'how many tasks' },
  },
  'job.run.queued': {
    means: 'What an open attempt waited for is there: it goes on when a worker takes it.',
    data: { attempt },
  },
  'task.slice.completed': {
    means: 'A slice of a task was saved.',
    data: {
      attempt,
      seq: 'the number of the slice',
      stateDigest: 'of the state that it gave back',
      progress: 'done, and of how much',
      position: 'its new place in the queue, behind all others',
    },
  },
  'task.slice.failed': {
    means: 'A slice failed, and is tried again from the last state that was saved.',
    data: {
      attempt,
      seq: 'the number of the slice',
      reason: failureReason,
      error,
      counts: 'whether it counts against the failures in a row',
      retryAt: 'when it is tried again',
    },
  },
}

/** The same for what is described rather than run. */
export const recordEventWords: Readonly<Record<RecordEventType, string>> = {
  'template.created': 'A template was made; the attributes are what it says.',
  'template.changed': 'A template was changed; the attributes are what is new.',
  'template.activated': 'A template became ACTIVE, by hand or with its first job.',
  'template.archived': 'No more jobs are made of it.',
  'schedule.created': 'A schedule was made; the attributes are what it says.',
  'schedule.changed': 'A schedule was changed; the attributes are what is new.',
  'schedule.enabled': 'It fires from now on, first at `nextTriggerAt`.',
  'schedule.disabled': 'It does not fire any more.',
  'schedule.deleted': 'It never fires again.',
  'schedule.fired':
    'It fired for the instant `at`; `jobId` and `outcome` say what came of it, `error` why it was refused.',
  'schedule.missed': 'Instants between `from` and `to` were left out, because nobody was there.',
  'schedule.blocked': 'It stopped by itself, for the `reason` that is given.',
  'group.created': 'A group was made.',
  'group.sealed': 'Its members may run; no more can be added.',
  'group.started': 'Its first member has started.',
  'group.finished': 'All members are over; `status` and `counts` say how.',
  'group.stopped': 'A sequence ended at the member `failed`; the rest is cancelled.',
  'group.cancel.requested': 'All members are to be cancelled, for the `reason` that is given.',
  'group.reordered': 'Members that had not started have a new order, `jobIds`.',
  'defaults.set': 'What a path gives to jobs below it: `settings`.',
  'defaults.removed': 'A path gives nothing any more.',
  'retention.set': 'How long a path keeps what is over: `policy`.',
  'retention.removed': 'A path says nothing about it any more.',
  'slot.created': 'A promise or a delay was made.',
  'slot.filled': 'It has a value, from `by`.',
  'slot.failed': 'It will never have one; `error` says why.',
  'key.created': 'A key was made: `label`, `scope`, `role`. The key itself is never written down.',
  'key.revoked': 'A key opens nothing any more.',
  'webhook.created': 'A webhook was made; the attributes are what it says, without its secret.',
  'webhook.changed': 'A webhook was changed, or its secret was rotated.',
  'webhook.disabled': 'It is told nothing any more, for the `reason` that is given.',
  'webhook.deleted': 'It is gone.',
}

/** The fields that every entry of the log has. */
export const entryWords: Readonly<Record<keyof LogEntry, string>> = {
  logId: 'its place in the log',
  eventId: 'unique: of a job its UUID, a dot and the version; of an event from outside what its sender chose',
  eventType: 'one of those below, or a name from outside',
  occurredAt: 'when it happened. It informs, and decides nothing',
  receivedAt: 'when the log got it',
  namespace: 'the first part of the name that it belongs to',
  jobId: 'the job that it is about; null for none',
  taskId: 'the task of a sharded job; null for none',
  version: 'the version that the job has after it; null for events from outside',
  schemaVersion: 'the shape of the attributes; it goes up when readers have to know the difference',
  source: "where it came from; null for Stint's own",
  actor: 'who did it: a worker, a key, a schedule, a person',
  cause: 'the event or run that led to it',
  executionId: 'for people who look at it; no rule reads it',
  traceId: 'the same',
  spanId: 'the same',
  attributes: 'what is special to its type',
}
