import { StintError, show } from '../core/errors.ts'
import type { LimitInput } from '../core/gates/limit.ts'
import { isPath } from '../core/gates/limit.ts'
import { type AwaitedEvent, type Awaits, awaitsLimits, newAwaits } from '../core/job/awaits.ts'
import type { Context } from '../core/job/commands.ts'
import { defaultRetry, type JobSpec, type Labels, type OnFailure, type RetryPolicy } from '../core/job/job.ts'
import { jsonLimits, toJsonText } from '../core/json.ts'
import { checkSubmittable, JobName } from '../core/names/job-name.ts'
import { utf8Length } from '../core/names/utf8-length.ts'
import { shardMax } from '../core/shard/sharded.ts'
import type { Need, Needs } from '../core/slot/needs.ts'
import { checkLimitInput } from './check-gates.ts'
import {
  checkArray,
  checkContext,
  checkDuration,
  checkInstant,
  checkInteger,
  checkObject,
  checkOptionalInstant,
  checkOptionalText,
  checkText,
  checkType,
  checkUuid,
  refuse,
} from './check-input.ts'
import { digestOf } from './digest.ts'
import type { OnConflict, Submission } from './store.ts'

/** A checked submission: everything about the job but its place in the order, which the store gives. */
export interface Draft {
  readonly spec: Omit<JobSpec, 'position' | 'replaces'>
  readonly namespace: string
  readonly params: string | null
  readonly trace: string | null
  readonly parent: { readonly jobId: string; readonly token: string } | null
  readonly onConflict: OnConflict
  readonly within: JobName | null
  readonly context: Context
  /** What its limits are from now on, for those that say it. */
  readonly limits: readonly LimitInput[]
}

const onConflicts: readonly string[] = ['error', 'keep', 'skip', 'replace'] satisfies OnConflict[]

/** `groupId` is that of the group that the submission names, which the store has looked for. */
export function draftOf(submission: Submission, now: number, groupId: string | null = null): Draft {
  checkObject(submission, 'a submission')
  const name = JobName.parse(submission.name)
  checkSubmittable(name)
  const params = checkJsonText(submission.params ?? null, 'params')
  const limits = checkLimits(submission.limits)
  const spec: Draft['spec'] = {
    id: checkUuid(submission.id, 'id'),
    name: name.toWire(),
    type: checkType(submission.type),
    key: checkOptionalText(submission.key, 'key', 255),
    labels: submission.labels === undefined ? noLabels : checkLabels(submission.labels ?? {}),
    templateId: checkOptionalText(submission.templateId, 'templateId', 255),
    scheduleId: checkOptionalText(submission.scheduleId, 'scheduleId', 255),
    groupId,
    retryOf: checkOptionalText(submission.retryOf, 'retryOf', 512),
    submittedBy: checkOptionalText(submission.submittedBy, 'submittedBy', 512),
    paramsDigest: digestOf(params),
    priority: checkInteger(submission.priority ?? 0, 'priority', -1_000_000, 1_000_000),
    scheduledFor: submission.scheduledFor === undefined ? now : checkInstant(submission.scheduledFor, 'scheduledFor'),
    expiresAt: checkOptionalInstant(submission.expiresAt, 'expiresAt'),
    retry: checkRetry(submission.retry),
    timeoutMs: checkOptionalTimeout(submission.timeoutMs),
    deadlineAt: checkOptionalInstant(submission.deadlineAt, 'deadlineAt'),
    awaits: checkAwaits(submission.awaits),
    onFailure: checkFollowing(submission.onFailure, 'onFailure'),
    limits: limits.map(({ key }) => key),
    task: null,
    needs: checkNeeds(submission.needs),
    rerun: checkRerun(submission.rerun, submission.retryOf),
  }
  const onConflict = checkOnConflict(submission.onConflict ?? 'error')
  const trace = checkOptionalText(submission.trace, 'trace', 512)
  const { namespace } = name
  const parent = checkParent(submission.parent)
  const within = submission.within === undefined ? null : JobName.parse(submission.within)
  const context = checkContext(submission.context)
  return { spec, namespace, params, trace, parent, onConflict, within, context, limits }
}

