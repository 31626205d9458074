import { StintError } from '../errors.ts'
import { isUnresolved } from '../slot/needs.ts'
import { retryDelayMs } from './backoff.ts'
import type { Command, Context, Ending } from './commands.ts'
import type { CatalogueType, JobEvent } from './events.ts'
import { evolve, evolveOutside } from './evolve.ts'
import { completed, type Fact, type Failure, failed, nothing, ranInVain, stopped } from './facts.ts'
import { type Job, lateFrom } from './job.ts'
import { requireSameEnd, says } from './repeat.ts'
import { gathered, isTask, planned, sliced, sliceFailed, sliceToRepeat } from './slices.ts'

/** What a decision asks of others than the job itself. Plain data: the store carries it out in the same transaction. */
export type Effect =
  /** The job has ended: whoever waits for its end may go on. */
  | { readonly type: 'wakeWaiters' }
  /** The attempt has failed: what it and earlier ones submitted is cancelled. A job that is `pending` waits for the ends. */
  | { readonly type: 'cancelChildren'; readonly attempt: number }
  /** The job has failed for good: the job that it names for this case is submitted. */
  | { readonly type: 'submitOnFailure' }
  /** The attempt is over: what it held of limits is free for others. */
  | { readonly type: 'freeLimits' }
  /** The attempt waits for its tasks or children, which lie below the same paths: what it held of their limits is for those. */
  | { readonly type: 'freePaths' }

export interface Decision {
  readonly events: readonly JobEvent[]
  readonly effects: readonly Effect[]
}

/**
 * The rule book of a job. Pure: the same job, command and time give the same decision, wherever it is made. A command
 * that asks for nothing new (a repeated answer, a cancel of a finished job) gives no events; one that the rules forbid
 * throws. Nothing else in the system may decide what happens to a job.
 */
export function decide(job: Job | null, command: Command, now: number, context: Context = {}): Decision {
  if (job === null) {
    if (command.type !== 'submit') throw notFound(command)
    return decision(command.spec.id, 0, submitted(command), now, context)
  }
  const current = withOutsideEvents(job, command)
  const facts = decideExisting(current, command, now)
  const children = 'children' in command && command.children === true
  const made = decision(current.id, current.version, children ? facts.map(gated) : facts, now, context)
  return { events: made.events, effects: [...made.effects, ...effectsOnOthers(current, facts, children)] }
}

/** A step of a job: what was decided and the state that follows. */
export interface Step extends Decision {
  readonly job: Job
}

export function step(job: Job | null, command: Command, now: number, context: Context = {}): Step {
  const { events, effects } = decide(job, command, now, context)
  const current = job === null ? null : withOutsideEvents(job, command)
  // Without a job only a submit gets here, and it has an event: the fold always ends with a job.
  return { job: events.reduce<Job | null>(evolve, current) as Job, events, effects }
}

function withOutsideEvents(job: Job, command: Command): Job {
  return command.type === 'ingest' ? command.events.reduce(evolveOutside, job) : job
}

function decision(jobId: string, version: number, facts: readonly Fact[], at: number, context: Context): Decision {
  const { actor = null, cause = null, executionId = null, traceId = null, spanId = null } = context
  const origin = { actor, cause, executionId, traceId, spanId }
  const events = facts.map((fact, i): JobEvent => ({ ...fact, jobId, version: version + i + 1, at, ...origin }))
  return { events, effects: facts.some(isEnd) ? [{ type: 'wakeWaiters' }] : [] }
}

/** The next attempt would meet the jobs of the one before, by name or by effect: so it waits until they have ended. */
function gated(fact: Fact): Fact {
  if (!endsChildren(fact) || fact.data.retryAt === null) return fact
  return { type: fact.type, data: { ...fact.data, waits: true } }
}

/** A snooze goes on with what it began; every other attempt that did not complete takes its jobs with it. */
function endsChildren(fact: Fact): fact is Extract<Fact, { type: 'job.run.failed' }> {
  return fact.type === 'job.run.failed' && fact.data.reason !== 'snoozed'
}

/** A job that ends between two attempts, without another failure, leaves what it submitted before it snoozed. */
function leavesChildren(fact: Fact): boolean {
  return endsChildren(fact) || fact.type === 'job.cancelled' || fact.type === 'job.expired'
}

