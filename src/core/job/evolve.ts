import { StintError } from '../errors.ts'
import { countEvent } from './awaits.ts'
import type { CatalogueType, JobEvent, JobEventOf } from './events.ts'
import { type Job, type JobSpec, moves, noSlices, type Slices, type State, stateDigestOf } from './job.ts'
import type { OutsideEvent } from './outside-event.ts'

/**
 * Folds one of Stint's own events into the state of its job. An event that the state already has changes nothing; one
 * that leaves a gap is refused, because the state would silently miss what lies between.
 */
export function evolve(job: Job | null, event: JobEvent): Job {
  const version = job?.version ?? 0
  if (job !== null && event.version <= version) return job
  if (event.version !== version + 1) throw versionGap(version, event)
  return job === null ? created(event) : { ...fold(job, event), version: event.version, updatedAt: event.at }
}

/**
 * Folds an event from outside. It has no version: the outside events of a job form a set, so the state counts each once,
 * whatever their order. After the end of the job nothing changes any more.
 */
export function evolveOutside(job: Job, event: OutsideEvent): Job {
  if (job.awaits === null) return job
  const awaits = countEvent(job.awaits, event)
  return awaits === job.awaits ? job : { ...job, awaits }
}

/** Derives a job from all its events: its own in version order, those from outside in any. */
export function replay(own: readonly JobEvent[], outside: readonly OutsideEvent[] = []): Job | null {
  let job: Job | null = null
  for (const event of own) {
    job = evolve(job, event)
    // Those from outside may be older than any event of the job, so they are offered after each: counting is idempotent.
    for (const other of outside) job = evolveOutside(job, other)
  }
  return job
}

function created(event: JobEvent): Job {
  if (event.type !== 'job.created') throw illegal(null, event)
  return newJob(event.jobId, event.data, event.data.pending, event.at)
}

/** A job as its first event makes it. One object with all its fields, because nothing is made more often. */
export function newJob(id: string, spec: Omit<JobSpec, 'id'>, pending: boolean, at: number): Job {
  return {
    id,
    name: spec.name,
    type: spec.type,
    key: spec.key,
    labels: spec.labels,
    templateId: spec.templateId,
    scheduleId: spec.scheduleId,
    groupId: spec.groupId,
    retryOf: spec.retryOf,
    submittedBy: spec.submittedBy,
    replaces: spec.replaces,
    paramsDigest: spec.paramsDigest,
    priority: spec.priority,
    position: spec.position,
    scheduledFor: spec.scheduledFor,
    expiresAt: spec.expiresAt,
    retry: spec.retry,
    timeoutMs: spec.timeoutMs,
    deadlineAt: spec.deadlineAt,
    awaits: spec.awaits,
    onFailure: spec.onFailure,
    limits: spec.limits,
    task: spec.task,
    needs: spec.needs,
    rerun: spec.rerun,
    version: 1,
    state: 'initial',
    phase: pending ? 'pending' : 'queued',
    attempt: 0,
    charged: 0,
    snoozes: 0,
    shards: null,
    slices: spec.task === null ? null : noSlices,
    upstream: null,
    output: null,
    suspect: false,
    error: null,
    outcome: null,
    cancelled: false,
    resultDigest: null,
    cancelRequestedAt: null,
    cancelReason: null,
    token: null,
    workerId: null,
    attemptDeadlineAt: null,
    createdAt: at,
    queuedAt: pending ? null : at,
    startedAt: null,
    finishedAt: null,
    updatedAt: at,
  }
}

type Fold<T extends CatalogueType> = (job: Job, event: JobEventOf<T>) => Job

