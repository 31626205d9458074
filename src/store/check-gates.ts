import type { LimitInput, Rate } from '../core/gates/limit.ts'
import { isPath } from '../core/gates/limit.ts'
import type { Context } from '../core/job/commands.ts'
import { JobName } from '../core/names/job-name.ts'
import {
  checkArray,
  checkContext,
  checkInteger,
  checkLimit,
  checkObject,
  checkOptionalText,
  checkText,
  checkType,
  checkUuid,
  refuse,
} from './check-input.ts'
import type { MoveRequest, PauseRequest, QueueRequest } from './store.ts'
import type { NewPause } from './transaction.ts'

const countMax = 1_000_000_000
const rateMsMax = 366 * 86_400_000

export function checkLimitInput(given: unknown, field: string): LimitInput {
  const { key, concurrency, rate }: { [K in keyof LimitInput]?: unknown } = checkObject(given, field)
  const checked = checkText(key, `${field}.key`, 255)
  if (isPath(checked)) JobName.parse(checked)
  return {
    key: checked,
    ...(concurrency === undefined ? {} : { concurrency: checkConcurrency(concurrency, `${field}.concurrency`) }),
    ...(rate === undefined ? {} : { rate: checkRate(rate, `${field}.rate`) }),
  }
}

function checkConcurrency(value: unknown, field: string): number | null {
  return value === null ? null : checkInteger(value, field, 0, countMax)
}

function checkRate(value: unknown, field: string): Rate | null {
  if (value === null) return null
  const { count, perMs }: { [K in keyof Rate]?: unknown } = checkObject(value, field)
  return {
    count: checkInteger(count, `${field}.count`, 0, countMax),
    perMs: checkInteger(perMs, `${field}.perMs`, 1, rateMsMax),
  }
}

/** A branch or a type, and not both. */
export function checkPause(given: PauseRequest): NewPause {
  const { path, type, reason: why }: { [K in keyof PauseRequest]?: unknown } = checkObject(given, 'a pause')
  if ((path === undefined) === (type === undefined)) throw refuse('path', path, 'or type must be given, and not both')
  const reason = checkOptionalText(why, 'reason', 1_024)
  if (type !== undefined) return { path: null, type: checkType(type), reason }
  return { path: JobName.parse(checkText(path, 'path', 1_000)).toWire(), type: null, reason }
}

/** The most branches that one worker can be bound to. */
const pathMax = 100

/** The branches that a worker is bound to, without those that lie below others; null for one that is not bound. */
export function checkPaths(given: unknown): readonly string[] | null {
  if (given === undefined || given === null) return null
  const paths = checkArray(given, 'paths', pathMax).map((path, i) =>
    JobName.parse(checkText(path, `paths[${i}]`, 1_000)),
  )
  if (paths.length === 0) throw refuse('paths', given, 'must not be empty')
  const highest = paths.filter((path) => !paths.some((other) => other.isAncestorOf(path, { includeSelf: false })))
  return [...new Set(highest.map((path) => path.toWire()))]
}

export function checkMove(given: MoveRequest): MoveRequest {
  const { jobId, to, context }: { [K in keyof MoveRequest]?: unknown } = checkObject(given, 'a move')
  return { jobId: checkUuid(jobId, 'jobId'), to: checkPlace(to), context: checkContext(context as Context) }
}

function checkPlace(to: unknown): MoveRequest['to'] {
  if (to === 'front' || to === 'end') return to
  const rule = 'must be front, end, or a job to stand before or after'
  if (typeof to !== 'object' || to === null) throw refuse('to', to, rule)
  const { before, after }: { before?: unknown; after?: unknown } = to
  if ((before === undefined) === (after === undefined)) throw refuse('to', to, rule)
  return before === undefined ? { after: checkUuid(after, 'to.after') } : { before: checkUuid(before, 'to.before') }
}

export function checkQueue(given: QueueRequest): QueueRequest {
  const { types, limit }: { types?: unknown; limit?: unknown } = checkObject(given, 'a queue')
  const checked =
    types === undefined ? {} : { types: checkArray(types, 'types', 10_000).map((type) => checkType(type)) }
  return { ...checked, limit: checkLimit(limit) }
}