function effectsOnOthers(job: Job, facts: readonly Fact[], children: boolean): readonly Effect[] {
  const effects: Effect[] = []
  if (children && facts.some(leavesChildren)) effects.push({ type: 'cancelChildren', attempt: job.attempt })
  if (job.onFailure !== null && facts.some(isFailureForGood)) effects.push({ type: 'submitOnFailure' })
  if (facts.some(isEndOfAttempt)) effects.push({ type: 'freeLimits' })
  else if (facts.some(leavesItToOthers)) effects.push({ type: 'freePaths' })
  return effects
}

const freeing: ReadonlySet<CatalogueType> = new Set([
  ...(['job.run.completed', 'job.run.failed', 'task.slice.completed', 'task.slice.failed'] as const),
])

/** Between two slices a task holds nothing. */
function isEndOfAttempt(fact: Fact): boolean {
  return freeing.has(fact.type)
}

/** The attempt waits for its tasks, or for the value of another. */
function leavesItToOthers(fact: Fact): boolean {
  return fact.type === 'job.run.planned' || (fact.type === 'job.run.suspended' && fact.data.output !== undefined)
}

function isFailureForGood(fact: Fact): boolean {
  return fact.type === 'job.expired' || (fact.type === 'job.run.failed' && isEnd(fact))
}

const ends: ReadonlySet<CatalogueType> = new Set([
  ...(['job.run.completed', 'job.run.skipped', 'job.cancelled', 'job.expired'] as const),
])

function isEnd(fact: Fact): boolean {
  if (fact.type === 'job.run.failed') return fact.data.retryAt === null && fact.data.reason !== 'cancelled'
  return ends.has(fact.type)
}

function submitted(command: Extract<Command, { type: 'submit' }>): readonly Fact[] {
  const { id: _, ...spec } = command.spec
  const pending = command.pending || (spec.needs !== null && command.skip === null)
  const created: Fact = { type: 'job.created', data: { ...spec, pending } }
  return command.skip === null ? [created] : [created, skipped(command.skip, false)]
}

function decideExisting(job: Job, command: Command, now: number): readonly Fact[] {
  switch (command.type) {
    case 'submit':
      throw new StintError('id_taken', `A job with the id ${job.id} exists already.`, { jobId: job.id })
    case 'release':
      return opened(job, command)
    case 'receive':
      return received(job, command, now)
    case 'gather':
      return gathered(job, command.error, now)
    case 'hold':
      requireEditable(job)
      return job.phase === 'queued' ? [{ type: 'job.held', data: {} }] : nothing
    case 'edit':
      requireEditable(job)
      if (command.changes.params !== undefined && isUnresolved(job))
        throw forbidden(job, 'get other params, because it waits for slots')
      return Object.keys(command.changes).length === 0 ? nothing : [{ type: 'job.edited', data: command.changes }]
    case 'claim':
      return [started(job, command, now)]
    case 'finish':
      return holdsAttempt(job, command.token) ? end(job, command.ending, now) : requireSameEnd(job, command)
    case 'giveBack':
      return holdsAttempt(job, command.token) ? released(job, now) : requireSameEnd(job, command)
    case 'lose':
      return holdsAttempt(job, command.token) ? lost(job, command, now) : requireSameEnd(job, command)
    case 'elapse':
      return elapsed(job, command.random, now)
    case 'cancel':
      return cancel(job, command.reason)
    case 'skip':
      requireInitial(job)
      return [skipped(command.reason, command.cancelled)]
    case 'answer':
      requireAnswerable(job)
      return end(job, command.answer, now)
    case 'ingest':
      // A job that waits for its tasks, or for a value, goes on when they are there, whatever comes from outside.
      return job.phase === 'awaiting' && job.shards === null && job.output === null ? settle(job) : nothing
  }
}

/** A job that needs values is not released without them, and gets them once. */
function opened(job: Job, { resolved }: Extract<Command, { type: 'release' }>): readonly Fact[] {
  if (job.phase !== 'pending') return nothing
  if (!isUnresolved(job)) return [{ type: 'job.queued', data: {} }]
  return resolved === undefined ? nothing : [{ type: 'job.queued', data: { resolved } }]
}

// ---- the start of an attempt