function checkParent(given: Submission['parent']): Draft['parent'] {
  if (given === undefined || given === null) return null
  const { jobId, token }: { jobId?: unknown; token?: unknown } = checkObject(given, 'parent')
  return { jobId: checkUuid(jobId, 'parent.jobId'), token: checkText(token, 'parent.token', 128) }
}

/** So much one job can need at the most. */
const needMax = 10_000
const pointerMaxBytes = 1_000

function checkNeeds(given: Submission['needs']): Needs | null {
  if (given === undefined || given === null) return null
  const { list, onFailure = 'skip' }: { [K in keyof Needs]?: unknown } = checkObject(given, 'needs')
  if (onFailure !== 'skip' && onFailure !== 'run') throw refuse('needs.onFailure', onFailure, 'must be skip or run')
  const checked = checkArray(list, 'needs.list', needMax).map((need, i): Need => {
    const { of, at = null }: { [K in keyof Need]?: unknown } = checkObject(need, `needs.list[${i}]`)
    return { of: checkUuid(of, `needs.list[${i}].of`), at: checkPointer(at, `needs.list[${i}].at`) }
  })
  return checked.length === 0 ? null : { list: checked, onFailure }
}

function checkPointer(at: unknown, field: string): string | null {
  if (at === null || at === '') return at
  const pointer = checkText(at, field, pointerMaxBytes)
  if (!pointer.startsWith('/')) throw refuse(field, at, 'must be a JSON pointer')
  return pointer
}

/** How many there are is known to whoever retries the job: it is over. */
function checkRerun(given: Submission['rerun'], retryOf: Submission['retryOf']): readonly number[] | null {
  if (given === undefined || given === null) return null
  const indexes = checkArray(given, 'rerun', shardMax).map((index, i) => {
    return checkInteger(index, `rerun[${i}]`, 0, shardMax - 1)
  })
  if (new Set(indexes).size < indexes.length) throw refuse('rerun', given, 'must not hold an index twice')
  if (indexes.length === 0) return null
  if (typeof retryOf !== 'string') throw refuse('rerun', given, 'must come with retryOf')
  return indexes
}

const limitMax = 16

function checkLimits(given: Submission['limits']): readonly LimitInput[] {
  if (given === undefined) return noLimits
  const limits = checkArray(given, 'limits', limitMax).map((limit, i) => checkLimitInput(limit, `limits[${i}]`))
  const keys = new Set(limits.map(({ key }) => key))
  if (keys.size < limits.length) throw refuse('limits', [...keys].join(', '), 'must not hold a key twice')
  const path = limits.find(({ key }) => isPath(key))
  if (path !== undefined) throw refuse('limits', path.key, 'must not begin with a slash: a path is limited for all')
  return limits
}

const noLimits: readonly LimitInput[] = []

/**
 * A job that follows the end of another, or of a group. It is checked when that is submitted: when it has ended, nobody is there
 * to be told what is wrong.
 */
export function checkFollowing(given: unknown, field: string): OnFailure | null {
  if (given === undefined || given === null) return null
  const { id, name, type, params }: { [K in keyof OnFailure]?: unknown } = checkObject(given, field)
  const jobName = JobName.parse(name as string)
  checkSubmittable(jobName)
  const text = params === undefined || params === null ? null : checkObjectText(params, `${field}.params`)
  const jobType = checkType(type, `${field}.type`)
  return { id: checkUuid(id, `${field}.id`), name: jobName.toWire(), type: jobType, params: text }
}

const onFailureMaxBytes = 65_536

