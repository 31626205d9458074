import { StintError } from '../core/errors.ts'
import { sanitisedText } from '../core/json.ts'
import { JobName } from '../core/names/job-name.ts'
import { checkPaths } from './check-gates.ts'
import {
  attempt,
  checkAfter,
  checkArray,
  checkBoolean,
  checkContext,
  checkInstant,
  checkInteger,
  checkLimit,
  checkNow,
  checkObject,
  checkOptionalText,
  checkPlainId,
  checkText,
  checkType,
  checkUuid,
  refuse,
} from './check-input.ts'
import { outcomes } from './encoding.ts'
import type { BranchLeft } from './follow-up.ts'
import type {
  BranchRequest,
  DeadlineKey,
  FollowUpRequest,
  ListRequest,
  LogLine,
  LogsRequest,
  NewWorker,
  OverdueRequest,
  PageRequest,
  RenewRequest,
  Report,
} from './store.ts'
import { checkJsonText } from './submission.ts'
import { followUpKinds, type NewFollowUp } from './transaction.ts'

/** Checks of what workers, upkeep and readers ask of a store. Written once for both stores, like all checks. */

const leaseMaxMs = 86_400_000

export function checkWorker(worker: NewWorker): Required<NewWorker> {
  const { id, name, leaseMs, types = [], paths }: NewWorker = checkObject(worker, 'a worker') as NewWorker
  return {
    id: checkPlainId(id, 'id'),
    name: checkText(name, 'name', 255),
    leaseMs: checkLease(leaseMs),
    types: checkArray(types, 'types', 10_000).map((type) => checkType(type)),
    paths: checkPaths(paths),
  }
}

export function checkRenewal(request: RenewRequest): { id: string; lease_ms: number; now: number | null } {
  const { workerId, leaseMs, now } = checkObject(request, 'a renewal') as RenewRequest
  checkNow(now)
  return { id: checkPlainId(workerId, 'workerId'), lease_ms: checkLease(leaseMs), now: now ?? null }
}

export function workerTaken(id: string): StintError {
  return new StintError('id_taken', `A worker with the id ${id} was registered before.`, { workerId: id })
}

function checkLease(value: unknown): number {
  return checkInteger(value, 'leaseMs', 1, leaseMaxMs)
}

export function checkPage(request: PageRequest): { after: number; limit: number } {
  const { after, limit } = checkObject(request, 'a request') as PageRequest
  return { after: checkAfter(after), limit: checkLimit(limit) }
}

export interface OverdueParams {
  /** Null: the database's time. */
  readonly now: number | null
  readonly after_at: number
  readonly after_job: number
  readonly limit: number
}

export function checkOverdue(request: OverdueRequest): OverdueParams {
  const { after, limit, now } = checkObject(request, 'a request') as OverdueRequest
  checkNow(now)
  const from = after === null || after === undefined ? null : (checkObject(after, 'after') as DeadlineKey)
  return {
    now: now ?? null,
    after_at: from === null ? -1 : checkInstant(from.at, 'after.at'),
    after_job: from === null ? 0 : checkInteger(from.job, 'after.job', 0, Number.MAX_SAFE_INTEGER),
    limit: checkLimit(limit),
  }
}

export function checkFollowUp(request: FollowUpRequest): { limit: number; skip: number; now: number | undefined } {
  const { limit, skip = 0, now } = checkObject(request, 'a request') as FollowUpRequest
  return { limit: checkLimit(limit), skip: checkInteger(skip, 'skip', 0, 1_000_000), now }
}

/** A worker that was lost is shown for this long. */
export const lostShownMs = 86_400_000

export function branchFollowUp(request: BranchRequest): NewFollowUp {
  const { name, reason, context } = checkObject(request, 'a request') as BranchRequest
  const left: BranchLeft = {
    name: JobName.parse(name).toWire(),
    reason: checkText(reason, 'reason', 4_096),
    actor: checkContext(context).actor ?? null,
    direction: 'down',
    from: null,
  }
  return { kind: followUpKinds.cancelBranch, job: null, data: JSON.stringify(left) }
}