function started(job: Job, command: Extract<Command, { type: 'claim' }>, now: number): Fact {
  if (job.phase !== 'queued') throw forbidden(job, 'be claimed')
  if (job.scheduledFor > now) throw forbidden(job, 'be claimed before its time')
  if (isLate(job, now)) throw forbidden(job, 'be claimed after its time')
  const attemptDeadlineAt = job.timeoutMs === null ? null : now + job.timeoutMs
  const { workerId, token } = command
  const isOpen = job.state === 'running'
  const data = { attempt: job.attempt + (isOpen ? 0 : 1), token, workerId, attemptDeadlineAt }
  return { type: isOpen ? 'job.run.resumed' : 'job.run.started', data }
}

// ---- the end of an attempt

/** The failure of a slice is not that of its task. */
function attemptFailed(job: Job, failure: Failure, facts: Parameters<typeof sliceFailed>[2] = {}): readonly Fact[] {
  return isTask(job) ? sliceFailed(job, failure, facts) : failed(job, failure, facts)
}

function end(job: Job, ending: Ending, now: number): readonly Fact[] {
  switch (ending.kind) {
    case 'completed':
      return [completed(job, ending.resultDigest, ending.facts)]
    case 'failed': {
      const { error, terminal, random, facts = {}, failsJob } = ending
      const failure = { reason: 'failed', error, terminal: terminal || failsJob === true, random, now } as const
      return attemptFailed(job, failure, isTask(job) && failsJob === true ? { ...facts, failsJob } : facts)
    }
    case 'snoozed':
      return snoozed(job, ending, now)
    case 'suspended':
      return suspended(job, ending, now)
    case 'cancelled':
      return attemptFailed(
        job,
        { reason: 'failed', error: says.unasked, terminal: false, random: 1, now },
        ending.facts,
      )
    case 'planned':
      return planned(job, ending)
    case 'sliced':
      return sliced(job, ending, now)
  }
}

function snoozed(job: Job, ending: Extract<Ending, { kind: 'snoozed' }>, now: number): readonly Fact[] {
  const { delayMs, random } = ending
  if (job.snoozes >= job.retry.maxSnoozes) {
    return attemptFailed(job, { reason: 'failed', error: says.snoozedTooOften(job), terminal: false, random, now })
  }
  if (job.cancelReason !== null) return stopped(job, job.cancelReason)
  return [again(job, 'snoozed', says.snoozed(delayMs), now + delayMs)]
}

function released(job: Job, now: number): readonly Fact[] {
  if (job.cancelReason !== null) return stopped(job, job.cancelReason)
  return [again(job, 'released', says.released, now)]
}

/** The same once more, without a charge: the attempt, or of a task the slice. */
function again(job: Job, reason: 'snoozed' | 'released' | 'lease_lost', error: string, retryAt: number): Fact {
  return isTask(job) ? sliceToRepeat(job, reason, error, false, retryAt) : ranInVain(job, reason, error, false, retryAt)
}

/**
 * Of several jobs that were lost together one may have killed the worker, and nobody knows which. All become suspects, and
 * none is charged before it is lost as a suspect, of which a worker holds one at a time: so a job that kills its process
 * burns its own attempts and no one else's.
 */
function lost(job: Job, { random, alone }: Extract<Command, { type: 'lose' }>, now: number): readonly Fact[] {
  const error = `Worker ${job.workerId} was lost during attempt ${job.attempt}.`
  if (alone || job.suspect) return attemptFailed(job, { reason: 'lease_lost', error, terminal: false, random, now })
  if (job.cancelReason !== null) return stopped(job, job.cancelReason)
  const policy = isTask(job) ? job.task.slice : job.retry
  return [
    again(
      job,
      'lease_lost',
      error,
      now + retryDelayMs(policy, isTask(job) ? job.slices.failures : job.charged, random),
    ),
  ]
}

/** The attempt goes on without a worker, unless what it waits for has come already. */
function suspended(job: Job, ending: Extract<Ending, { kind: 'suspended' }>, now: number): readonly Fact[] {
  if (job.cancelReason !== null) return stopped(job, job.cancelReason)
  if (isTask(job)) return sliceFailed(job, { reason: 'failed', error: says.cannotWait, terminal: true, random: 1, now })
  const { awaits, until, output } = ending
  if (output !== undefined)
    return [{ type: 'job.run.suspended', data: { attempt: job.attempt, awaits, until, output } }]
  const fact: Fact = { type: 'job.run.suspended', data: { attempt: job.attempt, awaits, until } }
  return [fact, ...settle({ ...job, awaits: awaits ?? job.awaits })]
}