/** What has ended is added to these params: a text that could not be read then would keep it from ever ending. */
function checkObjectText(value: unknown, field: string): string {
  const text = checkText(value, field, onFailureMaxBytes)
  const parsed = jsonOf(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw refuse(field, text, 'must be the JSON text of an object')
  }
  toJsonText(parsed, field)
  return text
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text comes from `toJsonText`, so only what a careless caller could still get wrong is looked at. */
export function checkJsonText(text: string | null, field: string): string | null {
  if (text === null) return null
  if (typeof text !== 'string') throw refuse(field, text, 'must be JSON text')
  if (text.length * 3 > jsonLimits.bytes && utf8Length(text) > jsonLimits.bytes) {
    const rule = `at most ${jsonLimits.bytes} bytes of JSON are kept`
    throw new StintError('payload_too_large', `${field} is too large: ${rule}.`, { field, rule })
  }
  if (text.includes('\0') || !text.isWellFormed()) {
    const rule = 'must be well-formed JSON text'
    throw new StintError('invalid_json', `${field} ${rule}; got ${show(text)}.`, { field, rule })
  }
  return text
}

function checkOnConflict(value: string): OnConflict {
  if (!onConflicts.includes(value)) throw refuse('onConflict', value, `must be one of ${onConflicts.join(', ')}`)
  return value as OnConflict
}

const noLabels: Labels = {}

export function checkLabels(labels: Labels): Labels {
  const entries: [string, unknown][] = Object.entries(checkObject(labels, 'labels'))
  if (entries.length > 64) throw refuse('labels', entries.length, 'must be at most 64')
  const checked: [string, string][] = entries.map(([name, value]) => [
    checkText(name, 'a name in labels', 128),
    checkText(value, `labels.${name}`, 255),
  ])
  return entries.length === 0 ? {} : Object.fromEntries(checked)
}

export function checkRetry(retry: Partial<RetryPolicy> | null | undefined): RetryPolicy {
  if (retry === undefined || retry === null) return defaultRetry
  const policy = { ...defaultRetry, ...checkObject(retry, 'retry') }
  if (!(Number.isFinite(policy.factor) && policy.factor >= 1 && policy.factor <= 100)) {
    throw refuse('retry.factor', policy.factor, 'must be a number from 1 to 100')
  }
  return {
    maxAttempts: checkInteger(policy.maxAttempts, 'retry.maxAttempts', 1, 1_000),
    baseMs: checkDuration(policy.baseMs, 'retry.baseMs'),
    factor: policy.factor,
    capMs: checkDuration(policy.capMs, 'retry.capMs'),
    maxSnoozes: checkInteger(policy.maxSnoozes, 'retry.maxSnoozes', 0, 1_000_000),
  }
}

export function checkOptionalTimeout(value: number | null | undefined): number | null {
  if (value === undefined || value === null) return null
  const timeoutMs = checkDuration(value, 'timeoutMs')
  if (timeoutMs === 0) throw refuse('timeoutMs', value, 'must be at least 1')
  return timeoutMs
}

export function checkAwaits(awaits: Submission['awaits']): Awaits | null {
  if (awaits === undefined || awaits === null) return null
  const { events, failOn = [] }: { events?: unknown; failOn?: unknown } = checkObject(awaits, 'awaits')
  return newAwaits(
    checkArray(events, 'awaits.events', awaitsLimits.kinds).map(checkAwaited),
    checkArray(failOn, 'awaits.failOn', awaitsLimits.kinds).map((type, i) =>
      checkText(type, `awaits.failOn[${i}]`, 255),
    ),
  )
}

function checkAwaited(event: unknown, i: number): AwaitedEvent {
  const field = `awaits.events[${i}]`
  const { eventType, match, times, taskId }: { [K in keyof AwaitedEvent]?: unknown } = checkObject(event, field)
  return {
    eventType: checkText(eventType, `${field}.eventType`, 255),
    match: checkMatch(match ?? {}, `${field}.match`),
    times: checkInteger(times ?? 1, `${field}.times`, 1, awaitsLimits.times),
    taskId: checkOptionalText(taskId, `${field}.taskId`, 512),
  }
}

/** Values that are equal to themselves and stay so in JSON: a match that was stored must match what it matched before. */
function checkMatch(match: unknown, field: string): AwaitedEvent['match'] {
  const entries: [string, unknown][] = Object.entries(checkObject(match, field))
  if (entries.length > 64) throw refuse(field, entries.length, 'must have at most 64 attributes')
  return Object.fromEntries(
    entries.map(([name, value]) => [checkText(name, `a name in ${field}`, 255), checkMatched(value, field, name)]),
  )
}

function checkMatched(value: unknown, field: string, name: string): string | number | boolean | null {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  if (value === '') return value
  if (typeof value === 'string') return checkText(value, `${field}.${name}`, 1_024)
  throw refuse(`${field}.${name}`, value, 'must be a text, a finite number, a boolean or null')
}