const lineMax = 16_384
const linesMax = 10_000
/** Numbers of lines and attempts are 32 bits wide in PostgreSQL. */
const seqMax = 2_147_483_647

/** A report as it can be stored; what a handler said is made to fit. Null when it is no report at all. */
export function checkReport(report: Report): Report | StintError {
  return attempt(() => {
    const { jobId, token, progress, checkpoint, lines } = checkObject(report, 'a report') as Report
    return {
      jobId: checkUuid(jobId, 'jobId'),
      token: checkText(token, 'token', 128),
      ...(progress === undefined ? {} : { progress: checkProgress(progress) }),
      ...(checkpoint === undefined ? {} : { checkpoint: checkJsonText(checkpoint, 'checkpoint') ?? 'null' }),
      ...(lines === undefined ? {} : { lines: checkArray(lines, 'lines', linesMax).map(checkLine) }),
    }
  })
}

type Progress = NonNullable<Report['progress']>

function checkProgress(progress: unknown): Progress {
  const { done, total } = checkObject(progress, 'progress') as Progress
  if (!Number.isFinite(done)) throw refuse('progress.done', done, 'must be a finite number')
  if (total !== null && !Number.isFinite(total))
    throw refuse('progress.total', total, 'must be a finite number or null')
  return { done: done + 0, total: total === null ? null : total + 0 }
}

function checkLine(given: unknown): LogLine {
  const { seq, at, line } = checkObject(given, 'lines') as LogLine
  if (typeof line !== 'string') throw refuse('lines.line', line, 'must be a text')
  const number = checkInteger(seq, 'lines.seq', 1, seqMax)
  return { seq: number, at: checkInstant(at, 'lines.at'), line: sanitisedText(line, lineMax) }
}

export interface LogsParams {
  readonly id: string
  readonly attempt: number
  readonly after: number
  readonly limit: number
}

export function checkLogs(request: LogsRequest): LogsParams {
  const { jobId, attempt: number, afterSeq, limit } = checkObject(request, 'a request') as LogsRequest
  return {
    id: jobId,
    attempt: checkInteger(number, 'attempt', 0, seqMax),
    after: checkInteger(afterSeq ?? 0, 'afterSeq', 0, seqMax),
    limit: checkLimit(limit),
  }
}

/** A list request as parameters: null lets everything through. */
export interface ListParams {
  readonly before: number
  readonly limit: number
  readonly type: string | null
  readonly status: string | null
  readonly outcome: number | null
  readonly cancelled: number | null
  readonly branch: string | null
  readonly key: string | null
  readonly label_name: string | null
  readonly label_value: string | null
  /** 1 with tasks of sharded jobs, 0 without. */
  readonly tasks: number
}

export function listParams(request: ListRequest): ListParams {
  const {
    before,
    limit,
    type,
    status,
    outcome,
    cancelled,
    branch,
    key,
    tasks = true,
    ...rest
  } = checkObject(request, 'a request') as ListRequest
  const label =
    rest.label === undefined ? null : (checkObject(rest.label, 'label') as NonNullable<ListRequest['label']>)
  if (status !== undefined && !['queued', 'running', 'final'].includes(status)) {
    throw refuse('status', status, 'must be queued, running or final')
  }
  if (outcome !== undefined && !outcomes.includes(outcome)) {
    throw refuse('outcome', outcome, `must be one of ${outcomes.join(', ')}`)
  }
  return {
    before: checkInteger(before ?? Number.MAX_SAFE_INTEGER, 'before', 0, Number.MAX_SAFE_INTEGER),
    limit: checkLimit(limit),
    type: type === undefined ? null : checkType(type),
    status: status ?? null,
    outcome: outcome === undefined ? null : outcomes.indexOf(outcome),
    cancelled: cancelled === undefined ? null : Number(checkBoolean(cancelled, 'cancelled')),
    branch: branch === undefined ? null : JobName.parse(branch).toWire(),
    key: checkOptionalText(key, 'key', 255),
    label_name: label === null ? null : checkText(label.name, 'label.name', 128),
    label_value: label === null ? null : checkText(label.value, 'label.value', 255),
    tasks: Number(checkBoolean(tasks, 'tasks')),
  }
}