/** What awaited events decide, once the last of them is there. */
function settle(job: Job): readonly Fact[] {
  const decided = job.awaits?.decided ?? null
  if (decided === null) return nothing
  if (decided === 'complete') return [completed(job, null)]
  return [ranInVain(job, 'failed', `${says.failedBy}${decided.failedBy}.`, true, null)]
}

/** The value of another job or of a slot is the result of the attempt that waits for it. Without one, trying again is of no use. */
function received(
  job: Job,
  { resultDigest, error }: Extract<Command, { type: 'receive' }>,
  now: number,
): readonly Fact[] {
  if (job.phase !== 'awaiting' || job.output === null) return nothing
  if (error === null) return [completed(job, resultDigest)]
  return failed(job, { reason: 'failed', error, terminal: true, random: 0, now })
}

// ---- the end of a job without a worker

function elapsed(job: Job, random: number, now: number): readonly Fact[] {
  const jobIsLate = job.deadlineAt !== null && job.deadlineAt <= now
  switch (job.state) {
    case 'initial':
      return isLate(job, now) ? [skipped(jobIsLate ? 'deadline' : 'expired', false)] : nothing
    case 'running': {
      const attemptIsLate = job.attemptDeadlineAt !== null && job.attemptDeadlineAt <= now
      if (!jobIsLate && !attemptIsLate) return nothing
      const error = jobIsLate ? 'The job ran out of time.' : `Attempt ${job.attempt} ran out of time.`
      const failure = { reason: 'timeout', error, terminal: jobIsLate, random, now } as const
      return jobIsLate ? failed(job, failure) : attemptFailed(job, failure)
    }
    case 'error':
      return jobIsLate ? [{ type: 'job.expired', data: { reason: 'deadline' } }] : nothing
    case 'final':
      return nothing
  }
}

function cancel(job: Job, reason: string): readonly Fact[] {
  if (job.state === 'final') return nothing
  if (job.phase !== 'running')
    return job.state === 'running' ? stopped(job, reason) : [{ type: 'job.cancelled', data: { reason } }]
  return job.cancelReason === null ? [{ type: 'job.cancel.requested', data: { reason } }] : nothing
}

function skipped(reason: string, cancelled: boolean): Fact {
  return { type: 'job.run.skipped', data: { reason, cancelled } }
}

// ---- guards

function holdsAttempt(job: Job, token: string): boolean {
  return job.phase === 'running' && job.token === token
}

function isLate(job: Job, now: number): boolean {
  const from = lateFrom(job)
  return from !== null && from <= now
}

function requireEditable(job: Job): void {
  if (job.state === 'initial') return
  if (job.attempt === 0) throw forbidden(job, 'be edited')
  const message = `Job ${job.id} was dispatched: params, priority and position can no longer change.`
  throw new StintError('already_dispatched', message, { jobId: job.id, state: job.state })
}

function requireInitial(job: Job): void {
  if (job.state !== 'initial') throw forbidden(job, 'be skipped')
}

function requireAnswerable(job: Job): void {
  if (isTask(job)) throw forbidden(job, 'be answered from outside, because it is a task')
  if (job.shards !== null) throw forbidden(job, 'be answered from outside, because it waits for its tasks')
  if (job.phase === 'awaiting' && job.output !== null) {
    throw forbidden(job, 'be answered from outside, because it waits for the value of another')
  }
  if (job.state === 'running') return
  if (job.state === 'final') throw new StintError('not_found', `Job ${job.id} is over.`, { jobId: job.id })
  const message = `Job ${job.id} has no open attempt, so it cannot be answered yet.`
  throw new StintError('not_started', message, { jobId: job.id, state: job.state, attempt: job.attempt })
}

function forbidden(job: Job, what: string): StintError {
  const message = `Job ${job.id} cannot ${what}: it is ${job.phase} (${job.state}).`
  return new StintError('illegal_transition', message, { jobId: job.id, state: job.state, phase: job.phase })
}

function notFound(command: Command): StintError {
  return new StintError('not_found', `There is no job to ${command.type}.`, { command: command.type })
}