const folds: { readonly [T in CatalogueType]: Fold<T> } = {
  'job.created': (job, event) => {
    throw illegal(job.state, event)
  },
  'job.queued': (job, event) => {
    if (job.phase !== 'pending') throw illegal(job.state, event)
    const { resolved } = event.data
    const queued: Job = { ...move(job, event, job.state), phase: 'queued', queuedAt: event.at }
    if (resolved === undefined) return queued
    const { params, upstream } = resolved
    return { ...queued, upstream, paramsDigest: params === null ? job.paramsDigest : params.digest }
  },
  'job.edited': (job, event) => {
    const { params, ...changes } = event.data
    const edited = { ...move(job, event, 'initial'), ...changes }
    return params === undefined ? edited : { ...edited, paramsDigest: params.digest }
  },
  'job.run.started': (job, event) => {
    if (job.phase !== 'queued' || job.state === 'running') throw illegal(job.state, event)
    const { attempt, token, workerId, attemptDeadlineAt } = event.data
    return {
      ...move(job, event, 'running'),
      phase: 'running',
      attempt,
      token,
      workerId,
      attemptDeadlineAt,
      error: null,
      output: null,
      startedAt: event.at,
    }
  },
  'job.run.suspended': (job, event) => {
    if (job.phase !== 'running') throw illegal(job.state, event)
    const { awaits, until, output = null } = event.data
    const waiting = { ...move(job, event, 'running'), phase: 'awaiting' as const, attemptDeadlineAt: until }
    return { ...waiting, suspect: false, awaits: awaits ?? job.awaits, output }
  },
  'job.run.completed': (job, event) => {
    if (job.state !== 'running') throw illegal(job.state, event)
    const ended = { ...finished(job, event), outcome: 'COMPLETED' as const }
    // The last slice of a task completes it.
    const slices = job.slices === null ? null : { ...job.slices, seq: job.slices.seq + 1, failures: 0, error: null }
    return { ...ended, suspect: false, slices, resultDigest: event.data.resultDigest }
  },
  'job.run.failed': (job, event) => {
    if (job.state !== 'running') throw illegal(job.state, event)
    const { reason, error, charged, retryAt, waits = false } = event.data
    const failed: Job = {
      ...job,
      error,
      charged: job.charged + (charged ? 1 : 0),
      snoozes: job.snoozes + (reason === 'snoozed' ? 1 : 0),
      suspect: reason === 'lease_lost' || (job.suspect && reason === 'released'),
      outcome: 'FAILED',
      // The next attempt at a task begins with its initial state.
      ...(job.slices === null ? {} : { resultDigest: null, slices: { ...noSlices, seq: job.slices.seq, error } }),
    }
    // A cancelled attempt is followed at once by the end of its job, which is a fact of its own.
    if (retryAt === null && reason !== 'cancelled') return finished(failed, event)
    const phase = waits ? ('pending' as const) : ('queued' as const)
    const waiting = { ...move(failed, event, 'error'), phase, scheduledFor: retryAt ?? event.at }
    return { ...waiting, queuedAt: waits ? job.queuedAt : event.at, workerId: null, attemptDeadlineAt: null }
  },
  'job.run.skipped': (job, event) => {
    if (job.state !== 'initial') throw illegal(job.state, event)
    return { ...finished(job, event), outcome: 'SKIPPED', cancelled: event.data.cancelled, error: event.data.reason }
  },
  'job.cancel.requested': (job, event) => {
    if (job.phase !== 'running') throw illegal(job.state, event)
    const requested = { cancelRequestedAt: event.at, cancelReason: event.data.reason }
    return { ...move(job, event, 'running'), ...requested }
  },
  'job.cancelled': (job, event) => {
    if (job.state === 'running') throw illegal(job.state, event)
    return { ...finished(job, event), cancelled: true, error: job.error ?? event.data.reason }
  },
  'job.expired': (job, event) => {
    if (job.state !== 'error') throw illegal(job.state, event)
    return finished(job, event)
  },
  'job.held': (job, event) => {
    if (job.phase !== 'queued') throw illegal(job.state, event)
    return { ...move(job, event, 'initial'), phase: 'pending', queuedAt: null }
  },
  'job.run.resumed': (job, event) => {
    if (job.phase !== 'queued' || job.state !== 'running') throw illegal(job.state, event)
    const { token, workerId, attemptDeadlineAt } = event.data
    return { ...job, phase: 'running', token, workerId, attemptDeadlineAt }
  },
  'job.run.planned': (job, event) => {
    if (job.phase !== 'running') throw illegal(job.state, event)
    return { ...job, phase: 'awaiting', suspect: false, attemptDeadlineAt: null, shards: event.data.shards }
  },
  'job.run.queued': (job, event) => {
    if (job.phase !== 'awaiting') throw illegal(job.state, event)
    return { ...requeued(job, event), workerId: null }
  },
  'task.slice.completed': (job, event) => {
    const { seq, stateDigest, progress, position } = event.data
    const { idle } = slicesOf(job, event)
    const isIdle = stateDigest === stateDigestOf(job)
    const slices = { seq, failures: 0, idle: isIdle ? idle + 1 : 0, progress, error: null }
    return {
      ...requeued(job, event),
      slices,
      resultDigest: stateDigest,
      position,
      scheduledFor: event.at,
      suspect: false,
    }
  },
  'task.slice.failed': (job, event) => {
    const { reason, error, counts, retryAt } = event.data
    const before = slicesOf(job, event)
    return {
      ...requeued(job, event),
      slices: { ...before, failures: before.failures + (counts ? 1 : 0), error },
      scheduledFor: retryAt,
      snoozes: job.snoozes + (reason === 'snoozed' ? 1 : 0),
      suspect: reason === 'lease_lost' || (job.suspect && reason === 'released'),
    }
  },
}

/** An open attempt waits for a worker to go on with it. */
function requeued(job: Job, event: JobEvent): Job {
  return { ...job, phase: 'queued', queuedAt: event.at, workerId: null, attemptDeadlineAt: null }
}

function slicesOf(job: Job, event: JobEvent): Slices {
  if (job.phase !== 'running' || job.slices === null) throw illegal(job.state, event)
  return job.slices
}

function fold<T extends CatalogueType>(job: Job, event: JobEventOf<T>): Job {
  const apply: Fold<T> = folds[event.type]
  return apply(job, event)
}

/** The end, however it came: what only a live job has is gone, so that late outside events find nothing to change. */
function finished(job: Job, event: JobEvent): Job {
  const ended = { ...move(job, event, 'final'), phase: 'final' as const, finishedAt: event.at }
  return { ...ended, workerId: null, attemptDeadlineAt: null, awaits: null }
}

function move(job: Job, event: JobEvent, to: State): Job {
  if (!moves[job.state].includes(to)) throw illegal(job.state, event)
  return { ...job, state: to }
}

function illegal(from: State | null, event: Pick<JobEvent, 'type' | 'jobId'>): StintError {
  const where = from ?? 'no state yet'
  const message = `Job ${event.jobId} cannot take ${event.type} in ${where}: this move does not exist.`
  return new StintError('illegal_transition', message, { jobId: event.jobId, from: where, eventType: event.type })
}

function versionGap(version: number, event: JobEvent): StintError {
  const message = `Job ${event.jobId} is at version ${version}; event ${event.type} with version ${event.version} leaves a gap.`
  return new StintError('version_gap', message, { jobId: event.jobId, version, eventVersion: event.version })
}
