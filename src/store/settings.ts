import type { Labels, RetryPolicy } from '../core/job/job.ts'
import type { JsonObject } from '../core/json.ts'
import { checkLimitInput } from './check-gates.ts'
import { checkArray, checkDuration, checkInteger, checkObject, refuse } from './check-input.ts'
import type { JobSettings, JobTexture } from './controls.ts'
import type { Submission } from './store.ts'
import { checkLabels, checkOptionalTimeout, checkRetry } from './submission.ts'

export const settingNames = [
  'retry',
  'timeoutMs',
  'expiresInMs',
  'deadlineInMs',
  'priority',
  'limits',
  'labels',
] as const

/** Takes the settings out of an input, checked; what else it has is not looked at. */
export function checkSettings(given: object): JobSettings {
  const input = given as { readonly [N in keyof JobSettings]?: unknown }
  const settings: { -readonly [N in keyof JobSettings]: JobSettings[N] } = {}
  for (const name of settingNames) {
    if (input[name] !== undefined) Object.assign(settings, { [name]: checks[name](input[name]) })
  }
  return settings
}

const checks: { readonly [N in (typeof settingNames)[number]]: (value: unknown) => JobSettings[N] } = {
  retry: checkPartialRetry,
  timeoutMs: (value) => checkOptionalTimeout(value as number | null),
  expiresInMs: (value) => checkDuration(value, 'expiresInMs'),
  deadlineInMs: (value) => checkDuration(value, 'deadlineInMs'),
  priority: (value) => checkInteger(value, 'priority', -1_000_000, 1_000_000),
  limits: (value) => checkArray(value, 'limits', 16).map((limit, i) => checkLimitInput(limit, `limits[${i}]`)),
  labels: (value) => checkLabels(value as Labels),
}

function checkPartialRetry(value: unknown): Partial<RetryPolicy> {
  const given: Partial<RetryPolicy> = checkObject(value, 'retry')
  const names = Object.keys(checkRetry({}))
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined) throw refuse(`retry.${unknown}`, given, 'is no part of a retry policy')
  const checked = Object.entries(checkRetry(given)).filter(([name]) => name in given)
  return Object.fromEntries(checked)
}

/** One after the other, the later the stronger: what a layer does not say, the one before it says. */
export function mergeSettings(layers: readonly JobTexture[]): JobTexture {
  let merged: JobTexture = {}
  for (const layer of layers) {
    const labels = { ...merged.labels, ...layer.labels }
    const retry = { ...merged.retry, ...layer.retry }
    merged = { ...merged, ...layer, labels, retry }
  }
  return merged
}

/** A submission with what it does not say itself. */
export function withSettings(submission: Submission, settings: JobTexture, now: number): Submission {
  const { retry, labels, params, expiresInMs, deadlineInMs, ...rest } = settings
  // One whose instant has passed, because it is made late or on purpose, has its time from now on.
  const from = Math.max(submission.scheduledFor ?? now, now)
  return {
    ...rest,
    ...(expiresInMs === undefined ? {} : { expiresAt: from + expiresInMs }),
    ...(deadlineInMs === undefined ? {} : { deadlineAt: from + deadlineInMs }),
    ...said(submission),
    ...(retry === undefined ? {} : { retry: { ...retry, ...submission.retry } }),
    ...(labels === undefined ? {} : { labels: { ...labels, ...submission.labels } }),
    ...(params === undefined ? {} : { params: mergedParams(params, submission.params ?? null) }),
  }
}

/** Null says nothing about a time, as absence does. */
function said(submission: Submission): Submission {
  const entries = Object.entries(submission).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(entries) as unknown as Submission
}

/** Params that are no object stand for themselves. */
function mergedParams(defaults: JsonObject, given: string | null): string {
  if (given === null) return JSON.stringify(defaults)
  const params: unknown = JSON.parse(given)
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return given
  return JSON.stringify({ ...defaults, ...params })
}
