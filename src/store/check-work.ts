import { StintError } from '../core/errors.ts'
import { sanitisedText } from '../core/json.ts'
import { JobName } from '../core/names/job-name.ts'
import {
  attempt,
  checkArray,
  checkContext,
  checkInstant,
  checkInteger,
  checkLimit,
  checkObject,
  checkOptionalText,
  checkPlainId,
  checkText,
  checkUuid,
  refuse,
} from './check-input.ts'
import { outcomes } from './encoding.ts'
import type { BranchLeft } from './follow-up.ts'
import type { BranchRequest, ListRequest, LogLine, NewWorker, RenewRequest, Report } from './store.ts'
import { checkJsonText, checkType } from './submission.ts'
import { followUpKinds, type NewFollowUp } from './transaction.ts'

/** Checks of what workers, upkeep and readers ask of a store. Written once for both stores, like all checks. */

const leaseMaxMs = 86_400_000

export function checkWorker(worker: NewWorker): NewWorker {
  const { id, name, leaseMs }: NewWorker = checkObject(worker, 'a worker') as NewWorker
  return { id: checkPlainId(id, 'id'), name: checkText(name, 'name', 255), leaseMs: checkLease(leaseMs) }
}

export function checkRenewal({ workerId, leaseMs }: RenewRequest): { id: string; lease_ms: number } {
  return { id: checkPlainId(workerId, 'workerId'), lease_ms: checkLease(leaseMs) }
}

export function workerTaken(id: string): StintError {
  return new StintError('id_taken', `A worker with the id ${id} was registered before.`, { workerId: id })
}

function checkLease(value: unknown): number {
  return checkInteger(value, 'leaseMs', 1, leaseMaxMs)
}

/** A worker that was lost is shown for this long. */
export const lostShownMs = 86_400_000

export function branchFollowUp({ name, reason, context }: BranchRequest): NewFollowUp {
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
}

export function listParams(request: ListRequest): ListParams {
  const { before, limit, type, status, outcome, cancelled, branch, key, label } = request
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
    cancelled: cancelled === undefined ? null : cancelled ? 1 : 0,
    branch: branch === undefined ? null : JobName.parse(branch).toWire(),
    key: checkOptionalText(key, 'key', 255),
    label_name: label === undefined ? null : checkText(label.name, 'label.name', 128),
    label_value: label === undefined ? null : checkText(label.value, 'label.value', 255),
  }
}
